package watch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// style is a way of writing files that programs use.
type style struct {
	name  string
	write func(t *testing.T, dir string, content []byte)
}

const name = "rules.yaml"

var styles = []style{
	{"rename over the old file", func(t *testing.T, dir string, content []byte) {
		tmp := filepath.Join(dir, ".rules.yaml.tmp")
		must(t, os.WriteFile(tmp, content, 0o644))
		must(t, os.Rename(tmp, filepath.Join(dir, name)))
	}},
	{"truncate and write", func(t *testing.T, dir string, content []byte) {
		must(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}},
	{"truncate and write in pieces", func(t *testing.T, dir string, content []byte) {
		f, err := os.Create(filepath.Join(dir, name))
		must(t, err)
		for len(content) > 0 {
			n := min(512, len(content))
			_, err := f.Write(content[:n])
			must(t, err)
			content = content[n:]
		}
		must(t, f.Close())
	}},
	{"move away and write anew", func(t *testing.T, dir string, content []byte) {
		path := filepath.Join(dir, name)
		if err := os.Rename(path, path+"~"); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		must(t, os.WriteFile(path, content, 0o644))
	}},
	{"swap a symbolic link", swapLink},
}

// swapLink publishes a content as Kubernetes does a ConfigMap: rules.yaml links to
// ..data/rules.yaml, and ..data to a new directory.
func swapLink(t *testing.T, dir string, content []byte) {
	version, err := os.MkdirTemp(dir, "..v")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(version, name), content, 0o644))
	data := filepath.Join(dir, "..data")
	old, _ := os.Readlink(data)
	must(t, os.Symlink(filepath.Base(version), data+"_tmp"))
	must(t, os.Rename(data+"_tmp", data))
	if old != "" {
		must(t, os.RemoveAll(filepath.Join(dir, old)))
	}
	if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
		must(t, os.Symlink("..data/"+name, filepath.Join(dir, name)))
	}
}

// document returns a content that reveals torn reads: every line carries the number.
func document(n int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("- rule of version %d\n", n), 60) + fmt.Sprintf("end: %d\n", n))
}

// version returns the number of a document and fails the test if the document is torn.
func version(t *testing.T, c Change) int {
	t.Helper()
	_, last, _ := bytes.Cut(c.Data, []byte("\nend: "))
	n, err := strconv.Atoi(strings.TrimSpace(string(last)))
	if err != nil || !bytes.Equal(c.Data, document(n)) || sha256.Sum256(c.Data) != c.SHA256 {
		t.Fatalf("a torn content of %d bytes was reported: %.60q…", len(c.Data), c.Data)
	}
	return n
}

// watcher starts a watcher with short delays that sends its changes to a channel.
func watcher(t *testing.T, o Options) (*Watcher, <-chan Change) {
	t.Helper()
	told := make(chan Change, 100_000)
	if o.Debounce == 0 {
		o.Debounce, o.MaxDelay = 2*time.Millisecond, 20*time.Millisecond
	}
	if o.Quiet == 0 {
		o.Quiet = 30 * time.Millisecond
	}
	if o.Poll == 0 {
		o.Poll = time.Hour
	}
	o.Handle = func(cs []Change) {
		for _, c := range cs {
			told <- c
		}
	}
	w := New(o)
	t.Cleanup(func() { must(t, w.Close()) })
	return w, told
}

func TestEveryWayOfWritingIsSeenByItsEvents(t *testing.T) {
	for _, s := range styles {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			w, told := watcher(t, Options{})
			must(t, w.Add(filepath.Join(dir, name)))
			if first := next(t, told); !first.Removed {
				t.Fatalf("first look at a missing file reported %+v, expected Removed", first)
			}
			for n := range 5 {
				s.write(t, dir, document(n))
				for version(t, next(t, told)) != n {
				}
			}
		})
	}
}

func TestChangesOfUnreadFilesAreReported(t *testing.T) {
	for _, s := range styles {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			w, told := watcher(t, Options{MaxBytes: 1})
			must(t, w.AddDirUnread(dir, name))
			for n := range 5 {
				s.write(t, dir, document(n))
				if c := next(t, told); !c.Unread || c.Data != nil || c.Err != nil || c.Removed {
					t.Fatalf("reported %+v", c)
				}
			}
			trigger(t, w)
			for len(told) > 0 { // one write may have been reported in two steps
				<-told
			}
			trigger(t, w)
			if len(told) > 0 {
				t.Errorf("nothing has changed, but %+v was reported", <-told)
			}
			must(t, os.Remove(filepath.Join(dir, name)))
			if c := next(t, told); !c.Removed {
				t.Errorf("after the file was removed, %+v was reported", c)
			}
		})
	}
}

