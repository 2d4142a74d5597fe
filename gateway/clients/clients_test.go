package clients

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var folder = flag.String("clients.folder", "", "folder where the clients are installed; see make clients")

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

// daemon builds and starts a daemon that plays recordings, and returns its URL and log.
func daemon(t *testing.T) (url string, log *logged) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "dragoman")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../cmd/host").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	log = new(logged)
	cmd := exec.CommandContext(t.Context(), binary, "serve", "--replay", "--engines-pace", "2ms", "--listen", address, "--engines-store-path", filepath.Join(t.TempDir(), "store"))
	cmd.Env = append(os.Environ(), "DRAGOMAN_AUTH_CLIENT_TOKENS=key")
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	url = "http://" + address
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if res, err := http.Get(url + "/readyz"); err == nil {
			_ = res.Body.Close()
			return url, log
		} else if time.Now().After(deadline) {
			t.Fatalf("%v\n%s", err, log)
		}
	}
}

func TestClients(t *testing.T) {
	if *folder == "" {
		t.Skip("run make clients, which installs the clients")
	}
	url, log := daemon(t)
	for _, program := range []string{"openai.mjs", "ai.mjs", "responses.mjs", "anthropic.mjs", "ai-anthropic.mjs"} {
		t.Run(program, func(t *testing.T) { drive(t, script(t, program, url+"/v1")) })
	}
	t.Run("go", func(t *testing.T) {
		drive(t, exec.CommandContext(t.Context(), "go", "-C", "testdata/go", "run", ".", url+"/v1", "key"))
	})
	for deadline := time.Now().Add(time.Minute); !strings.Contains(log.String(), "code=canceled"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the output that was given up has not ended:\n%s", log)
		}
	}
}

// script returns the command that runs a program for node.
func script(t *testing.T, program, url string) *exec.Cmd {
	t.Helper()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(*folder, program) // beside its modules
	write(t, path, string(text))
	return exec.CommandContext(t.Context(), "node", path, url, "key")
}

// drive runs a program that uses a client.
func drive(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); n++ {
		var result struct{ Name, Error string }
		if err := json.Unmarshal(lines.Bytes(), &result); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		t.Run(result.Name, func(t *testing.T) {
			if result.Error != "" {
				t.Error(result.Error)
			}
		})
	}
	if err != nil || n == 0 {
		t.Errorf("%v after %d tests\n%s", err, n, &faults)
	}
}
