package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// recordingHost returns a host that records, with a template called "mine".
func recordingHost(t *testing.T, template string) *Host {
	t.Helper()
	cfg := config.Default()
	cfg.Recorder.Dir, cfg.Templates.Dir = t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(cfg.Templates.Dir, "mine.jinja"), []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := New(t.Context(), Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(t.Context()) })
	return h
}

// record records outputs, and returns when they are written.
func (h *Host) record(t *testing.T, request string, outputs ...string) {
	t.Helper()
	written, err := h.WatchRecordings(t.Context(), recorder.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range outputs {
		planned, err := h.PlanJSON(t.Context(), "mine", []byte(request))
		if err != nil {
			t.Fatal(err)
		}
		s := planned.Session(t.Context(), session.Options{})
		if _, err := s.Feed([]byte(output)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Finish(false); err != nil {
			t.Fatal(err)
		}
		<-written
	}
}

// shippedTemplate returns a shipped template with other texts.
func shippedTemplate(t *testing.T, name string, replace ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "templates", name+".jinja"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(replace...).Replace(string(data))
}

const toolsRequest = `{"messages":[{"role":"user","content":"Weather in Graz?"}],"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"town":{"type":"string"},"days":{"type":"integer"}}}}}]}`

// TestASuggestedRuleReadsWhatTheTemplateDoesNotShow has templates that show another format than their models write.
func TestASuggestedRuleReadsWhatTheTemplateDoesNotShow(t *testing.T) {
	for _, test := range []struct {
		name, template string
		outputs        []string
		bad            int
		want           []string // in the rule
		message        string   // that the last output becomes
	}{
		{
			name: "a marker of calls is spelt in another way", template: shippedTemplate(t, "chatml-json"),
			outputs: []string{
				"Hello.", "<function_calls>\n{\"name\": \"weather\", \"arguments\": {\"town\": \"Wien\"}}\n</function_calls>",
				"Let me see.\n<function_calls>\n{\"name\": \"weather\", \"arguments\": {\"town\": \"Graz\", \"days\": 2}}\n</function_calls>",
			},
			bad: 2, want: []string{`<function_calls>`, `</function_calls>`}, message: `Let me see. weather{"town": "Graz", "days": 2}`,
		},
		{
			name: "calls have their names in markup", template: shippedTemplate(t, "chatml-json"),
			outputs: []string{"No.", "I look.\n<call:weather>\n{\"town\": \"Graz\"}\n</call:weather>"},
			bad:     1, want: []string{`format: "tag_with_json"`, `"<call:"`, `"</call:{name}>"`}, message: `I look. weather{"town": "Graz"}`,
		},
		{
			name: "reasoning has other tags", template: shippedTemplate(t, "chatml-reasoning", "assistant\\n<think>\\n'", "assistant\\n'"),
			outputs: []string{"Hi.", "<reasoning>\nHm.\n</reasoning>\n\nIt rains.", "<reasoning>\nHm, so.\n</reasoning>\n\nIt snows."},
			bad:     2, want: []string{`start: "<reasoning>"`, `end: "</reasoning>"`}, message: `(Hm, so.) It snows.`,
		},
		{
			name: "reasoning ends with another tag", template: shippedTemplate(t, "chatml-reasoning"),
			outputs: []string{"Hm.\n</thinking>\n\nIt rains.", "Hm, so.\n</thinking>\n\nIt snows."},
			bad:     2, want: []string{`end: "</thinking>"`}, message: `(Hm, so.) It snows.`,
		},
		{
			name: "calls in markup have other tags", template: shippedTemplate(t, "chatml-tagged"),
			outputs: []string{"<run tool=\"weather\">\n<with name=\"town\">Graz</with>\n<with name=\"days\">2</with>\n</run>"},
			bad:     1, want: []string{`"<run tool=`, `"<with name=`, `</with>`, `</run>`}, message: `weather{"town":"Graz","days":2}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := recordingHost(t, test.template)
			h.record(t, toolsRequest, test.outputs...)
			r := h.Replayer(nil)
			found, notes, err := r.Suggest(t.Context(), h.recorder.Folder().Each(t.Context(), recorder.Filter{}), nil, nil)
			if err != nil || len(notes) > 0 || len(found) != 1 {
				t.Fatalf("%d suggestions, %q, %v", len(found), notes, err)
			}
			s := found[0]
			if s.Bad != test.bad || s.Better != test.bad || s.Outputs != len(test.outputs) {
				t.Errorf("%d of %d bad outputs are better, of %d", s.Better, s.Bad, s.Outputs)
			}
			for _, part := range test.want {
				if !strings.Contains(s.Rule, part) {
					t.Errorf("the rule lacks %s:\n%s", part, s.Rule)
				}
			}
			rules, err := workaround.Parse("rule.yaml", []byte(s.Rule))
			if err != nil {
				t.Fatal(err)
			}
			var last *recorder.Recording
			for one := range h.recorder.Folder().Each(t.Context(), recorder.Filter{}) {
				last = one
			}
			result, err := r.under(rules).Now(t.Context(), last)
			if got := spoken(result); err != nil || got != test.message {
				t.Errorf("the last output becomes %s, want %s, %v\n%s", got, test.message, err, s.Rule)
			}
		})
	}
}

// spoken returns a message in a line.
func spoken(r session.Result) string {
	var parts []string
	if r.Message.ReasoningContent != "" {
		parts = append(parts, "("+r.Message.ReasoningContent+")")
	}
	if text := r.Message.Content.Join(""); text != "" {
		parts = append(parts, text)
	}
	for _, c := range r.Message.ToolCalls {
		parts = append(parts, c.Name+c.Arguments)
	}
	return strings.Join(parts, " ")
}

func TestNothingIsSuggestedForWhatIsReadWell(t *testing.T) {
	h := recordingHost(t, shippedTemplate(t, "chatml-json"))
	h.record(t, toolsRequest, "Hello.", "<tool_call>\n{\"name\": \"weather\", \"arguments\": {}}\n</tool_call>", "In HTML it is <b>bold</b>.")
	if found, _, err := h.Replayer(nil).Suggest(t.Context(), h.recorder.Folder().Each(t.Context(), recorder.Filter{}), nil, nil); err != nil || len(found) > 0 {
		t.Errorf("suggested %+v, %v", found, err)
	}
}
