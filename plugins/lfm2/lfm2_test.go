package lfm2

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

func TestConformance(t *testing.T) { conformance.Run(t, lfm2{}, conformance.Options{Write: write}) }

func TestTheBinaryConforms(t *testing.T) {
	shared.Slow(t)
	path := filepath.Join(t.TempDir(), "lfm2")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/lfm2").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	conformance.RunBinary(t, path, conformance.Options{})
}

func TestTheManifestMatchesTheHandler(t *testing.T) {
	conformance.RunManifest(t, "lfm2.yaml", lfm2{})
}

func TestRecordedOutputsAreRead(t *testing.T) {
	recorded := shared.Cases(t, "parse.jsonl", "LFM2-8B-A1B.jinja", "LFM2.5-8B-A1B.jinja", "LFM2.5-Instruct.jinja")
	if err := conformance.Replay(t.Context(), lfm2{}, recorded); err != nil {
		t.Error(err)
	}
}
