package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/dragoman-project/dragoman/host/config"
)

const unitFile = "../../deploy/systemd/dragoman.service"

// deployed returns the files in the config maps of a manifest.
func deployed(t *testing.T, manifest string) map[string]string {
	t.Helper()
	data, err := os.ReadFile("../../deploy/kubernetes/" + manifest)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var m struct{ Data map[string]string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		for name, content := range m.Data {
			files[name] = content
		}
	}
}

func TestManifestsForThemselvesAreValid(t *testing.T) {
	for _, name := range []string{"rendering.yaml", "gateway.yaml"} {
		t.Run(name, func(t *testing.T) { checkManifest(t, name) })
	}
}

func checkManifest(t *testing.T, name string) {
	manifest, err := os.ReadFile("../../deploy/kubernetes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Sources{File: name, Data: []byte(deployed(t, name)[name])})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(manifest), "--config, /etc/dragoman/config/"+name) || !strings.Contains(string(manifest), "mountPath: "+c.Plugins.RunDir) {
		t.Error("the deployment does not mount what its settings name")
	}
}

func TestTheKubernetesManifestsAreValid(t *testing.T) {
	files := deployed(t, "config.yaml")
	c, err := config.Load(config.Sources{File: "dragoman.yaml", Data: []byte(files["dragoman.yaml"])})
	if err != nil {
		t.Fatal(err)
	}
	deployment, err := os.ReadFile("../../deploy/kubernetes/deployment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if made := "configmap dragoman-workarounds --from-file=" + filepath.Base(c.Workarounds.File); !strings.Contains(string(deployment), made) {
		t.Errorf("nothing says how to make the map of rules, expected %q", made)
	}
	if _, err := os.Stat(filepath.Join(checkout, filepath.Base(c.Workarounds.File))); err != nil {
		t.Error(err)
	}
	for _, path := range []string{c.Auth.TokensFile, c.Workarounds.File} {
		if !strings.Contains(string(deployment), "mountPath: "+filepath.Dir(path)+",") {
			t.Errorf("%s is in no folder that is mounted", path)
		}
	}
	var d struct {
		Spec struct {
			Template struct {
				Spec struct {
					TerminationGracePeriodSeconds float64 `yaml:"terminationGracePeriodSeconds"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(deployment, &d); err != nil {
		t.Fatal(err)
	}
	if wait := (c.Shutdown.Delay + c.Shutdown.Grace).Seconds(); d.Spec.Template.Spec.TerminationGracePeriodSeconds <= wait {
		t.Errorf("pods are killed after %v seconds, expected more than the %v that the daemon takes", d.Spec.Template.Spec.TerminationGracePeriodSeconds, wait)
	}
}

func TestTheUnitUsesFlagsThatExist(t *testing.T) {
	unit, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(unit), "\nExecStart=")
	line, _, _ = strings.Cut(line, "\n")
	args := strings.Fields(line)
	if !found || len(args) < 2 || args[1] != "serve" {
		t.Fatalf("it starts %q", line)
	}
	cmd := newServe()
	if err := cmd.ParseFlags(args[2:]); err != nil {
		t.Error(err)
	}
	if _, err := config.Load(config.Sources{Flags: cmd.Flags()}); err != nil {
		t.Error(err)
	}
}

// TestSystemdUnderstandsTheUnit verifies the unit with systemd, if it is installed, with /bin/true in place of the daemon.
func TestSystemdUnderstandsTheUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip(err)
	}
	unit, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dragoman.service")
	text := strings.ReplaceAll(string(unit), "/usr/lib/dragoman/dragoman", "/bin/true")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	const exposed = "20" // of 100
	if out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--threshold="+exposed, path).CombinedOutput(); err != nil {
		t.Errorf("the unit is exposed more than %s: %v\n%s", exposed, err, out)
	}
}
