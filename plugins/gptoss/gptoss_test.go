package gptoss

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/conformance"
	"go.yaml.in/yaml/v3"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, new(gptoss), conformance.Options{Write: write})
}

func TestTheBinaryConforms(t *testing.T) {
	shared.Slow(t)
	path := filepath.Join(t.TempDir(), "gptoss")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/gptoss").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	conformance.RunBinary(t, path, conformance.Options{})
}

func TestTheManifestMatchesTheHandler(t *testing.T) {
	data, err := os.ReadFile("gptoss.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Name, Version, Match string
		Priority             int
	}
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&manifest); err != nil {
		t.Fatal(err)
	}
	d := new(gptoss).Describe()
	if manifest.Name != d.Name || manifest.Version != d.Version || manifest.Match != d.Match || manifest.Priority != d.Priority {
		t.Errorf("manifest %+v, handler %+v", manifest, d)
	}
}
