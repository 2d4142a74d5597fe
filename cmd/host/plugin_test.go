package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// daemonWithPlugins serves a host with a plugin that works, one that does not start, and one that is refused.
func daemonWithPlugins(t *testing.T) (*host.Host, *httptest.Server) {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "functionary"), filepath.Join(checkout, "plugins", "functionary", "cmd", "functionary"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	manifest, err := os.ReadFile(filepath.Join(checkout, "plugins", "functionary", "functionary.yaml"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "functionary.yaml"), manifest, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "refused.yaml"), []byte("name: refused\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "down.yaml"), []byte("name: down\nversion: 2.0.0\nprotocol: 1\nmatch: \"false\"\npriority: 7\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "down"), []byte("#!/bin/sh\necho no licence found >&2\nexit 3\n"), 0o755))
	cfg := config.Default()
	cfg.Plugins.Dir = dir
	cfg.Templates.Handlers = map[string]string{"chatml-json": "functionary", "chatml-tagged": "down"}
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
	must(t, err)
	t.Cleanup(func() { must(t, h.Close(t.Context())) })
	daemon := httptest.NewServer(api.New(h, api.Options{}))
	t.Cleanup(daemon.Close)
	return h, daemon
}

func TestTheListOfADaemonShowsTheStateOfPlugins(t *testing.T) {
	shared.Slow(t)
	h, daemon := daemonWithPlugins(t)
	request, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "Hi"}]}`))
	must(t, err)
	_, err = h.Plan(t.Context(), "chatml-json", request)
	must(t, err)
	answer, err := http.Post(daemon.URL+"/dragoman.v1.ChatService/Plan", "application/json",
		strings.NewReader(`{"template": "chatml-tagged", "request": {"messages": [{"role": "user", "content": "Hi"}]}}`))
	must(t, err)
	if answer.Body.Close(); answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a request whose plugin does not start is answered with %s", answer.Status)
	}

	token := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(token, []byte("secret somebody\n"), 0o600))
	code, out, errs := commandLine(t, "", "plugin", "list", "--daemon", daemon.URL, "--token-file", token)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		rows[fields[0]] = fields
	}
	for name, want := range map[string]string{
		"PLUGIN":      "PLUGIN VERSION PROTOCOL STATE PID GENERATION STARTS RESTARTS SESSIONS HANDLER PRIORITY MATCH",
		"functionary": "functionary 1.0.0 1 serving PID 1 1 0 0 functionary 100 source contains",
		"down":        "down 2.0.0 1 failing - - 1 0 0 down 7 false",
	} {
		if row := rows[name]; len(row) > 4 && row[4] != "-" {
			row[4] = "PID"
		}
		if got := strings.Join(rows[name], " "); !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for _, want := range []string{"refused.yaml: refused: ", "refused.yaml: version: missing", "down: its last process: ", "no licence found"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}

	_, out, _ = commandLine(t, "", "plugin", "list", "--json", "--daemon", daemon.URL)
	var told []plugins.State
	must(t, json.Unmarshal([]byte(out), &told))
	if diff := cmp.Diff(h.Plugins(), told); diff != "" {
		t.Errorf("the state in the host (-) and from the daemon (+):\n%s", diff)
	}
	daemon.Close()
	if code, _, errs := commandLine(t, "", "plugin", "list", "--daemon", daemon.URL); code != exitFailed || !strings.Contains(errs, daemon.URL) {
		t.Errorf("without a daemon: exit code %d: %s", code, errs)
	}
}
