package browser

import (
	"bytes"
	"context"
	"flag"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

var (
	browser = flag.String("browser.path", "", "path of Chromium")
	shots   = flag.String("browser.shots", "", "folder to write screenshots to, in place of testing")
)

// web is the folder of the page's sources, with the packages that the scripts need.
const web = "../web"

// TestTheWorkbenchInABrowser runs the scripts, which print what they test.
func TestTheWorkbenchInABrowser(t *testing.T) {
	if *browser == "" {
		t.Skip("run make workbench-test, with Debian's package chromium installed")
	}
	scripts, err := filepath.Glob(filepath.Join(web, "test", "*.test.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if *shots != "" {
		scripts = []string{filepath.Join(web, "test", "shots.mjs")}
	}
	binary := build(t)
	open, guarded := start(t, binary), start(t, binary, "DRAGOMAN_AUTH_TOKENS=boss", "DRAGOMAN_AUTH_CLIENT_TOKENS=client")
	recorded := start(t, binary, "DRAGOMAN_RECORDER_DIR="+t.TempDir())
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"--test", "--test-concurrency=1", "--test-timeout=60000", "--test-force-exit", "--test-reporter=spec"}, scripts...)...)
	cmd.Env = append(os.Environ(), "BROWSER="+*browser, "OPEN="+open, "GUARDED="+guarded, "RECORDED="+recorded, "SHOTS="+*shots)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}

func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "dragoman")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, "../../cmd/host").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// start starts a daemon that lets rules be saved, and returns its address.
func start(t *testing.T, binary string, environ ...string) string {
	t.Helper()
	rules := filepath.Join(t.TempDir(), "workarounds.yaml")
	shipped, err := os.ReadFile("../../workarounds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rules, shipped, 0o600); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	cmd := exec.CommandContext(t.Context(), binary, "serve", "--listen", address, "--replay", "--engines-pace", "2ms", "--workbench-mode", "write",
		"--templates", "testdata/templates", "--workarounds", rules, "--canary-cases", "testdata/cases", "--state-dir", t.TempDir())
	cmd.Env = append(os.Environ(), environ...)
	log := new(logged)
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // it was interrupted
	url := "http://" + address
	for deadline := time.Now().Add(time.Minute); !ready(t.Context(), url); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the daemon does not answer\n%s", log)
		}
	}
	return url
}

func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

func ready(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	return res.Body.Close() == nil && res.StatusCode == http.StatusOK
}

// logged is a log that can be read while it is written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
