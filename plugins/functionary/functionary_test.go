package functionary

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, new(functionary), conformance.Options{Write: write})
}

func TestTheBinaryConforms(t *testing.T) {
	shared.Slow(t)
	path := filepath.Join(t.TempDir(), "functionary")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/functionary").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	conformance.RunBinary(t, path, conformance.Options{})
}

func TestTheManifestMatchesTheHandler(t *testing.T) {
	conformance.RunManifest(t, "functionary.yaml", new(functionary))
}

func TestRecordedOutputsAreRead(t *testing.T) {
	recorded := shared.Cases(t, "parse.jsonl", "meetkai-functionary-medium-v3.2.jinja")
	if err := conformance.Replay(t.Context(), new(functionary), recorded); err != nil {
		t.Error(err)
	}
}
