package workbench

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// tryRules returns the parts of the answer, joined.
func tryRules(t *testing.T, d daemon, q tryRequest) attempt {
	t.Helper()
	body, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	res, text := d.ask(t, http.MethodPost, apiPath+"try", string(body), "Content-Type", "application/json")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", res.StatusCode, text)
	}
	var sum attempt
	for line := range strings.Lines(text) {
		if err := json.Unmarshal([]byte(line), &sum); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return sum
}

// lines is a template whose calls begin with a word, which comparison takes for a part of the name's markup.
const lines = `{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}<|{{ m.role }}|>{{ m.content or '' }}{% for c in m.tool_calls or [] %}
do: {{ c.function.name }}({{ c.function.arguments | tojson }}){% endfor %}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`

const linesRule = `version: 1
workarounds:
  - name: lines
    because: a call has no marker but its first word
    when: source contains "do:"
    set: {tools: {per_call_start: "do: ", function: {name_prefix: ""}}}
`

func TestRulesAreTriedOnADraftAndOnWhatIsInForce(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	before := d.host.Snapshot()
	tried := tryRules(t, d, tryRequest{Document: linesRule, Template: &subject{Name: "mine", Source: lines}})
	if b, a := tried.Before.SelfCheck, tried.After.SelfCheck; b.Failed == 0 || a.Failed != 0 || !a.Parts[0].Proven || len(tried.After.Rules) != 1 {
		t.Errorf("before %s, after %s: %+v", b.Score(), a.Score(), tried.After)
	}
	if tried.Diff == nil || tried.All != len(d.host.Templates(t.Context())) || tried.Replayed != nil {
		t.Errorf("%+v", tried)
	}
	faulty := tryRules(t, d, tryRequest{Document: "version: 1\nworkarounds:\n  - name: x\n"})
	if len(faulty.Faults) == 0 || faulty.Faults[0].Line != 3 || faulty.Diff != nil {
		t.Errorf("%+v", faulty)
	}
	if d.host.Snapshot() != before {
		t.Error("trying has put another snapshot in force")
	}
}

func TestRulesAreTriedOnRecordings(t *testing.T) {
	t.Parallel()
	d := serveBench(t, func(c *config.Config) {
		c.Recorder.Dir, c.Recorder.Share = t.TempDir(), 1
		c.Workarounds.File = rulesFile(t, "version: 1\nworkarounds: []\n")
	})
	if _, err := d.host.PutTemplate(t.Context(), host.TemplateSource{Name: "mine", Source: lines}); err != nil {
		t.Fatal(err)
	}
	const request = `{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {}}}}]}`
	written, err := d.host.WatchRecordings(t.Context(), recorder.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	planned, err := d.host.PlanJSON(t.Context(), "mine", []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	run := planned.Session(t.Context(), session.Options{})
	if _, err := run.Feed([]byte("do: find({})")); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Finish(false); err != nil {
		t.Fatal(err)
	}
	<-written
	tried := tryRules(t, d, tryRequest{Document: linesRule})
	if tried.Replayed == nil || tried.Replayed.Recordings != 1 || tried.Replayed.Changed != 1 {
		t.Errorf("%+v", tried.Replayed)
	}
}

// rulesFile writes a file of rules.
func rulesFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRulesAreSavedOnlyWhereThatIsAllowed(t *testing.T) {
	t.Parallel()
	const empty = "version: 1\nworkarounds: []\n"
	file := rulesFile(t, empty)
	cfg := config.Default()
	cfg.Workarounds.File, cfg.Workbench.Mode = file, "write"
	h, err := host.New(t.Context(), host.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.WithoutCancel(t.Context())) })
	b := &bench{host: h}
	hash := h.Snapshot().Rules.Hash()
	for name, q := range map[string]saveRequest{
		"of other rules": {Document: linesRule, Hash: "x"},
		"with a fault":   {Document: "version: 1\nworkarounds: 3\n", Hash: hash},
	} {
		if _, err := b.saveRules(t.Context(), &q); err == nil {
			t.Errorf("a document %s was saved", name)
		}
	}
	if text, _ := os.ReadFile(file); string(text) != empty { // an empty text differs, too
		t.Errorf("the file is %q", text)
	}
	saved, err := b.saveRules(t.Context(), &saveRequest{Document: linesRule, Hash: hash})
	if err != nil || saved.Document != linesRule || h.Snapshot().RulesText() != linesRule {
		t.Fatalf("%+v, %v", saved, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	d := serveBench(t, func(c *config.Config) { c.Workarounds.File = file })
	if res, text := d.ask(t, http.MethodPost, apiPath+"save", "{}", "Content-Type", "application/json"); res.StatusCode != http.StatusForbidden {
		t.Errorf("status %d: %s", res.StatusCode, text)
	}
}
