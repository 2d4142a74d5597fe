package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// counted is a case that holds if digits are reasoning, as they are when the rogue plugin parses
// the output itself.
const counted = `{"id": "counted", "kind": "parse", "template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]},
	"output": "12ab", "expect": {"content": "ab", "reasoning_content": "12", "tool_calls": []}}`

// Manifests of the rogue plugin: the better version reads digits as reasoning, the worse one as
// content.
const (
	claim  = "name: rogue\nprotocol: 1\nmatch: 'name == \"chatml-json\"'\nversion: 1.0.0\n"
	better = claim + "options: {Plan: stream}\n"
	worse  = claim + "options: {Plan: none}\n"
)

// plugged is a host with a plugin folder.
type plugged struct {
	*host.Host
	t   *testing.T
	dir string
}

// startPlugged starts a host with the recorded cases and a plugin with the manifest; without a
// plugin if the manifest is empty.
func startPlugged(t *testing.T, manifest, recorded string, change func(*config.Canary)) *plugged {
	t.Helper()
	p := &plugged{t: t, dir: t.TempDir()}
	if manifest != "" {
		p.install(manifest)
	}
	cases := t.TempDir()
	must(t, os.WriteFile(filepath.Join(cases, "cases.jsonl"), []byte(lines(recorded)), 0o644))
	p.Host = start(t, func(c *config.Config) {
		c.Plugins.Dir, c.Canary.Cases = p.dir, cases
		if change != nil {
			change(&c.Canary)
		}
	})
	return p
}

func (p *plugged) install(manifest string) {
	p.t.Helper()
	install(p.t, p.dir, build(p.t, "./plugins/testdata/rogue"), []byte(manifest))
}

// change installs another version and returns once it is in force or refused.
func (p *plugged) change(manifest string) error {
	p.t.Helper()
	p.install(manifest)
	return p.Reload(p.t.Context())
}

// reads returns the message parsed from an output with digits.
func (p *plugged) reads() string {
	p.t.Helper()
	return show(parse(p.t, plan(p.t, p.Host, "chatml-json", request(p.t, `{"messages": [{"role": "user", "content": "Hi"}]}`)), "12ab").Message)
}

const (
	asBetter = `reasoning "12" content "ab"`
	asWorse  = `content "12ab"`
)

func TestAWorseVersionOfAPluginDoesNotGoLive(t *testing.T) {
	shared.Slow(t)
	p := startPlugged(t, better, counted, nil)
	if got := p.reads(); got != asBetter {
		t.Fatalf("the first version reads %s", got)
	}
	manifest := filepath.Join(p.dir, "rogue.yaml")
	for _, again := range []string{"", "# as it was\n"} {
		err := p.change(worse + again)
		for _, part := range []string{manifest, "1 of 1 cases", "case counted (chatml-json) no longer holds", "reasoning_content", `expected "12"`, "canary.mode"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("the error lacks %q: %v", part, err)
			}
		}
		if got := p.reads(); got != asBetter {
			t.Errorf("got %s, want it as the previous version reads it", got)
		}
	}
	if state := p.Plugins()[0]; !strings.Contains(state.Fault, "case counted") || state.Condition != "serving" {
		t.Errorf("the plugin's state is %+v", state)
	}
	trial := p.Status(context.Background()).Trial
	if trial == nil || !trial.Refused || trial.Source != "plugins" || trial.Path != manifest || len(trial.Regressions) != 1 ||
		len(trial.Templates) != 1 || trial.Templates[0] != "chatml-json" {
		t.Errorf("the status says %+v", trial)
	}
	until(t, "the process that was tried has ended", func() bool { return len(children(t)) == 1 })
	if err := p.change(better + "# repaired\n"); err != nil || p.Plugins()[0].Fault != "" {
		t.Errorf("the version in force is refused: %v", err)
	}
}

