package host_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// rule returns a file of workarounds that sets the reasoning markers to name.
func rule(name string) string {
	return `version: 1
workarounds:
  - name: reasoning
    because: the test says so
    when: name == "chatml-json"
    set:
      reasoning: {mode: tag_based, start: "<` + name + `>", end: "</` + name + `>"}
`
}

const twoMarkers = "<first>one</first><second>two</second>"

// writers lists the ways in which people and programs replace a file that is in use.
var writers = []struct {
	name  string
	write func(t *testing.T, path, content string)
}{
	{"rename over it, as editors do", func(t *testing.T, path, content string) {
		must(t, os.WriteFile(path+".new", []byte(content), 0o644))
		must(t, os.Rename(path+".new", path))
	}},
	{"truncate and write, as cp does", func(t *testing.T, path, content string) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		must(t, err)
		for _, part := range strings.SplitAfter(content, "\n") {
			_, err := f.WriteString(part)
			must(t, err)
		}
		must(t, f.Close())
	}},
	{"swap the symlink of its folder, as Kubernetes does", func(t *testing.T, path, content string) {
		root := filepath.Dir(path)
		next, err := os.MkdirTemp(root, "..version")
		must(t, err)
		must(t, os.WriteFile(filepath.Join(next, "rules"), []byte(content), 0o644))
		must(t, os.Symlink(filepath.Base(next), filepath.Join(root, "..tmp")))
		must(t, os.Rename(filepath.Join(root, "..tmp"), filepath.Join(root, "..data")))
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return
		}
		must(t, os.Symlink(filepath.Join("..data", "rules"), path+".link"))
		must(t, os.Rename(path+".link", path))
	}},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits until a condition holds, and fails the test after 20 seconds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("timed out waiting for: %s", what)
		case <-tick.C:
		}
	}
}

func TestEditedWorkaroundsAreFollowedByNewSessionsOnly(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "workarounds.yaml")
			must(t, os.WriteFile(path, []byte(rule("first")), 0o644))
			h := start(t, func(c *config.Config) { c.Workarounds.File = path })
			req := request(t, `{"messages": [{"role": "user", "content": "Hi"}]}`)
			before := plan(t, h, "chatml-json", req)
			running := before.Session(context.Background(), session.Options{})
			feed(t, running, twoMarkers[:10])

			w.write(t, path, rule("second"))
			until(t, "the second rules in force", func() bool { return h.Snapshot().Generation > before.Generation })

			feed(t, running, twoMarkers[10:])
			if got, want := show(finish(t, running).Message), `reasoning "one" content "<second>two</second>"`; got != want {
				t.Errorf("the running session: %s, want %s", got, want)
			}
			after := plan(t, h, "chatml-json", req)
			if got, want := show(parse(t, after, "<second>two</second>text").Message), `reasoning "two" content "text"`; got != want {
				t.Errorf("a new session: %s, want %s", got, want)
			}
		})
	}
}

func finish(t testing.TB, s *host.Session) session.Result {
	t.Helper()
	r, err := s.Finish(false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func feed(t *testing.T, s *host.Session, text string) {
	t.Helper()
	_, err := s.Feed([]byte(text))
	must(t, err)
}

func TestABrokenFileChangesNothingAndShowsInTheStatus(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"not YAML", "version: [", "workarounds.yaml:"},
		{"an unknown key", strings.Replace(rule("x"), "because", "becuase", 1), "becuase"},
		{"a condition that does not compile", strings.Replace(rule("x"), `name == "chatml-json"`, "nonsense ==", 1), "workarounds.yaml:5:"},
		{"nothing in it", "", "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "workarounds.yaml")
			must(t, os.WriteFile(path, []byte(rule("first")), 0o644))
			h := start(t, func(c *config.Config) { c.Workarounds.File = path })
			generation, hash := h.Snapshot().Generation, h.Snapshot().Rules.Hash()

			must(t, os.WriteFile(path, []byte(tt.content), 0o644))
			until(t, "an error in the status", func() bool { return lastError(h) != "" })
			if got := lastError(h); !strings.Contains(got, tt.want) {
				t.Errorf("the status says %q, want one with %q", got, tt.want)
			}
			if s := h.Snapshot(); s.Generation != generation || s.Rules.Hash() != hash {
				t.Error("the snapshot in force has changed")
			}

			must(t, os.WriteFile(path, []byte(rule("second")), 0o644))
			until(t, "the corrected file in force", func() bool { return lastError(h) == "" && h.Snapshot().Generation > generation })
		})
	}
}

// lastError returns the last error of the workarounds, as the status has it.
func lastError(h *host.Host) string {
	for _, s := range h.Status(context.Background()).Sources {
		if s.Name == "workarounds" {
			return s.LastError
		}
	}
	return "no such source"
}

func TestAHostDoesNotStartOnABrokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workarounds.yaml")
	must(t, os.WriteFile(path, []byte("version: 7"), 0o644))
	cfg := config.Default()
	cfg.Workarounds.File = path
	_, err := host.New(context.Background(), host.Options{Config: cfg})
	if err == nil || !strings.Contains(err.Error(), "workarounds.yaml:1:") {
		t.Errorf("error %v, want one with the position in the file", err)
	}
}

func TestTemplatesOfAFolderAreAddedChangedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.jinja")
	must(t, os.WriteFile(path, []byte("one"), 0o644))
	h := start(t, func(c *config.Config) { c.Templates.Dir = dir })
	req := request(t, `{"messages": [{"role": "user", "content": "Hi"}]}`)
	prompt := func() string {
		p, err := h.Plan(context.Background(), "mine", req)
		if err != nil {
			return string(host.CodeOf(err))
		}
		return p.Plan.Prompt
	}
	if got := prompt(); got != "one" {
		t.Fatalf("at the start: %q", got)
	}
	must(t, os.WriteFile(path, []byte("two"), 0o644))
	until(t, "the changed template", func() bool { return prompt() == "two" })
	must(t, os.WriteFile(path, []byte("{% broken"), 0o644))
	until(t, "the fault in the status", func() bool { return h.Reload(context.Background()) != nil })
	if got := prompt(); got != "two" {
		t.Errorf("while the file is broken: %q, want the last good one", got)
	}
	must(t, os.Remove(path))
	until(t, "the template gone", func() bool { return prompt() == string(host.NotFound) })
}

func TestABrokenTemplateIsReportedUntilItIsRepaired(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, name+".jinja"), []byte(content), 0o644))
	}
	write("never", "{% for %}")
	write("once", "one")
	h := start(t, func(c *config.Config) { c.Templates.Dir = dir })
	want := func(files ...string) {
		t.Helper()
		_ = h.Reload(context.Background()) // the status has its error, too
		for _, s := range h.Status(context.Background()).Sources {
			var faulty []string
			for _, f := range s.Faults {
				faulty = append(faulty, strings.TrimSuffix(filepath.Base(f.Path), ".jinja"))
				if f.Error == "" || !strings.Contains(s.LastError, f.Error) {
					t.Errorf("the fault of %s is %q; the source says %q", f.Path, f.Error, s.LastError)
				}
			}
			if s.Name == "templates" && !slices.Equal(faulty, files) {
				t.Errorf("faulty files %q, want %q", faulty, files)
			}
			if s.Name == "templates" && len(files) == 0 && s.LastError != "" {
				t.Errorf("no file is faulty, but the last error is %q", s.LastError)
			}
		}
	}
	want("never")
	write("once", "{% broken")
	want("never", "once")
	write("other", "fine")
	want("never", "once")
	write("once", "one") // as it was at first
	want("never")
	write("never", "{% if %}") // still broken, differently
	want("never")
	must(t, os.Remove(filepath.Join(dir, "never.jinja")))
	want()
}

func TestAChangedConfigurationAppliesWhereNoRestartIsNeeded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.yaml")
	must(t, os.WriteFile(path, []byte("limits: {output_bytes: 100}\n"), 0o644))
	load := func(data []byte) (*config.Config, error) {
		return config.Load(config.Sources{File: path, Data: data})
	}
	cfg, err := load(nil)
	must(t, err)
	h, err := host.New(context.Background(), host.Options{Config: cfg, ConfigFile: path, LoadConfig: load})
	must(t, err)
	t.Cleanup(func() { must(t, h.Close(context.Background())) })

	must(t, os.WriteFile(path, []byte("limits: {output_bytes: 200}\nlisten: {address: \"127.0.0.1:9999\"}\n"), 0o644))
	until(t, "the new limit", func() bool { return h.Snapshot().Config.Limits.OutputBytes == 200 })
	if got := h.Snapshot().Config.Listen.Address; got != cfg.Listen.Address {
		t.Errorf("the address in force is %s, want %s until a restart", got, cfg.Listen.Address)
	}
	must(t, os.WriteFile(path, []byte("limits: {output_bytes: many}\n"), 0o644))
	until(t, "the fault in the status", func() bool {
		for _, s := range h.Status(context.Background()).Sources {
			if s.Name == "config" && strings.Contains(s.LastError, "host.yaml:1:") {
				return true
			}
		}
		return false
	})
	if got := h.Snapshot().Config.Limits.OutputBytes; got != 200 {
		t.Errorf("the limit in force is %d, want 200", got)
	}
}
