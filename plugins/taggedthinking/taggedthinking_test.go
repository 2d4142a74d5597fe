package taggedthinking

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, new(taggedThinking), conformance.Options{Write: write, GenerationPrompt: thoughtBegun})
}

func TestTheBinaryConforms(t *testing.T) {
	shared.Slow(t)
	path := filepath.Join(t.TempDir(), "taggedthinking")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/taggedthinking").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	conformance.RunBinary(t, path, conformance.Options{})
}

func TestTheManifestMatchesTheHandler(t *testing.T) {
	conformance.RunManifest(t, "taggedthinking.yaml", new(taggedThinking))
}

func TestTheManifestNamesTheFamily(t *testing.T) {
	data, err := os.ReadFile("taggedthinking.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(data), Claiming()[0].Describe().Match} {
		if !strings.Contains(text, Family) {
			t.Errorf("the family is missing in %s", text)
		}
	}
	if match := Handlers()[0].Describe().Match; match != "false" {
		t.Errorf("without the setting it claims %s", match)
	}
}

func TestRecordedOutputsAreRead(t *testing.T) {
	recorded := shared.Cases(t, "tagged_thinking.jsonl", "taggedthinking")
	if err := conformance.Replay(t.Context(), new(taggedThinking), recorded); err != nil {
		t.Error(err)
	}
}
