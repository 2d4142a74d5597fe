package main

import (
	"context"
	"encoding/pem"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheStatusShowsWhatIsInForceAndWhatIsNot(t *testing.T) {
	dir := t.TempDir()
	rules := file(t, dir, "rules.yaml", thoughtRule("one"))
	daemon := startServe(t, "--workarounds", rules)
	status := func() string {
		_, out, errs := commandLine(t, "", "status", "--daemon", daemon)
		return out + errs
	}
	if got := status(); !strings.Contains(got, rules) || !strings.Contains(got, "  in force\n") || !strings.Contains(got, " templates: ") {
		t.Error(got)
	}
	file(t, dir, "rules.yaml", "version: 3\n")
	if code, out, errs := commandLine(t, "", "reload", "--daemon", daemon); code != exitFailed || !strings.Contains(errs, "rules.yaml:1:1") {
		t.Errorf("reload of a faulty file: exit code %d:\n%s%s", code, out, errs)
	}
	if got := status(); !strings.Contains(got, "  refused\n") || !strings.Contains(got, "rules.yaml: refused: ") {
		t.Error(got)
	}
	file(t, dir, "rules.yaml", thoughtRule("two"))
	if code, out, errs := commandLine(t, "", "reload", "--daemon", daemon); code != exitOK || !strings.HasSuffix(out, " is in force\n") {
		t.Errorf("reload: exit code %d:\n%s%s", code, out, errs)
	}
	if _, out, _ := commandLine(t, "", "rollback", "--daemon", daemon); !strings.Contains(out, "held back") {
		t.Error(out)
	}
	if got := status(); !strings.Contains(got, "  held back: ") {
		t.Error(got)
	}
}

// TestAWatchedStatusIsShownWhenItChanges changes the rules of a daemon while its status is watched.
func TestAWatchedStatusIsShownWhenItChanges(t *testing.T) {
	dir := t.TempDir()
	rules := file(t, dir, "rules.yaml", thoughtRule("one"))
	daemon := startServe(t, "--workarounds", rules)
	ctx, interrupt := context.WithCancel(t.Context())
	out, ended := new(lockedBuffer), make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"status", "--watch", "--every", "5ms", "--daemon", daemon}, strings.NewReader(""), out, io.Discard)
	}()
	shown := func(n int) {
		t.Helper()
		for began := time.Now(); strings.Count(out.String(), "generation") < n; time.Sleep(time.Millisecond) {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("not shown %d times:\n%s", n, out.String())
			}
		}
	}
	shown(1)
	file(t, dir, "rules.yaml", thoughtRule("two"))
	shown(2)
	interrupt()
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if n := strings.Count(out.String(), "generation"); n > 3 { // the change, and perhaps what is learned after it
		t.Errorf("shown %d times:\n%s", n, out.String())
	}
}

func TestCommandsTrustTheAuthoritiesThatTheyAreGiven(t *testing.T) {
	surface := guarded(t)
	daemon, plain := httptest.NewTLSServer(surface), httptest.NewServer(surface)
	t.Cleanup(daemon.Close)
	t.Cleanup(plain.Close)
	dir := t.TempDir()
	ca, empty := filepath.Join(dir, "ca.pem"), file(t, dir, "empty.pem", "none")
	must(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: daemon.Certificate().Raw}), 0o600))
	for _, test := range []struct {
		url, ca, want string
	}{
		{daemon.URL, ca, "  start\n"},
		{daemon.URL, empty, "--ca: " + empty + " has no certificate in PEM"},
		{daemon.URL, "nowhere", "--ca: open nowhere: no such file"},
		{daemon.URL, "", "; name the certificate that signs the daemon's with --ca\n"},
		{strings.Replace(daemon.URL, "127.0.0.1", "localhost", 1), ca, "; name the daemon with --daemon as its certificate does\n"},
		{strings.Replace(daemon.URL, "https", "http", 1), "", "; if it speaks TLS, name it with https://\n"},
		{strings.Replace(plain.URL, "http", "https", 1), "", "; it speaks plain HTTP: name it with http://\n"},
	} {
		_, out, errs := commandLine(t, "", "history", "--token", "sesame", "--daemon", test.url, "--ca", test.ca)
		if !strings.Contains(out+errs, test.want) {
			t.Errorf("%s with --ca %q: %s%s, want %q", test.url, test.ca, out, errs, test.want)
		}
	}
}
