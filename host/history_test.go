package host_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// edited is a host whose rules and one template are files.
type edited struct {
	*host.Host
	rules, template string
}

// startEdited starts a host with the rules "first" and the template "one".
func startEdited(t *testing.T) *edited {
	dir := t.TempDir()
	e := &edited{rules: filepath.Join(dir, "rules.yaml"), template: filepath.Join(dir, "mine.jinja")}
	must(t, os.WriteFile(e.rules, []byte(rule("first")), 0o644))
	must(t, os.WriteFile(e.template, []byte("one"), 0o644))
	e.Host = start(t, func(c *config.Config) {
		c.Workarounds.File, c.Templates.Dir, c.History.Snapshots = e.rules, dir, 8
	})
	return e
}

// edit writes a file and waits until it is in force.
func (e *edited) edit(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o644))
	must(t, e.Reload(context.Background()))
}

// inForce returns the rules and the template that requests get.
func (e *edited) inForce(t *testing.T) string {
	t.Helper()
	req := request(t, `{"messages": [{"role": "user", "content": "Hi"}]}`)
	var rules string
	for _, name := range []string{"first", "second", "third"} {
		r := parse(t, plan(t, e.Host, "chatml-json", req), "<"+name+">thought</"+name+">text")
		if r.Message.ReasoningContent != "" {
			rules += name
		}
	}
	src, _, err := e.Template(context.Background(), "mine")
	must(t, err)
	return rules + " " + src.Source
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestTheHistoryListsChangesWithBeforeAndAfter(t *testing.T) {
	e := startEdited(t)
	e.edit(t, e.rules, rule("second"))
	e.edit(t, e.template, "two")
	_, err := e.PutTemplate(context.Background(), host.TemplateSource{Name: "put", Source: "x"})
	must(t, err)
	must(t, os.WriteFile(e.rules, []byte("version: 1\nworkarounds: what"), 0o644))
	if err := e.Reload(context.Background()); err == nil {
		t.Error("no error for a faulty file")
	}

	var got []string
	for _, s := range e.History() {
		line := fmt.Sprintf("%d %s", s.Generation, s.Cause.Source)
		for _, c := range s.Cause.Changes {
			line += fmt.Sprintf(" %s %.4s→%.4s", filepath.Base(c.Path), c.Before, c.After)
		}
		if s.InForce {
			line += " in force"
		}
		got = append(got, line)
	}
	first := e.History()[len(got)-1].Generation
	_, info, err := e.Template(context.Background(), "put")
	must(t, err)
	want := []string{
		fmt.Sprintf("%d upload put →%.4s in force", first+3, info.SHA256),
		fmt.Sprintf("%d templates mine.jinja %.4s→%.4s", first+2, sha("one"), sha("two")),
		fmt.Sprintf("%d workarounds rules.yaml %.4s→%.4s", first+1, sha(rule("first")), sha(rule("second"))),
		fmt.Sprintf("%d start", first),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheHistoryIsLimited(t *testing.T) {
	e := startEdited(t)
	for i := range 12 {
		e.edit(t, e.template, strings.Repeat("x", i+1))
	}
	if n := len(e.History()); n != 8 {
		t.Errorf("%d snapshots are kept, want 8", n)
	}
	if _, err := e.Rollback(context.Background(), 1); host.CodeOf(err) != host.NotFound || !strings.Contains(err.Error(), "history.snapshots") {
		t.Errorf("rolling back to a forgotten snapshot: %v", err)
	}
}

// TestARollbackHoldsUntilItsSourceChanges rolls back, then edits one source after the other.
func TestARollbackHoldsUntilItsSourceChanges(t *testing.T) {
	e := startEdited(t)
	expect := func(when, want string, held ...string) {
		t.Helper()
		if got := e.inForce(t); got != want {
			t.Errorf("%s: in force is %q, want %q", when, got, want)
		}
		st := e.Status(context.Background())
		var got []string
		if st.Rollback != nil {
			got = st.Rollback.Held
		}
		if !slices.Equal(got, held) {
			t.Errorf("%s: the rollback holds %q, want %q", when, got, held)
		}
		for _, s := range st.Sources {
			if s.Held != slices.Contains(held, s.Name) {
				t.Errorf("%s: source %s is held: %t", when, s.Name, s.Held)
			}
			if disk, err := os.ReadFile(s.Path); err == nil && s.Held && (s.SHA256 != sha(rule("first")) || s.OnDisk != sha(string(disk))) {
				t.Errorf("%s: in force is %.8s, on disk %.8s", when, s.SHA256, s.OnDisk)
			}
		}
	}
	start := e.History()[0].Generation
	e.edit(t, e.rules, rule("second"))
	e.edit(t, e.template, "two")
	expect("after two edits", "second two")

	info, err := e.Rollback(context.Background(), 0)
	must(t, err)
	if info.Cause.Source != "rollback" || info.Cause.To != start+1 || info.Generation != start+3 {
		t.Errorf("the first rollback: %+v", info)
	}
	expect("one back", "second one", "templates")
	_, err = e.Rollback(context.Background(), 0)
	must(t, err)
	expect("two back", "first one", "workarounds", "templates")
	must(t, e.Reload(context.Background()))
	expect("files read again", "first one", "workarounds", "templates")

	e.edit(t, e.template, "three")
	expect("a template edited", "first three", "workarounds")
	e.edit(t, e.rules, rule("third"))
	expect("the rules edited", "third three")

	_, err = e.Rollback(context.Background(), start)
	must(t, err)
	expect("to the start", "first one", "workarounds", "templates")
	_, err = e.Rollback(context.Background(), start+6)
	must(t, err)
	expect("to what is on disk", "third three")
}

func TestASessionKeepsItsRulesOverARollback(t *testing.T) {
	e := startEdited(t)
	e.edit(t, e.rules, rule("second"))
	s := plan(t, e.Host, "chatml-json", request(t, weather)).Session(context.Background(), session.Options{})
	feed(t, s, "<sec")
	_, err := e.Rollback(context.Background(), 0)
	must(t, err)
	feed(t, s, "ond>thought</second>text")
	if got, want := show(finish(t, s).Message), `reasoning "thought" content "text"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestADeletedTemplateCanBeRolledBackTo(t *testing.T) {
	e, ctx := startEdited(t), context.Background()
	_, err := e.PutTemplate(ctx, host.TemplateSource{Name: "put", Source: "x"})
	must(t, err)
	must(t, e.DeleteTemplate(ctx, "put"))
	if _, _, err := e.Template(ctx, "put"); host.CodeOf(err) != host.NotFound {
		t.Errorf("the template is still there: %v", err)
	}
	if err := e.DeleteTemplate(ctx, "mine"); host.CodeOf(err) != host.NotFound {
		t.Errorf("a template of the folder was deleted: %v", err)
	}
	_, err = e.Rollback(ctx, 0)
	must(t, err)
	if _, _, err := e.Template(ctx, "put"); err != nil {
		t.Error(err)
	}
}
