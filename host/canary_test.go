package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
)

// tried returns a host with a file of rules and a case that holds only under the rule "first".
func tried(t *testing.T, change func(*config.Config)) *edited {
	dir, recorded := t.TempDir(), t.TempDir()
	e := &edited{rules: filepath.Join(dir, "rules.yaml"), template: filepath.Join(dir, "mine.jinja")}
	must(t, os.WriteFile(e.rules, []byte(rule("first")), 0o644))
	must(t, os.WriteFile(e.template, []byte("one"), 0o644))
	must(t, os.WriteFile(filepath.Join(recorded, "cases.jsonl"), []byte(lines(thoughts, prose, plainPrompt)), 0o644))
	e.Host = start(t, func(c *config.Config) {
		c.Workarounds.File, c.Templates.Dir, c.Canary.Cases = e.rules, dir, recorded
		if change != nil {
			change(c)
		}
	})
	return e
}

// plainPrompt is a case that holds for the first version of the template "mine".
const plainPrompt = `{"id": "prompt", "kind": "template", "template": "mine", "context": {}, "prompt": "one"}`

func (e *edited) rewrite(t *testing.T, path, content string) error {
	t.Helper()
	must(t, os.WriteFile(path, []byte(content), 0o644))
	return e.Reload(context.Background())
}