func TestUnderAStormOfWritesNothingIsTornAndTheLastContentArrives(t *testing.T) {
	shared.Slow(t)
	for _, leases := range []bool{true, false} {
		for _, s := range styles {
			t.Run(fmt.Sprintf("%s, leases %v", s.name, leases), func(t *testing.T) {
				o := Options{}
				if !leases { // without leases a stalled writer looks like one that has finished
					o.lease, o.Quiet = noLease, 500*time.Millisecond
				}
				dir := t.TempDir()
				w, told := watcher(t, o)
				must(t, w.Add(filepath.Join(dir, name)))
				const last = 400
				for n := range last + 1 {
					s.write(t, dir, document(n))
				}
				seen := -1
				for seen != last {
					c := next(t, told)
					if c.Removed || errors.Is(c.Err, ErrEmpty) {
						continue
					}
					n := version(t, c)
					if n < seen {
						t.Fatalf("version %d was reported after %d", n, seen)
					}
					seen = n
				}
			})
		}
	}
}

func TestAFileIsNotReadWhileItsWriterHasItOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, document(1), 0o644))
	w, told := watcher(t, Options{Quiet: time.Hour})
	must(t, w.Add(path))
	trigger(t, w)
	if n := version(t, next(t, told)); n != 1 {
		t.Fatalf("reported version %d, expected 1", n)
	}

	whole := document(2)
	f, err := os.Create(path)
	must(t, err)
	for i, piece := range [][]byte{whole[:420], whole[420:840], whole[840:]} {
		_, err := f.Write(piece)
		must(t, err)
		if i == 2 {
			must(t, f.Close())
			break
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := w.Trigger(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Trigger while the file is half written: %v, expected an exceeded deadline", err)
		}
		cancel()
	}
	trigger(t, w)
	if n := version(t, next(t, told)); n != 2 {
		t.Fatalf("reported version %d, expected 2", n)
	}
	drain(t, told, nil)
}

func TestTriggerReturnsAfterTheChangeIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), name)
	w, told := watcher(t, Options{Debounce: time.Hour, MaxDelay: time.Hour})
	must(t, w.Add(path))
	for n := range 20 {
		must(t, os.WriteFile(path, document(n), 0o644))
		trigger(t, w)
		select {
		case c := <-told:
			if version(t, c) != n {
				t.Fatalf("reported an old version, expected %d", n)
			}
		default:
			t.Fatal("Trigger returned before the change was reported")
		}
	}
}

func TestTheSameContentIsReportedOnce(t *testing.T) {
	dir := t.TempDir()
	w, told := watcher(t, Options{})
	must(t, w.Add(filepath.Join(dir, name)))
	for _, s := range styles[:4] {
		s.write(t, dir, document(7))
		trigger(t, w)
	}
	drain(t, told, []string{"rules.yaml content"})
}

func TestFaultsAndRecoveriesAreReportedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), name)
	w, told := watcher(t, Options{MaxBytes: 4096})
	must(t, w.Add(path))
	steps := []struct {
		what string
		do   func() error
		want string
	}{
		{"a good content", func() error { return os.WriteFile(path, document(1), 0o644) }, "rules.yaml content"},
		{"truncated", func() error { return os.Truncate(path, 0) }, "rules.yaml the file is empty"},
		{"the old content again", func() error { return os.WriteFile(path, document(1), 0o644) }, "rules.yaml content"},
		{"white space only", func() error { return os.WriteFile(path, []byte(" \n\t\n"), 0o644) }, "rules.yaml the file is empty"},
		{"too large", func() error { return os.WriteFile(path, make([]byte, 5000), 0o644) }, "rules.yaml has 5000 bytes; at most 4096 are allowed"},
		{"removed", func() error { return os.Remove(path) }, "rules.yaml removed"},
		{"a directory", func() error { return os.Mkdir(path, 0o755) }, "rules.yaml is a d---------, expected a regular file"},
		{"removed again", func() error { return os.Remove(path) }, "rules.yaml removed"},
		{"back", func() error { return os.WriteFile(path, document(1), 0o644) }, "rules.yaml content"},
	}
	for _, step := range steps {
		must(t, step.do())
		trigger(t, w)
		trigger(t, w)
		t.Log(step.what)
		drain(t, told, []string{step.want})
	}
}

func TestADirectoryReportsMatchingFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "templates")
	w, told := watcher(t, Options{})
	must(t, w.AddDir(dir, "*.jinja"))
	trigger(t, w)
	drain(t, told, []string{"templates there is no such folder"})

	write := func(name, text string) { must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
	must(t, os.Mkdir(dir, 0o755))
	write("a.jinja", "A")
	write("b.jinja", "B")
	write("notes.txt", "no template")
	write(".c.jinja", "an editor's own")
	must(t, os.Mkdir(filepath.Join(dir, "d.jinja"), 0o755))
	trigger(t, w)
	drain(t, told, []string{"templates is fine", "a.jinja content", "b.jinja content"})

	write("a.jinja", "A2")
	must(t, os.Remove(filepath.Join(dir, "b.jinja")))
	trigger(t, w)
	drain(t, told, []string{"a.jinja content", "b.jinja removed"})

	write("b.jinja", "B")
	trigger(t, w)
	drain(t, told, []string{"b.jinja content"})
}

// TestFilesOutliveTheirDirectory removes a directory, as an unmount does, and restores it with
// fewer files.
func TestFilesOutliveTheirDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "templates")
	write := func(names ...string) {
		t.Helper()
		must(t, os.MkdirAll(dir, 0o755))
		for _, name := range names {
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
		}
	}
	write("a.jinja", "b.jinja")
	w, told := watcher(t, Options{Quiet: 500 * time.Millisecond})
	must(t, w.AddDir(dir, "*.jinja"))
	trigger(t, w)
	drain(t, told, []string{"a.jinja content", "b.jinja content"})

	must(t, os.RemoveAll(dir))
	trigger(t, w)
	trigger(t, w)
	drain(t, told, []string{"templates there is no such folder"})
	write("a.jinja")
	trigger(t, w)
	drain(t, told, []string{"templates is fine", "b.jinja removed"})

	must(t, os.RemoveAll(dir))
	write("a.jinja", "c.jinja") // at once, so its absence need not be reported
	trigger(t, w)
	drain(t, told, []string{"c.jinja content"})
}

func TestTriggerNamesWhatIsStillBeingWritten(t *testing.T) {
	shared.Slow(t)
	path := filepath.Join(t.TempDir(), name)
	w, _ := watcher(t, Options{Quiet: time.Hour})
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	_, err = f.WriteString("half")
	must(t, err)
	must(t, w.Add(path))
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if err := w.Trigger(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, expected one that names the file", err)
		}
		cancel()
	}
	must(t, w.Close())
	if n := len(w.loop.waiting); n > 1 {
		t.Errorf("%d callers that have given up are still waiting", n)
	}
}

func TestADirectoryThatIsReplacedIsFollowed(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "conf")
	path := filepath.Join(dir, name)
	w, told := watcher(t, Options{})
	must(t, w.Add(path))
	next(t, told) // missing
	for n := range 3 {
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(path, document(n), 0o644))
		if got := version(t, next(t, told)); got != n {
			t.Fatalf("reported version %d, expected %d", got, n)
		}
		must(t, os.RemoveAll(dir))
		if c := next(t, told); !c.Removed {
			t.Fatalf("reported %+v after the directory was removed, expected Removed", c)
		}
	}
	for n := range 3 {
		other := filepath.Join(root, "next")
		must(t, os.Mkdir(other, 0o755))
		must(t, os.WriteFile(filepath.Join(other, name), document(n), 0o644))
		_ = os.Rename(dir, filepath.Join(root, fmt.Sprintf("old%d", n)))
		must(t, os.Rename(other, dir))
		if got := version(t, next(t, told)); got != n {
			t.Fatalf("reported version %d, expected %d", got, n)
		}
		must(t, os.WriteFile(path, document(n+10), 0o644))
		if got := version(t, next(t, told)); got != n+10 {
			t.Fatalf("reported version %d, expected %d", got, n+10)
		}
	}
}

