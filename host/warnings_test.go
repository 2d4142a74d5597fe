package host_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
)

// configured is a host with its configuration file and its log.
type configured struct {
	*host.Host
	path string
	mu   sync.Mutex
	log  bytes.Buffer
}

func (c *configured) Write(line []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Write(line)
}

// logged returns the number of log lines that contain all parts.
func (c *configured) logged(parts ...string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range strings.Lines(c.log.String()) {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			n++
		}
	}
	return n
}

// startConfigured starts a host with a configuration file of the given content. DIR in it stands
// for the folder of templates, which is returned as well.
func startConfigured(t *testing.T, content string) (c *configured, templates string) {
	t.Helper()
	templates = t.TempDir()
	c = &configured{path: filepath.Join(t.TempDir(), "host.yaml")}
	load := func(data []byte) (*config.Config, error) {
		data = bytes.ReplaceAll(data, []byte("DIR"), []byte(templates))
		return config.Load(config.Sources{File: c.path, Data: data})
	}
	cfg, err := load([]byte(content))
	must(t, err)
	must(t, os.WriteFile(c.path, []byte(content), 0o644))
	c.Host, err = host.New(context.Background(), host.Options{
		Config: cfg, ConfigFile: c.path, LoadConfig: load, Logger: slog.New(slog.NewTextHandler(c, &slog.HandlerOptions{ReplaceAttr: inSeconds(t)})),
	})
	must(t, err)
	t.Cleanup(func() { must(t, c.Close(context.Background())) })
	return c, templates
}

// inSeconds checks that the log has durations as numbers of seconds. A time.Duration would be
// written as "1.5s" in text and as nanoseconds in JSON.
func inSeconds(t *testing.T) func([]string, slog.Attr) slog.Attr {
	return func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			t.Errorf("the log has %s as a time.Duration, want a number of seconds", a.Key)
		}
		return a
	}
}

// edit writes the file and waits until it is in force.
func (c *configured) edit(t *testing.T, content string) {
	t.Helper()
	must(t, os.WriteFile(c.path, []byte(content), 0o644))
	must(t, c.Reload(context.Background()))
}

func TestTheDurationOfLearningIsLogged(t *testing.T) {
	h, _ := startConfigured(t, "log: {level: info}\n")
	until(t, "the line about learning", func() bool { return h.logged("templates learned", " duration=0.") == 1 })
}

func TestSettingsThatNeedARestartAreReported(t *testing.T) {
	h, _ := startConfigured(t, "log: {level: info}\n")
	h.edit(t, "limits:\n  templates: 7\n  body_bytes: 1000\n")
	if got := h.Status(context.Background()).Warnings; len(got) != 1 || !strings.HasSuffix(got[0], "host.yaml:3:15: limits.body_bytes: takes effect when the daemon is started again") {
		t.Errorf("the status warns of %q", got)
	}
	_, err := h.Rollback(context.Background(), 0)
	must(t, err)
	if got := h.Status(context.Background()).Warnings; len(got) != 1 {
		t.Errorf("after a rollback the file still needs a restart; the status warns of %q", got)
	}
	h.edit(t, "limits: {templates: 8}\n")
	if got := h.Status(context.Background()).Warnings; len(got) != 0 {
		t.Errorf("no setting needs a restart, but the status warns of %q", got)
	}
}

// TestSettingsForUnknownNamesOnlyWarn follows the warnings while templates and settings change.
func TestSettingsForUnknownNamesOnlyWarn(t *testing.T) {
	const settings = "templates: {dir: DIR}\nparsing:\n  templates:\n    mine: {malformed: error}\n    chatml-jsno: {malformed: error}\n"
	h, dir := startConfigured(t, settings)
	mine, jsno := "host.yaml:4:5: parsing.templates.mine", "host.yaml:5:5: parsing.templates.chatml-jsno"
	expect := func(when string, want ...string) {
		t.Helper()
		got := h.Status(context.Background()).Warnings
		if !slices.EqualFunc(got, want, strings.Contains) {
			t.Errorf("%s: the status warns of %q, want %q", when, got, want)
		}
		for _, w := range want {
			if n := h.logged("level=WARN", w); n != 1 {
				t.Errorf("%s: %s is logged %d times, want once", when, w, n)
			}
		}
		if err := h.Reload(context.Background()); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	expect("at the start", jsno, mine, "host.yaml:1:18: templates.dir: there are no files *.jinja in this folder")
	must(t, os.WriteFile(filepath.Join(dir, "mine.jinja"), []byte("x"), 0o644))
	must(t, h.Reload(context.Background()))
	expect("when a template has come", jsno)
	h.edit(t, strings.Replace(settings, "chatml-jsno", "chatml-json", 1))
	expect("when the name is right")
	h.edit(t, settings+"    late: {malformed: error}\n")
	if got := h.Status(context.Background()).Warnings; len(got) != 2 || !strings.Contains(got[1], "host.yaml:6:5: parsing.templates.late: there is no such template: correct the name") {
		t.Errorf("after an edit the status warns of %q", got)
	}
	h.edit(t, "templates:\n  handlers: {mine: nobody, chatml-json: autoparser}\n  dir: DIR\n")
	expect("when a handler is misspelt", `host.yaml:2:14: templates.handlers.mine: no plugin serves the handler`)
}

func TestAFaultOfAPluginIsLoggedOnce(t *testing.T) {
	c, cfg := new(configured), config.Default()
	cfg.Plugins.Dir = t.TempDir()
	must(t, os.WriteFile(filepath.Join(cfg.Plugins.Dir, "bad.yaml"), []byte("name: ["), 0o644))
	h, err := host.New(context.Background(), host.Options{Config: cfg, Logger: slog.New(slog.NewTextHandler(c, nil))})
	must(t, err)
	must(t, h.Close(context.Background()))
	if n := c.logged("bad.yaml", "level=ERROR"); n != 1 {
		t.Errorf("it is logged %d times:\n%s", n, c.log.String())
	}
}

func TestAtTheStartNothingStays(t *testing.T) {
	c, cfg := new(configured), config.Default()
	cfg.Workarounds.File = filepath.Join(t.TempDir(), "rules.yaml")
	must(t, os.WriteFile(cfg.Workarounds.File, []byte("version: 1\nworkarounds: [{nam: x}]\n"), 0o644))
	if _, err := host.New(context.Background(), host.Options{Config: cfg, Logger: slog.New(slog.NewTextHandler(c, nil))}); err == nil {
		t.Error("a host starts with a faulty file of rules")
	}
	if c.logged("refused at the start", "rules.yaml") != 1 || c.logged("stays") != 0 {
		t.Error(c.log.String())
	}
}
