package kimi

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

func TestConformance(t *testing.T) { conformance.Run(t, kimi{}, conformance.Options{Write: write}) }

func TestTheBinaryConforms(t *testing.T) {
	shared.Slow(t)
	path := filepath.Join(t.TempDir(), "kimi")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/kimi").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	conformance.RunBinary(t, path, conformance.Options{})
}

func TestTheManifestMatchesTheHandler(t *testing.T) {
	conformance.RunManifest(t, "kimi.yaml", kimi{})
}

func TestRecordedOutputsAreRead(t *testing.T) {
	recorded := shared.Cases(t, "parse.jsonl", "Kimi-K2-Instruct.jinja", "Kimi-K2-Thinking.jinja", "moonshotai-Kimi-K2.jinja")
	if err := conformance.Replay(t.Context(), kimi{}, recorded); err != nil {
		t.Error(err)
	}
}
