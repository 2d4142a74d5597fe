package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
)

// guarded returns the API of a daemon that accepts one token.
func guarded(t *testing.T) http.Handler {
	t.Helper()
	cfg := config.Default()
	cfg.Auth.Tokens = []string{"sesame"}
	secrets, err := api.NewSecrets(cfg)
	must(t, err)
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
	must(t, err)
	t.Cleanup(func() { must(t, h.Close(t.Context())) })
	return api.New(h, api.Options{Secrets: secrets})
}

// TestCommandsReachDaemons calls a daemon over TCP and over a socket, with and without its token, and a server that is no daemon.
func TestCommandsReachDaemons(t *testing.T) {
	dir := t.TempDir()
	socket, token, empty := filepath.Join(dir, "socket"), filepath.Join(dir, "token"), filepath.Join(dir, "empty")
	must(t, os.WriteFile(token, []byte("sesame the operator\n"), 0o600))
	must(t, os.WriteFile(empty, nil, 0o600))
	surface := guarded(t)
	daemon, other := httptest.NewServer(surface), httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(daemon.Close)
	t.Cleanup(other.Close)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	must(t, err)
	atSocket := &httptest.Server{Listener: listener, Config: &http.Server{Handler: surface}}
	atSocket.Start()
	t.Cleanup(atSocket.Close)
	for _, test := range []struct {
		line, token string
		code        int
		out, errs   string
	}{
		{line: "history --daemon " + daemon.URL + " --token sesame", out: "  start\n"},
		{line: "history --daemon " + daemon.URL, token: "sesame", out: "  start\n"},
		{line: "history --daemon unix:" + socket + " --token-file " + token, token: "wrong", out: "  start\n"},
		{line: "history --json --daemon " + daemon.URL + "/ --token sesame", out: `"in_force"`},
		{line: "plugin list --json --daemon " + daemon.URL + " --token sesame", out: "[]\n"},
		{line: "history --daemon " + daemon.URL + " --token wrong", code: exitFailed, errs: "unauthenticated: "},
		{line: "rollback --daemon " + daemon.URL, code: exitFailed, errs: "; give it with --token or --token-file\n"},
		{line: "history --daemon " + daemon.URL + " --token-file " + empty, code: exitFailed, errs: "dragoman: --token-file: " + empty + " has no token"},
		{line: "history --daemon " + other.URL, code: exitFailed, errs: "; is this a daemon of this version? --daemon names another\n"},
		{line: "history --daemon unix:" + token, code: exitFailed, errs: "; start the daemon, or name another with --daemon\n"},
	} {
		t.Run(test.line, func(t *testing.T) {
			t.Setenv(envToken, test.token)
			code, out, errs := commandLine(t, "", strings.Fields(test.line)...)
			if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(errs, test.errs) || errs != "" && test.errs == "" {
				t.Errorf("exit code %d, want %d:\n%s%s", code, test.code, out, errs)
			}
		})
	}
}

// TestVariablesForCommandsAreNoSettings runs commands that read settings while the variables that choose a daemon are set.
func TestVariablesForCommandsAreNoSettings(t *testing.T) {
	t.Setenv(envDaemon, "http://127.0.0.1:9")
	t.Setenv(envToken, "sesame")
	if code, out, errs := commandLine(t, "", "config", "show"); code != exitOK || strings.Contains(out, "sesame") {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
	t.Setenv("DRAGOMAN_DEMON", "x")
	if code, _, errs := commandLine(t, "", "config", "show"); code != exitFailed || !strings.Contains(errs, "DRAGOMAN_DEMON: unknown setting") {
		t.Errorf("a misspelt one: exit code %d: %s", code, errs)
	}
}