// TestTheEndOfAPluginIsAChange removes the files of a plugin that a case needs, and then the case.
func TestTheEndOfAPluginIsAChange(t *testing.T) {
	shared.Slow(t)
	var recorded string
	p := startPlugged(t, better, counted, func(c *config.Canary) { recorded = c.Cases })
	if got := p.reads(); got != asBetter {
		t.Fatalf("the plugin reads %s", got)
	}
	for _, file := range []string{"rogue.yaml", "rogue"} {
		must(t, os.Remove(filepath.Join(p.dir, file)))
	}
	for range 2 {
		err := p.Reload(t.Context())
		for _, part := range []string{"rogue.yaml", "was removed, and stays in force", "case counted (chatml-json) no longer holds"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("the error lacks %q: %v", part, err)
			}
		}
		if got := p.reads(); got != asBetter {
			t.Errorf("got %s, want it as the plugin reads it", got)
		}
	}
	must(t, os.WriteFile(filepath.Join(recorded, "cases.jsonl"), []byte(lines(prose)), 0o644))
	must(t, p.Reload(t.Context()))
	if got := p.reads(); got != asWorse {
		t.Errorf("got %s, want it as the autoparser reads it", got)
	}
}

func TestAWorseVersionGoesLiveWhereTheCanaryOnlyWarnsOrIsOff(t *testing.T) {
	for _, test := range []struct {
		mode string
		told bool
	}{{"warn", true}, {"off", false}} {
		p := startPlugged(t, better, counted, func(c *config.Canary) { c.Mode = test.mode })
		if err := p.change(worse); err != nil {
			t.Errorf("%s: %v", test.mode, err)
		}
		if got := p.reads(); got != asWorse {
			t.Errorf("%s: got %s, want it as the new version reads it", test.mode, got)
		}
		trial := p.Status(context.Background()).Trial
		if told := trial != nil; told != test.told || told && (trial.Refused || len(trial.Regressions) != 1) {
			t.Errorf("%s: the status says %+v", test.mode, trial)
		}
	}
}

func TestANewPluginThatBreaksACaseDoesNotGoLive(t *testing.T) {
	p := startPlugged(t, "", prose, nil)
	if err := p.change(claim + "options: {Plan: fail}\n"); err == nil || !strings.Contains(err.Error(), "case prose (chatml-json) no longer holds: ") {
		t.Errorf("error %v", err)
	}
	if by := plan(t, p.Host, "chatml-json", request(t, weather)).Handler; by != "autoparser" {
		t.Errorf("answered by %s", by)
	}
	if err := p.change(worse); err != nil {
		t.Error(err)
	}
	if by := plan(t, p.Host, "chatml-json", request(t, weather)).Handler; by != "rogue" {
		t.Errorf("answered by %s", by)
	}
}

func TestAPluginWithoutCasesForItsTemplatesIsNotStartedForATrial(t *testing.T) {
	p := startPlugged(t, "", prose, nil)
	if err := p.change(strings.Replace(worse, "chatml-json", "chatml-tagged", 1)); err != nil {
		t.Error(err)
	}
	if trial := p.Status(context.Background()).Trial; trial == nil || trial.Cases != 0 || p.Plugins()[0].Starts != 0 {
		t.Errorf("the status has the trial %+v, the plugins %+v", trial, p.Plugins())
	}
}

func TestOutputsAreReadInShadowByANewVersion(t *testing.T) {
	p := startPlugged(t, better, prose, func(c *config.Canary) { c.Shadow = 2 })
	p.reads()
	if err := p.change(worse); err != nil {
		t.Errorf("refused because an output is read differently: %v", err)
	}
	if trial := p.Status(context.Background()).Trial; trial == nil || trial.Outputs != 1 || len(trial.Changes) != 1 || !strings.Contains(trial.Changes[0].Difference, "reasoning_content") {
		t.Errorf("the status says %+v", trial)
	}
}

// patient gives each step of a trial a second, enough for any step that ends, even on a busy
// machine.
func patient(c *config.Canary) { c.Time = 4 * time.Second }

const unanswered = "no longer holds: no answer within 1s"

func TestAPluginThatHangsWhereTheOneInForceAnswersDoesNotGoLive(t *testing.T) {
	for _, test := range []struct{ name, before, options, recorded, reads string }{
		{"a version that hangs at plans", better, "{Plan: hang}", counted, asBetter},
		{"a version that hangs at outputs", better, "{Plan: stream, Mute: true}", counted, asBetter},
		{"a plugin where there was none", "", "{Plan: hang}", prose, asWorse},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := startPlugged(t, test.before, test.recorded, patient)
			if err := p.change(claim + "options: " + test.options + "\n"); err == nil || !strings.Contains(err.Error(), unanswered) {
				t.Errorf("error %v", err)
			}
			trial := p.Status(context.Background()).Trial
			if trial == nil || !trial.Refused || len(trial.Regressions) != 1 || trial.Cases != 1 || trial.Untried != 0 {
				t.Errorf("the status says %+v", trial)
			}
			if fault := p.Plugins()[0].Fault; !strings.Contains(fault, unanswered) {
				t.Errorf("the plugin's fault is %s", fault)
			}
			if got := p.reads(); got != test.reads {
				t.Errorf("got %s, want it as before", got)
			}
		})
	}
}

