package gemma4

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

func TestConformance(t *testing.T) {
	shared.Slow(t)
	conformance.Run(t, gemma4{}, conformance.Options{Write: write})
	conformance.Run(t, functionGemma{}, conformance.Options{Write: writeFunctions})
}

func TestTheBinaryConforms(t *testing.T) {
	shared.Slow(t)
	path := filepath.Join(t.TempDir(), "gemma4")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/gemma4").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	conformance.RunBinary(t, path, conformance.Options{})
}

func TestTheManifestMatchesTheHandlers(t *testing.T) {
	conformance.RunManifest(t, "gemma4.yaml", gemma4{}, functionGemma{})
}

func TestRecordedOutputsAreRead(t *testing.T) {
	recorded := shared.Cases(t, "parse.jsonl", "google-gemma-4-31B-it.jinja", "google-gemma-4-31B-it-interleaved.jinja")
	if err := conformance.Replay(t.Context(), gemma4{}, recorded); err != nil {
		t.Error(err)
	}
}
