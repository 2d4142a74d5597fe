package markup

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

func TestConformance(t *testing.T) {
	shared.Slow(t)
	conformance.Run(t, nested{}, conformance.Options{Write: writeNested})
	conformance.Run(t, cdata{}, conformance.Options{Write: writeCDATA, GenerationPrompt: "<|im_start|>assistant\n"})
}

func TestTheBinaryConforms(t *testing.T) {
	shared.Slow(t)
	path := filepath.Join(t.TempDir(), "markup")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/markup").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	conformance.RunBinary(t, path, conformance.Options{})
}

func TestTheManifestMatchesTheHandlers(t *testing.T) {
	conformance.RunManifest(t, "markup.yaml", nested{}, cdata{})
}

func TestRecordedNestedOutputsAreRead(t *testing.T) {
	recorded := shared.Cases(t, "parse.jsonl", "MiniMax-M3.jinja")
	if err := conformance.Replay(t.Context(), nested{}, recorded); err != nil {
		t.Error(err)
	}
}

func TestRecordedSectionsAreRead(t *testing.T) {
	recorded := shared.Cases(t, "parse.jsonl", "openbmb-MiniCPM5-1B.jinja")
	if err := conformance.Replay(t.Context(), cdata{}, recorded); err != nil {
		t.Error(err)
	}
}
