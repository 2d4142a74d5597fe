package sdk

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/wire"
)

func TestOptionsAreThoseOfTheManifest(t *testing.T) {
	o := struct{ Depth, Width int }{Depth: 1, Width: 2}
	if err := Options(&o); err != nil || o.Depth != 1 {
		t.Errorf("without options: %+v, %v", o, err)
	}
	t.Setenv(wire.OptionsKey, `{"depth": 5}`)
	if err := Options(&o); err != nil || o.Depth != 5 || o.Width != 2 {
		t.Errorf("with options: %+v, %v", o, err)
	}
	t.Setenv(wire.OptionsKey, `{"depth": "deep"}`)
	if err := Options(&o); err == nil || !strings.HasPrefix(err.Error(), "options of the manifest: ") {
		t.Errorf("with wrong options: %v", err)
	}
}

func TestServeReportsAnErrorAndExits(t *testing.T) {
	switch os.Getenv("SERVE") {
	case "nothing":
		Serve()
	case "by hand":
		Serve(unnamed{})
	}
	for serve, want := range map[string]string{"nothing": "no handler to serve", "by hand": "This binary is a plugin"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestServeReportsAnErrorAndExits$")
		cmd.Env = []string{"SERVE=" + serve}
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", serve, err, out)
		}
	}
}

type unnamed struct{ Handler }

func (unnamed) Describe() Description { return Description{Name: "unnamed"} }
