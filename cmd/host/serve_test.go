package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/config"
)

// TestTheDaemonServesUntilItIsStopped starts the daemon, calls it, and stops it.
func TestTheDaemonServesUntilItIsStopped(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	var log bytes.Buffer
	go func() {
		ended <- run(ctx, []string{"serve", "--listen", "unix:" + socket, "--log-level", "info", "--log-format", "json"}, nil, io.Discard, &log)
	}()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	if body := get(t, client, "http://host/healthz"); body != "ok\n" {
		t.Errorf("it says %q", body)
	}
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for _, part := range []string{`"msg":"listening"`, `"msg":"shutting down"`} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %s:\n%s", part, log.String())
		}
	}
}

func TestTheLevelOfTheLogFollowsTheConfiguration(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	file := write(t, "log: {level: warn}\n")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	var log lockedBuffer
	go func() {
		ended <- run(ctx, []string{"serve", "--listen", "unix:" + socket, "--config", file}, nil, io.Discard, &log)
	}()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	get(t, client, "http://host/healthz")
	if text := log.String(); text != "" {
		t.Errorf("at warn it logs\n%s", text)
	}
	if err := os.WriteFile(file, []byte("log: {level: debug}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(log.String(), "method=/healthz") { // probes are logged at debug only
		get(t, client, "http://host/healthz")
	}
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer // not embedded: its ReadFrom does not lock
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// get sends a request until there is a response.
func get(t testing.TB, client *http.Client, url string) string {
	t.Helper()
	for {
		res, err := client.Get(url)
		if err != nil {
			select {
			case <-t.Context().Done():
				t.Fatal(err)
			case <-time.After(10 * time.Millisecond):
				continue
			}
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
}

// TestAHangupWhileTheDaemonStartsReloads sends SIGHUP before there is anything to reload.
func TestAHangupWhileTheDaemonStartsReloads(t *testing.T) {
	cfg := config.Default()
	cfg.Listen.Address = "unix:" + filepath.Join(t.TempDir(), "s")
	ctx, stop := context.WithCancel(t.Context())
	var log lockedBuffer
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, &log, "", func([]byte) (*config.Config, error) {
			return cfg, syscall.Kill(os.Getpid(), syscall.SIGHUP)
		})
	}()
	for !strings.Contains(log.String(), "reloading at SIGHUP") {
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v\n%s", err, log.String())
		case <-time.After(time.Millisecond):
		}
	}
	stop()
	must(t, <-ended)
}

func TestInvalidSettingsStopTheDaemonAtOnce(t *testing.T) {
	for line, want := range map[string]string{
		"serve --config nowhere.yaml":       "nowhere.yaml",
		"serve --workarounds nowhere.yaml":  "nowhere.yaml",
		"serve --templates nowhere":         "--templates: templates.dir: stat nowhere",
		"serve --plugins nowhere":           "--plugins: plugins.dir: stat nowhere",
		"serve --plugins main.go":           "expected a folder",
		"serve --listen unix:/nowhere/sock": "cannot listen on unix:/nowhere/sock",
	} {
		code, _, errs := commandLine(t, "", strings.Fields(line)...)
		if code != exitFailed || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d and told\n%s\nwant %q", line, code, errs, want)
		}
	}
}
