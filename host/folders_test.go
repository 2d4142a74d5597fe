package host_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// prompts returns the prompt that a template renders, or the error code.
func prompts(t *testing.T, h *host.Host, template string) string {
	t.Helper()
	p, err := h.Plan(context.Background(), template, request(t, `{"messages": [{"role": "user", "content": "Hi"}]}`))
	if err != nil {
		return string(host.CodeOf(err))
	}
	return p.Plan.Prompt
}

// source returns the status of the named source.
func source(t *testing.T, h *host.Host, name string) host.SourceStatus {
	t.Helper()
	for _, s := range h.Sources() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no source %s", name)
	return host.SourceStatus{}
}

// TestTemplatesOutliveTheirFolder removes the folder of templates, as an unmount does, and restores
// it with one template fewer.
func TestTemplatesOutliveTheirFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "templates")
	fill := func(names ...string) {
		t.Helper()
		must(t, os.MkdirAll(dir, 0o755))
		for _, name := range names {
			must(t, os.WriteFile(filepath.Join(dir, name+".jinja"), []byte(name), 0o644))
		}
	}
	fill("one", "two")
	h := start(t, func(c *config.Config) { c.Templates.Dir, c.Plugins.Dir = dir, dir })
	generation := h.Snapshot().Generation
	must(t, os.RemoveAll(dir))
	if err := h.Reload(context.Background()); err == nil || !strings.Contains(err.Error(), dir+": there is no such folder") {
		t.Errorf("without the folder: %v", err)
	}
	for _, name := range []string{"templates", "plugins"} {
		if got := source(t, h, name).LastError; !strings.Contains(got, "there is no such folder: what was read from it stays in force") {
			t.Errorf("the status of %s says %q", name, got)
		}
	}
	if got := prompts(t, h, "one") + prompts(t, h, "two"); got != "onetwo" || h.Snapshot().Generation != generation {
		t.Errorf("without the folder: %q, generation %d", got, h.Snapshot().Generation)
	}
	fill("one")
	must(t, h.Reload(context.Background()))
	if got := prompts(t, h, "one") + prompts(t, h, "two"); got != "onenot_found" {
		t.Errorf("with the folder back: %q", got)
	}
}

func TestAMissingFolderIsReported(t *testing.T) {
	h := start(t, func(c *config.Config) { c.Templates.Dir = filepath.Join(t.TempDir(), "tempaltes") })
	if got := source(t, h, "templates").LastError; !strings.Contains(got, "tempaltes: there is no such folder") {
		t.Errorf("the status says %q", got)
	}
}

// TestAFolderMayHoldEverything uses one folder for both templates and plugins. Each source reads
// only its own files.
func TestAFolderMayHoldEverything(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"one.jinja": "one", "broken.jinja": "{% for %}", "plugin.yaml": "name: ?", "tool": "\x7fELF"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	h := start(t, func(c *config.Config) { c.Templates.Dir, c.Plugins.Dir = dir, dir })
	_ = h.Reload(context.Background())
	if got := prompts(t, h, "one"); got != "one" {
		t.Errorf("the template: %q", got)
	}
	templates, plugins := source(t, h, "templates").LastError, source(t, h, "plugins").LastError
	if !strings.Contains(templates, "/broken.jinja: broken:1:1: ") || strings.Contains(templates, "plugin.yaml") {
		t.Errorf("the status of the templates says %q", templates)
	}
	if !strings.Contains(plugins, "plugin.yaml") || strings.Contains(plugins, "broken") {
		t.Errorf("the status of the plugins says %q", plugins)
	}
}

