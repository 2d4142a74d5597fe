package plugins

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// rogue is the path of the built test plugin.
var rogue string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if os.Getenv("ORPHANS_DIR") != "" {
			return m.Run()
		}
		dir, err := os.MkdirTemp("", "rogue")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		rogue = filepath.Join(dir, "rogue")
		build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", rogue, "./testdata/rogue")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		code := m.Run()
		if err := goleak.Find(); code == 0 && err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// bench is a manager with its own plugin directory.
type bench struct {
	*Manager
	t    *testing.T
	dir  string
	logs *logs
}

// logs collects log output.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newBench(t *testing.T, o Options) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), logs: new(logs)}
	run, err := os.MkdirTemp("", "run")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	if err := os.Chmod(run, 0o711); err != nil { // like a system's temporary directory, which every user may traverse
		t.Fatal(err)
	}
	o.RunDir = run
	o.Logger = slog.New(slog.NewTextHandler(b.logs, nil))
	if b.Manager, err = New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(run); err != nil || len(left) > 0 {
			t.Errorf("the run directory is left behind: %v, %v", left, err)
		}
	})
	return b
}

// install writes an executable and its manifest in place, as cp does.
func (b *bench) install(name, manifest string, options map[string]any) {
	b.t.Helper()
	data, err := os.ReadFile(rogue)
	if err != nil {
		b.t.Fatal(err)
	}
	// A new file each time: the previous one may be running from a link to it.
	path := filepath.Join(b.dir, name)
	_ = os.Remove(path)
	writeExecutable(b.t, path, data)
	b.manifest(name, manifest, options)
}

// writeExecutable writes a file while no other test forks, because a forked child would briefly
// have it open.
func writeExecutable(t *testing.T, path string, data []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) manifest(name, manifest string, options map[string]any) {
	b.t.Helper()
	if manifest == "" {
		manifest = fmt.Sprintf("name: %s\nversion: 1.0.0\nprotocol: 1\nmatch: \"true\"\n", name)
		if options == nil {
			options = map[string]any{}
		}
		if options["Handlers"] == nil {
			options["Handlers"] = []string{name}
		}
	}
	if options != nil {
		text, err := json.Marshal(options)
		if err != nil {
			b.t.Fatal(err)
		}
		manifest += "options: " + string(text) + "\n"
	}
	if err := os.WriteFile(filepath.Join(b.dir, name+".yaml"), []byte(manifest), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// confined installs the plugin with additional keys in its manifest.
func (b *bench) confined(keys string, options map[string]any) {
	b.t.Helper()
	b.install("rogue", "name: rogue\nversion: 1.0.0\nprotocol: 1\nmatch: \"true\"\n"+keys+"\n", options)
}

func (b *bench) load() {
	b.t.Helper()
	if err := b.Load(b.dir); err != nil {
		b.t.Fatal(err)
	}
}

// one installs and loads a single plugin and returns its handler.
func one(t *testing.T, o Options, options map[string]any) (*bench, handler.Handler) {
	t.Helper()
	b := newBench(t, o)
	b.install("rogue", "", options)
	b.load()
	return b, b.handler("rogue")
}

func (b *bench) handler(name string) handler.Handler {
	b.t.Helper()
	h, ok := b.Handler(name)
	if !ok {
		b.t.Fatalf("no handler %s", name)
	}
	return h
}

func (b *bench) state(name string) State {
	b.t.Helper()
	for _, s := range b.Status() {
		if s.Name == name {
			return s
		}
	}
	b.t.Fatalf("no plugin %s in %+v", name, b.Status())
	return State{}
}

func input() handler.Input {
	return handler.Input{
		Template: handler.Template{Name: "t", Source: "{{ messages }}"},
		Request:  &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Content: chat.TextContent("Hi")}}},
	}
}

// pid requests a plan and returns the process that answered.
func pid(t *testing.T, h handler.Handler) int {
	t.Helper()
	plan, err := h.Plan(t.Context(), input())
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(plan.Notes[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// declined requests a plan and returns the reason for declining.
func declined(t *testing.T, h handler.Handler) string {
	t.Helper()
	_, err := h.Plan(t.Context(), input())
	var d *handler.Declined
	if !errors.As(err, &d) {
		t.Fatalf("expected a decline, got %v", err)
	}
	return d.Reason
}

func wantError[E error](t *testing.T, err error, text string) {
	t.Helper()
	var e E
	if !errors.As(err, &e) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %T %v, expected a %T with %q", err, err, e, text)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 500 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("timed out waiting until %s", what)
}

func facts(name string) *workaround.Facts {
	return &workaround.Facts{Name: name, Source: "{{ messages }}"}
}
