package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

// checkout is this repository.
const checkout = "../.."

func TestANewPluginBuildsAndConforms(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "brackets")
	code, out, errs := commandLine(t, "", "plugin", "new", "brackets", "--dir", dir, "--sdk", checkout)
	if code != exitOK || !strings.Contains(out, filepath.Join(dir, "main.go")+"\n") {
		t.Fatalf("new ended with %d: %s%s", code, out, errs)
	}
	for _, target := range []string{"build", "test"} {
		build := exec.Command("make", "-C", dir, target)
		build.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("make %s: %v\n%s", target, err, out)
		}
	}
	junit := filepath.Join(dir, "report.xml")
	code, out, errs = commandLine(t, "", "plugin", "verify", "--junit", junit, filepath.Join(dir, "brackets"))
	if code != exitOK || !strings.HasSuffix(out, "12 demands met, 0 not\n") {
		t.Errorf("verify ended with %d:\n%s%s", code, out, errs)
	}
	if data, err := os.ReadFile(junit); err != nil || !strings.Contains(string(data), `tests="2" failures="0"`) {
		t.Errorf("%v in JUnit:\n%s", err, data)
	}

	manifest := filepath.Join(dir, "brackets.yaml")
	must(t, os.WriteFile(manifest, []byte("name: brackets\nversion: 2.0.0\nprotocol: 1\nmatch: \"true\"\n"), 0o600))
	code, out, _ = commandLine(t, "", "plugin", "verify", "--json", filepath.Join(dir, "brackets"))
	var reports []conformance.Report
	must(t, json.Unmarshal([]byte(out), &reports))
	const want = "the manifest says version 2.0.0, the process says 0.1.0"
	if first := reports[0].Results[0]; code != exitFailed || !strings.Contains(first.Fault, want) || first.Remedy == "" {
		t.Errorf("a wrong version: ended with %d: %+v", code, first)
	}
}

func TestANewPluginOverwritesNothing(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"plugin new brackets --dir testdata", "testdata: the folder is not empty"},
		{"plugin new Brackets", `name: expected lower-case letters, digits and "-", found "Brackets"`},
		{"plugin new brackets --sdk testdata", "testdata is no checkout of Dragoman"},
	} {
		if code, _, errs := commandLine(t, "", strings.Fields(test.line)...); code != exitFailed || !strings.Contains(errs, test.want) {
			t.Errorf("%s: ended with %d: %s", test.line, code, errs)
		}
	}
}

func TestWhatIsNoPluginIsVerifiedAsSuch(t *testing.T) {
	for path, want := range map[string]string{
		"/bin/true":       "there is no manifest that names it; write /bin/true.yaml",
		"testdata/absent": "no such file or directory",
	} {
		code, out, _ := commandLine(t, "", "plugin", "verify", path)
		if code != exitFailed || !strings.Contains(out, want) || !strings.Contains(out, "0 demands met, 2 not") {
			t.Errorf("%s: ended with %d:\n%s", path, code, out)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheListOfADaemonSaysWhatItsPluginsDo(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "broken.yaml"), []byte("name: broken\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "idle.yaml"), []byte("name: idle\nversion: 1.0.0\nprotocol: 1\nmatch: \"false\"\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "idle"), []byte("#!/bin/false\n"), 0o755))
	cfg := config.Default()
	cfg.Plugins.Dir = dir
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
	must(t, err)
	defer h.Close(t.Context())
	daemon := httptest.NewServer(api.New(h, api.Options{}))
	defer daemon.Close()

	token := filepath.Join(dir, "token")
	must(t, os.WriteFile(token, []byte("secret\n"), 0o600))
	code, out, errs := commandLine(t, "", "plugin", "list", "--daemon", daemon.URL, "--token-file", token)
	if code != exitOK {
		t.Fatalf("ended with %d: %s", code, errs)
	}
	for _, want := range []string{"idle", "1.0.0", "refused: ", "broken.yaml: version: missing"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	daemon.Close()
	if code, _, errs := commandLine(t, "", "plugin", "list", "--daemon", daemon.URL); code != exitFailed || !strings.Contains(errs, daemon.URL) {
		t.Errorf("without a daemon: ended with %d: %s", code, errs)
	}
}
