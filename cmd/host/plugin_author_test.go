package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

// checkout is the path of this repository.
const checkout = "../.."

func TestANewPluginBuildsAndConforms(t *testing.T) {
	shared.Slow(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "brackets")
	code, out, errs := commandLine(t, "", "plugin", "new", "brackets", "--dir", dir, "--sdk", checkout)
	if code != exitOK || !strings.Contains(out, filepath.Join(dir, "main.go")+"\n") {
		t.Fatalf("new exit code %d: %s%s", code, out, errs)
	}
	before := read(t, filepath.Join(dir, "go.mod"))
	build := exec.Command("go", "build", "-C", dir, "-trimpath", "-o", "brackets") // the manual is followed by another test, with make
	build.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil || read(t, filepath.Join(dir, "go.mod")) != before {
		t.Fatalf("go build: %v\n%s\nor it had to complete go.mod", err, out)
	}
	junit := filepath.Join(dir, "report.xml")
	code, out, errs = commandLine(t, "", "plugin", "verify", "--junit", junit, filepath.Join(dir, "brackets"))
	if code != exitOK || !strings.HasSuffix(out, "15 demands met, 0 not\n") {
		t.Errorf("verify exit code %d:\n%s%s", code, out, errs)
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
		t.Errorf("a wrong version: exit code %d: %+v", code, first)
	}
}

func TestANewPluginOverwritesNothing(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"plugin new brackets --dir testdata", "testdata: the folder is not empty"},
		{"plugin new Brackets", `name: expected lower-case letters, digits and "-", found "Brackets"`},
		{"plugin new brackets --sdk testdata", "testdata is not a checkout of Dragoman"},
	} {
		if code, _, errs := commandLine(t, "", strings.Fields(test.line)...); code != exitFailed || !strings.Contains(errs, test.want) {
			t.Errorf("%s: exit code %d: %s", test.line, code, errs)
		}
	}
}

func TestVerifyRejectsWhatIsNoPlugin(t *testing.T) {
	for path, want := range map[string]string{
		"/bin/true":       "no manifest names it; write /bin/true.yaml",
		"testdata/absent": "no such file or directory",
	} {
		code, out, _ := commandLine(t, "", "plugin", "verify", path)
		if code != exitFailed || !strings.Contains(out, want) || !strings.Contains(out, "0 demands met, 2 not") {
			t.Errorf("%s: exit code %d:\n%s", path, code, out)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
