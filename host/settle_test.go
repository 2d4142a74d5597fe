package host

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/config"
)

// keepWriting appends to a file, as to a log, until the test ends.
func keepWriting(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		defer f.Close()
		for tick := time.Tick(time.Millisecond); ; <-tick {
			select {
			case <-stop:
				return
			default:
				_, _ = f.WriteString("a line\n")
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}

func TestAFileThatIsAlwaysBeingWrittenHoldsNothingUp(t *testing.T) {
	dir := t.TempDir()
	keepWriting(t, filepath.Join(dir, "plugin.log"))
	if err := os.WriteFile(filepath.Join(dir, "one.jinja"), []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Plugins.Dir, cfg.Templates.Dir = dir, dir
	h, err := New(context.Background(), Options{Config: cfg, settle: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	if _, err := h.Learned(context.Background(), "one"); err != nil {
		t.Errorf("the template beside the log: %v", err)
	}
	if err := h.Reload(context.Background()); CodeOf(err) != Unavailable || !strings.Contains(err.Error(), "plugin.log") {
		t.Errorf("reload: %v, want an error that names the file being written", err)
	}
}

func TestAHostDoesNotStartOnAFileThatIsHalfWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workarounds.yaml")
	keepWriting(t, path)
	cfg := config.Default()
	cfg.Workarounds.File = path
	_, err := New(context.Background(), Options{Config: cfg, settle: 100 * time.Millisecond})
	if CodeOf(err) != Unavailable || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// TestFilesThatBelongTogetherArriveOneByOne changes the first of a pair while the second cannot be
// read.
func TestFilesThatBelongTogetherArriveOneByOne(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	write := func(path, content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(cert, "1")
	write(key, "1")
	held := map[string]string{}
	apply := func(changed map[string][]byte) error {
		for path, content := range changed {
			held[path] = string(content)
		}
		return nil
	}
	h, err := New(context.Background(), Options{Config: config.Default(), Files: []File{{Name: "pair", Paths: []string{cert, key}, Apply: apply}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	write(cert, "2")
	write(key, "")
	if err := h.Reload(context.Background()); err == nil || !strings.Contains(err.Error(), "key: the file is empty") {
		t.Errorf("with an empty key: %v", err)
	}
	write(key, "2")
	if err := h.Reload(context.Background()); err != nil {
		t.Error(err)
	}
	if held[cert] != "2" || held[key] != "2" {
		t.Errorf("applied %v, want version 2 of both", held)
	}
}