func TestChangesBehindALinkedDirectoryAreSeen(t *testing.T) {
	root := t.TempDir()
	for _, d := range []string{"v1", "v2", "etc"} {
		must(t, os.Mkdir(filepath.Join(root, d), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(root, "v1", name), document(1), 0o644))
	must(t, os.WriteFile(filepath.Join(root, "v2", name), document(2), 0o644))
	link := filepath.Join(root, "etc", "current")
	must(t, os.Symlink("../v1", link))
	w, told := watcher(t, Options{})
	must(t, w.AddDir(link, "*.yaml"))
	expect := func(n int) {
		t.Helper()
		if got := version(t, next(t, told)); got != n {
			t.Fatalf("reported version %d, expected %d", got, n)
		}
	}
	expect(1)
	must(t, os.WriteFile(filepath.Join(root, "v1", name), document(3), 0o644))
	expect(3)
	must(t, os.Symlink("../v2", link+".tmp"))
	must(t, os.Rename(link+".tmp", link))
	expect(2)
	must(t, os.WriteFile(filepath.Join(root, "v2", name), document(4), 0o644))
	expect(4)
}

func TestPollingSeesWhatNoEventReports(t *testing.T) {
	root := t.TempDir()
	for n, d := range []string{"a", "z"} {
		must(t, os.MkdirAll(filepath.Join(root, d, "b"), 0o755))
		must(t, os.WriteFile(filepath.Join(root, d, "b", name), document(n), 0o644))
	}
	w, told := watcher(t, Options{Poll: 10 * time.Millisecond})
	must(t, w.Add(filepath.Join(root, "a", "b", name)))
	if n := version(t, next(t, told)); n != 0 {
		t.Fatalf("reported version %d, expected 0", n)
	}
	// The watch is on b, and nothing happens in b when the directory above it is replaced.
	must(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "y")))
	must(t, os.Rename(filepath.Join(root, "z"), filepath.Join(root, "a")))
	for {
		if c := next(t, told); !c.Removed && version(t, c) == 1 {
			return
		}
	}
}

func TestWithoutEventsChangesAreSeenByPolling(t *testing.T) {
	dir := t.TempDir()
	none := func() (*fsnotify.Watcher, error) { return nil, errors.New("too many open files") }
	w, told := watcher(t, Options{Poll: 10 * time.Millisecond, events: none})
	if err := w.Blind(); err == nil || !strings.Contains(err.Error(), "too many open files") || !strings.Contains(err.Error(), "10ms") {
		t.Errorf("Blind returned %v, expected why it polls and how often", err)
	}
	must(t, w.Add(filepath.Join(dir, name)))
	for n := range 3 {
		must(t, os.WriteFile(filepath.Join(dir, name), document(n), 0o644))
		for {
			if c := next(t, told); !c.Removed && version(t, c) == n {
				break
			}
		}
	}
}

func TestAFileWithSeveralSourcesIsReportedOnce(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, name), document(1), 0o644))
	w, told := watcher(t, Options{})
	must(t, w.Add(filepath.Join(dir, name)))
	must(t, w.AddDir(dir, "*.yaml"))
	must(t, w.AddDir(dir, "*.yaml"))
	trigger(t, w)
	drain(t, told, []string{"rules.yaml content"})
}

func TestAClosedWatcherReturnsErrClosed(t *testing.T) {
	w := New(Options{})
	must(t, w.Close())
	must(t, w.Close())
	if err := w.Add("x"); !errors.Is(err, ErrClosed) {
		t.Errorf("Add: %v, expected ErrClosed", err)
	}
	if err := w.Trigger(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Trigger: %v, expected ErrClosed", err)
	}
}

func TestABadPatternIsRefused(t *testing.T) {
	w, _ := watcher(t, Options{})
	for _, glob := range []string{"", "[", "a[b"} {
		if err := w.AddDir(t.TempDir(), glob); err == nil {
			t.Errorf("AddDir with the pattern %q: no error", glob)
		}
	}
}

func noLease(*os.File) (writers, func()) { return unknown, func() {} }

func trigger(t *testing.T, w *Watcher) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	must(t, w.Trigger(ctx))
}

func next(t *testing.T, told <-chan Change) Change {
	t.Helper()
	select {
	case c := <-told:
		return c
	case <-time.After(10 * time.Second):
		t.Fatal("no change was reported")
		return Change{}
	}
}

// drain compares the changes reported so far with want: names, each with "content", "removed" or
// the beginning of an error.
func drain(t *testing.T, told <-chan Change, want []string) {
	t.Helper()
	for i := 0; ; i++ {
		var got string
		select {
		case c := <-told:
			got = describe(c)
		default:
			if i < len(want) {
				t.Fatalf("%d changes were reported, then expected %q", i, want[i])
			}
			return
		}
		if i >= len(want) || !strings.HasPrefix(got, want[i]) {
			t.Fatalf("reported %q as change %d, expected %q", got, i, want)
		}
	}
}

func describe(c Change) string {
	base := filepath.Base(c.Path) + " "
	switch {
	case c.Err != nil:
		return base + strings.TrimPrefix(c.Err.Error(), c.Path+": ")
	case c.Removed:
		return base + "removed"
	case c.Data == nil:
		return base + "is fine"
	default:
		return base + "content"
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