func TestANewVersionThatHangsAtAKeptOutputDoesNotGoLive(t *testing.T) {
	t.Parallel()
	p := startPlugged(t, better, prose, func(c *config.Canary) { patient(c); c.Cases, c.Shadow = "", 2 })
	p.reads()
	if err := p.change(claim + "options: {Plan: stream, Mute: true}\n"); err == nil || !strings.Contains(err.Error(), unanswered) {
		t.Errorf("error %v", err)
	}
	if trial := p.Status(context.Background()).Trial; trial == nil || trial.Outputs != 1 || len(trial.Regressions) != 1 {
		t.Errorf("the status says %+v", trial)
	}
}

func TestAPluginThatIsSlowToStartIsTriedOnceStarted(t *testing.T) {
	t.Parallel()
	p := startPlugged(t, "", prose, patient)
	if err := p.change(claim + "options: {Start: linger}\n"); err != nil {
		t.Error(err)
	}
	if trial := p.Status(context.Background()).Trial; trial == nil || trial.Cases != 1 || trial.Untried != 0 {
		t.Errorf("the status says %+v", trial)
	}
}

// TestWhatCouldNotBeTriedDoesNotGoLive lets cases go untried. They keep a version out, unless the version in force does not answer
// them either.
func TestWhatCouldNotBeTriedDoesNotGoLive(t *testing.T) {
	for _, test := range []struct{ name, before, after, why string }{
		{"the version in force hangs as well", "{Plan: hang}", "{Plan: hang, Child: false}",
			"counted was not tried: what is in force does not answer in time"},
		{"there is no time", "{Plan: stream}", "{Plan: none}",
			"counted was not tried: there was no time left for it (canary.time)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := startPlugged(t, claim+"options: "+test.before+"\n", counted, func(c *config.Canary) {
				if patient(c); test.after == "{Plan: none}" {
					c.Time = 1
				}
			})
			refused := test.after == "{Plan: none}"
			if err := p.change(claim + "options: " + test.after + "\n"); (err != nil) != refused || refused && !strings.Contains(err.Error(), "could not be tried: "+test.why) {
				t.Error(err)
			}
			if trial := p.Status(context.Background()).Trial; trial == nil || trial.Untried != 1 || trial.Cases != 0 || trial.Error != test.why {
				t.Errorf("the status says %+v", trial)
			}
		})
	}
}

// unstarted returns a host with recorded cases for a template and a plugin for it that does not
// start. Trials end after the given time.
func unstarted(t *testing.T, within time.Duration) *edited {
	t.Helper()
	dir := t.TempDir()
	install(t, dir, build(t, "./plugins/testdata/rogue"), []byte(claim+"options: {Start: hang}\n"))
	return tried(t, func(c *config.Config) {
		c.Plugins.Dir, c.Plugins.StartTime, c.Canary.Time = dir, time.Hour, within
	})
}

func TestRulesThatAPluginDoesNotTryDoNotGoLive(t *testing.T) {
	e := unstarted(t, 100*time.Millisecond)
	if err := e.rewrite(t, e.rules, rule("second")); err == nil || !strings.Contains(err.Error(), "does not start in time") {
		t.Error(err)
	}
	const why = "thoughts was not tried: the plugin of rogue does not start in time"
	if trial := e.Status(context.Background()).Trial; trial == nil || trial.Untried != 2 || trial.Error != why {
		t.Errorf("the status says %+v", trial)
	}
}

func TestClosingTheHostEndsATrialOfRules(t *testing.T) {
	e := unstarted(t, time.Hour)
	must(t, os.WriteFile(e.rules, []byte(rule("second")), 0o644))
	until(t, "the plugin is being started", func() bool { return len(children(t)) == 1 })
	// The cleanup closes the host and fails if the trial holds it up.
}
