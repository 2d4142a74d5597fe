package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
)

func TestLinksOutOfTheTemplateFolderAreRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.jinja")
	must(t, os.WriteFile(outside, []byte("secret"), 0o600))
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "..v1"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "..v1", "mounted.jinja"), []byte("mounted"), 0o644))
	must(t, os.Symlink(filepath.Join("..v1", "mounted.jinja"), filepath.Join(dir, "mounted.jinja"))) // as Kubernetes does
	must(t, os.Symlink(outside, filepath.Join(dir, "early.jinja")))
	h := start(t, func(c *config.Config) { c.Templates.Dir = dir })
	if src, _, err := h.Template(context.Background(), "mounted"); err != nil || src.Source != "mounted" {
		t.Errorf("a link within the folder: %q, %v", src.Source, err)
	}
	must(t, os.Symlink(outside, filepath.Join(dir, "late.jinja")))
	until(t, "both faults in the status", func() bool {
		faults := 0
		for _, s := range h.Sources() {
			faults += strings.Count(s.LastError, "the file is a link out of its folder")
		}
		return faults == 2
	})
	for _, name := range []string{"early", "late"} {
		if src, _, err := h.Template(context.Background(), name); host.CodeOf(err) != host.NotFound {
			t.Errorf("%s, a link to a file outside: %q, %v", name, src.Source, err)
		}
	}
}

func TestFilesOfTheCallerAreAppliedTogetherAndReported(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	write := func(a, b string) {
		must(t, os.WriteFile(one, []byte(a), 0o644))
		must(t, os.WriteFile(two, []byte(b), 0o644))
	}
	write("a", "b")
	calls := make(chan map[string][]byte, 10)
	apply := func(changed map[string][]byte) error {
		calls <- changed
		if string(changed[one]) == "bad" {
			return errors.New("it is bad")
		}
		return nil
	}
	cfg := config.Default()
	h, err := host.New(t.Context(), host.Options{Config: cfg, Files: []host.File{{Name: "pair", Paths: []string{one, two}, Apply: apply}}})
	must(t, err)
	defer h.Close(t.Context())
	if first := <-calls; string(first[one]) != "a" || string(first[two]) != "b" {
		t.Errorf("at the start: %q", first)
	}
	must(t, os.WriteFile(one, []byte("bad"), 0o644))
	source := func() host.SourceStatus {
		for _, s := range h.Sources() {
			if s.Name == "pair" {
				return s
			}
		}
		return host.SourceStatus{}
	}
	until(t, "the fault in the status", func() bool { return source().LastError == "it is bad" })
	must(t, os.WriteFile(one, []byte("good"), 0o644))
	until(t, "the fault gone", func() bool { return source().LastError == "" && source().Successes == 2 && source().Failures == 1 })

	must(t, os.WriteFile(one, []byte("bad"), 0o644))
	if h, err := host.New(t.Context(), host.Options{Config: cfg, Files: []host.File{{Name: "pair", Paths: []string{one, two}, Apply: apply}}}); err == nil {
		t.Error("the host started on a file that Apply refuses")
		h.Close(t.Context())
	}
}