func TestRulesThatBreakACaseDoNotGoLive(t *testing.T) {
	e := tried(t, nil)
	err := e.rewrite(t, e.rules, rule("second"))
	for _, part := range []string{e.rules, "1 of 2 cases", "case thoughts (chatml-json) no longer holds", "reasoning_content", `expected "one"`, "canary.mode"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
	if got := e.inForce(t); got != "first one" {
		t.Errorf("in force is %q, want the previous rules", got)
	}
	trial := e.Status(context.Background()).Trial
	if trial == nil || !trial.Refused || trial.Source != "workarounds" || len(trial.Regressions) != 1 || trial.Cases != 2 {
		t.Errorf("the status says %+v", trial)
	}
	if err := e.rewrite(t, e.rules, rule("first")+"# repaired\n"); err != nil {
		t.Errorf("rules that change nothing were refused: %v", err)
	}
	if trial := e.Status(context.Background()).Trial; trial.Refused || len(trial.Templates) != 0 {
		t.Errorf("for rules that change nothing the status says %+v", trial)
	}
}

func TestCasesBesideAFaultyOneAreTried(t *testing.T) {
	var recorded string
	e := tried(t, func(c *config.Config) { recorded = c.Canary.Cases })
	must(t, os.WriteFile(filepath.Join(recorded, "a.jsonl"), []byte(`{"id": "slip", "kind": "plan", "templat": "mine"}`), 0o644))
	must(t, os.WriteFile(filepath.Join(recorded, "cases.jsonl"), []byte("{\n"+lines(thoughts, prose, plainPrompt)), 0o644))
	if err := e.rewrite(t, e.rules, rule("second")); err == nil || !strings.Contains(err.Error(), "case thoughts (chatml-json)") {
		t.Errorf("rules under which a case fails: %v", err)
	}
	trial := e.Status(context.Background()).Trial
	for _, part := range []string{`a.jsonl: line 1: case slip: unknown field "templat"`, "cases.jsonl: line 1: ", "correct it, or take it out"} {
		if trial == nil || !strings.Contains(trial.Error, part) {
			t.Errorf("the status says %+v, want %q", trial, part)
		}
	}
}

// TestRulesThatCouldNotBeTriedDoNotGoLive changes rules while the cases cannot be read, one of them or all.
func TestRulesThatCouldNotBeTriedDoNotGoLive(t *testing.T) {
	for name, spoil := range map[string]func(cases string) error{
		"one case is misspelt": func(cases string) error {
			return os.WriteFile(filepath.Join(cases, "a.jsonl"), []byte(`{"id": "slip", "kind": "plan", "templat": "mine"}`), 0o644)
		},
		"the folder is gone": os.RemoveAll,
	} {
		t.Run(name, func(t *testing.T) {
			var recorded string
			e := tried(t, func(c *config.Config) { recorded = c.Canary.Cases })
			must(t, spoil(recorded))
			err := e.rewrite(t, e.rules, strings.Replace(rule("first"), "version: 1", "version: 1\n# changed", 1))
			must(t, err) // it touches no template
			if err := e.rewrite(t, e.rules, rule("third")); err == nil || !strings.Contains(err.Error(), "could not be tried") && !strings.Contains(err.Error(), "no longer holds") {
				t.Errorf("got %v", err)
			}
			if got := e.inForce(t); got != "first one" {
				t.Errorf("in force is %q, want the previous rules", got)
			}
		})
	}
}

func TestAReloadTriesAgainWhatWasRefused(t *testing.T) {
	var recorded string
	e := tried(t, func(c *config.Config) { recorded = filepath.Join(c.Canary.Cases, "cases.jsonl") })
	if err := e.rewrite(t, e.rules, rule("second")); err == nil {
		t.Fatal("rules that break a case were accepted")
	}
	must(t, os.WriteFile(recorded, []byte(lines(prose)), 0o644))
	must(t, e.Reload(context.Background()))
	if got := e.inForce(t); got != "second one" {
		t.Errorf("in force is %q, want the rules that the cases accept now", got)
	}
}

func TestACanaryThatWarnsLetsRulesGoLive(t *testing.T) {
	e := tried(t, func(c *config.Config) { c.Canary.Mode = "warn" })
	if err := e.rewrite(t, e.rules, rule("second")); err != nil {
		t.Fatal(err)
	}
	if trial := e.Status(context.Background()).Trial; e.inForce(t) != "second one" || trial.Refused || len(trial.Regressions) != 1 {
		t.Errorf("in force is %q; the status says %+v", e.inForce(t), trial)
	}
}

func TestACanaryThatIsOffTriesNothing(t *testing.T) {
	e := tried(t, func(c *config.Config) { c.Canary.Mode = "off" })
	if err := e.rewrite(t, e.rules, rule("second")); err != nil || e.Status(context.Background()).Trial != nil {
		t.Errorf("%v; the status says %+v", err, e.Status(context.Background()).Trial)
	}
}

func TestATemplateThatBreaksACaseDoesNotGoLive(t *testing.T) {
	e := tried(t, nil)
	err := e.rewrite(t, e.template, "two")
	if err == nil || !strings.Contains(err.Error(), "case prompt (mine) no longer holds") {
		t.Errorf("error %v", err)
	}
	if got := e.inForce(t); got != "first one" {
		t.Errorf("in force is %q, want the previous template", got)
	}
	_, err = e.PutTemplate(context.Background(), host.TemplateSource{Name: "mine", Source: "three"})
	if host.CodeOf(err) != host.InvalidArgument {
		t.Errorf("an upload that hides the template: %v", err)
	}
}

// TestOutputsAreReadInShadow keeps two outputs: one that the new rules read differently and one
// that they do not affect.
func TestOutputsAreReadInShadow(t *testing.T) {
	e := tried(t, func(c *config.Config) { c.Canary.Cases, c.Canary.Shadow = "", 2 })
	req := request(t, `{"messages": [{"role": "user", "content": "Hi"}]}`)
	for _, output := range []string{"forgotten", "plain", "<first>one</first>two"} {
		parse(t, plan(t, e.Host, "chatml-json", req), output)
	}
	if err := e.rewrite(t, e.rules, rule("second")); err != nil {
		t.Fatalf("refused because an output is read differently: %v", err)
	}
	trial := e.Status(context.Background()).Trial
	if trial == nil || trial.Outputs != 2 || len(trial.Changes) != 1 || !strings.Contains(trial.Changes[0].Difference, "reasoning_content") {
		t.Fatalf("the status says %+v", trial)
	}
}

func TestOutputsOfARemovedTemplateAreForgotten(t *testing.T) {
	e := tried(t, func(c *config.Config) { c.Canary.Cases, c.Canary.Shadow = "", 2 })
	parse(t, plan(t, e.Host, "mine", request(t, `{"messages": [{"role": "user", "content": "Hi"}]}`)), "output")
	must(t, os.Remove(e.template))
	must(t, e.Reload(context.Background()))
	must(t, e.rewrite(t, e.template, "two"))
	must(t, e.rewrite(t, e.template, "three"))
	if trial := e.Status(context.Background()).Trial; trial == nil || len(trial.Templates) != 1 || trial.Outputs != 0 {
		t.Errorf("the status says %+v", trial)
	}
}