// TestFilesThatCannotBeUsedAreReportedAndHideNothing puts an unusable file of each kind beside good
// ones.
func TestFilesThatCannotBeUsedAreReportedAndHideNothing(t *testing.T) {
	shared.Slow(t)
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.jinja")
	write := func(path, content string) { must(t, os.WriteFile(path, []byte(content), 0o644)) }
	write(outside, "secret")
	write(filepath.Join(dir, "good.jinja"), "good")
	write(filepath.Join(dir, "Größe 7b (chat).jinja"), "unicode")
	h := start(t, func(c *config.Config) { c.Templates.Dir = dir })
	tests := []struct {
		name string
		make func(path string)
		want string // in the error
	}{
		{"empty.jinja", func(path string) { write(path, "") }, "the file is empty"},
		{"blank.jinja", func(path string) { write(path, " \n") }, "the file is empty"},
		{"huge.jinja", func(path string) { write(path, "x"); must(t, os.Truncate(path, 65<<20)) }, "at most 67108864 are allowed"},
		{"long.jinja", func(path string) { write(path, strings.Repeat("x", 300<<10)) }, "the limit is 262144"},
		{"loop.jinja", func(path string) { must(t, os.Symlink("loop.jinja", path)) }, "too many levels of symbolic links"},
		{"link.jinja", func(path string) { must(t, os.Symlink(outside, path)) }, "link out of its folder"},
		{"latin.jinja", func(path string) { write(path, "Gr\xfc\xdfe") }, "the template is not valid UTF-8; save it as UTF-8"},
		{"latin-\xfc.jinja", func(path string) { write(path, "x") }, `latin-\xfc.jinja": no request can name this template; rename the file`},
		{"line\nbreak.jinja", func(path string) { write(path, "x") }, "no request can name this template"},
		{"twice.jinja.jinja", func(path string) { write(path, "x") }, "no request can name this template"},
	}
	if os.Getuid() != 0 { // root reads everything
		tests = append(tests, struct {
			name string
			make func(path string)
			want string
		}{"mine.jinja", func(path string) { write(path, "x"); must(t, os.Chmod(path, 0)) }, "permission denied"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			tt.make(path)
			if err := h.Reload(context.Background()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if faults := source(t, h, "templates").Faults; len(faults) != 1 || faults[0].Path != strings.ToValidUTF8(path, "\uFFFD") {
				t.Errorf("the status has %q", faults)
			}
			if got := prompts(t, h, "good") + prompts(t, h, "Größe 7b (chat)"); got != "goodunicode" {
				t.Errorf("the others render %q", got)
			}
			must(t, os.Remove(path))
			if err := h.Reload(context.Background()); err != nil {
				t.Errorf("without it: %v", err)
			}
		})
	}
}

func TestTheSameTemplatePutAgainIsNoChange(t *testing.T) {
	h := start(t, nil)
	put := func(source string) uint64 {
		t.Helper()
		_, err := h.PutTemplate(context.Background(), host.TemplateSource{Name: "mine", Source: source})
		must(t, err)
		return h.Snapshot().Generation
	}
	first := put("one")
	if again := put("one"); again != first {
		t.Errorf("the same template again: generation %d after %d", again, first)
	}
	if other := put("two"); other != first+1 {
		t.Errorf("another template: generation %d after %d", other, first)
	}
}

func TestAnErrorDoesNotListThousandsOfTemplates(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		must(t, os.WriteFile(filepath.Join(dir, strings.Repeat("x", i+1)+".jinja"), []byte("x"), 0o644))
	}
	h := start(t, func(c *config.Config) { c.Templates.Dir = dir })
	_, err := h.Learned(context.Background(), "nobody")
	if err == nil || !strings.Contains(err.Error(), " more") || len(err.Error()) > 10_000 {
		t.Errorf("got %.200v… (%d bytes)", err, len(err.Error()))
	}
}

// TestAModelWhoseTemplateBreaksStaysAsItWas reloads models after one has become unusable.
func TestAModelWhoseTemplateBreaksStaysAsItWas(t *testing.T) {
	root := t.TempDir()
	var paths []string
	write := func(i int, content string) { must(t, os.WriteFile(paths[i], []byte(content), 0o644)) }
	for i, name := range []string{"a.jinja", "b.jinja", "other/b.jinja"} {
		paths = append(paths, filepath.Join(root, name))
		must(t, os.MkdirAll(filepath.Dir(paths[i]), 0o755))
		write(i, "first "+name)
	}
	h, _ := startConfigured(t, "templates: {models: ["+strings.Join(paths, ", ")+"]}\n")
	if n := h.logged("two models have a template of the same name", "template=b", "path="+paths[2], "hidden="+paths[1]); n != 1 {
		t.Errorf("the shared name is logged %d times, want once", n)
	}
	write(0, "{% for %}")
	if err := h.Reload(context.Background()); err == nil || !strings.Contains(err.Error(), "/a.jinja: a:1:1: ") {
		t.Errorf("a broken model: %v", err)
	}
	if got := prompts(t, h.Host, "a") + ", " + prompts(t, h.Host, "b"); got != "first a.jinja, first other/b.jinja" {
		t.Errorf("in force is %q", got)
	}
	write(0, "second")
	must(t, h.Reload(context.Background()))
	if got := prompts(t, h.Host, "a"); got != "second" {
		t.Errorf("repaired: %q", got)
	}
	_, err := h.Rollback(context.Background(), 0)
	must(t, err)
	must(t, h.Reload(context.Background()))
	if st := h.Status(context.Background()); prompts(t, h.Host, "a") != "first a.jinja" || st.Rollback == nil || !slices.Equal(st.Rollback.Held, []string{"model"}) {
		t.Errorf("the rollback of models ended although none has changed: %q", prompts(t, h.Host, "a"))
	}
}

// TestARefusedFileDoesNotEndARollback breaks templates while an earlier snapshot is in force.
func TestARefusedFileDoesNotEndARollback(t *testing.T) {
	e := startEdited(t)
	e.edit(t, e.template, "two")
	_, err := e.Rollback(context.Background(), 0)
	must(t, err)
	for _, path := range []string{e.template, filepath.Join(filepath.Dir(e.template), "new.jinja")} {
		must(t, os.WriteFile(path, []byte("{% for %}"), 0o644))
		if err := e.Reload(context.Background()); err == nil {
			t.Errorf("%s was not refused", path)
		}
		if got := e.inForce(t); got != "first one" || e.Status(context.Background()).Rollback == nil {
			t.Errorf("after a broken %s: in force is %q, rolled back %v", filepath.Base(path), got, e.Status(context.Background()).Rollback != nil)
		}
	}
	must(t, os.Remove(filepath.Join(filepath.Dir(e.template), "new.jinja")))
	e.edit(t, e.template, "three")
	if got := e.inForce(t); got != "first three" {
		t.Errorf("after a good edit in force is %q", got)
	}
}

func TestAHostMayBeClosedTwice(t *testing.T) {
	h, err := host.New(context.Background(), host.Options{Config: config.Default()})
	must(t, err)
	must(t, h.Close(context.Background()))
	must(t, h.Close(context.Background()))
	if err := h.Reload(context.Background()); err == nil {
		t.Error("a closed host reloaded")
	}
}
