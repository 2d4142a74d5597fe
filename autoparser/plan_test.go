package autoparser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

func TestAnEndOfTurnThatIsOrdinaryTextIsAStop(t *testing.T) {
	const turns = `{% for m in messages %}<T>{{ m.role }}:{{ m.content }}END{% endfor %}{% if add_generation_prompt %}<T>assistant:{% endif %}`
	for end, want := range map[string][]string{
		"</turn>":    {"</turn>"},
		"</s>":       nil, // the token that ends generation
		"<|end|>":    nil,
		"</x></y>":   nil,
		"<t></turn>": nil,
	} {
		l := learnSource(t, "test", strings.Replace(turns, "END", end, 1), "<s>", "</s>", nil)
		plan, err := l.Plan(t.Context(), request(t, `{"messages": [{"role": "user", "content": "hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plan.Stops, want) {
			t.Errorf("end of turn %q: stops %q, want %q", end, plan.Stops, want)
		}
	}
}

func TestToolsAndCallsThatAreNotRenderedAreNoted(t *testing.T) {
	const turns = `{% for m in messages %}<T>{{ m.role }}:{{ m.content }}{% endfor %}`
	const offers = `{% for t in tools or [] %}{{ t | tojson }}{% endfor %}`
	const tools = `, "tools": [{"type": "function", "function": {"name": "f"}}]`
	const question = `{"role": "user", "content": "hi"}`
	const called = question + `, {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}`
	const noTools, noCalls = "does not render tools", "does not render calls"
	for _, c := range []struct {
		source, messages, more string
		noted                  []string
	}{
		{turns, question, tools, []string{noTools}},
		{turns, question, tools + `, "tool_choice": "none"`, nil},
		{turns, question, "", nil},
		{offers + turns, question, tools, nil},
		{offers + turns, called, tools, []string{noCalls}},
		{turns, called, tools, []string{noTools, noCalls}},
	} {
		plan, err := learnSource(t, "test", c.source, "", "", nil).Plan(t.Context(), request(t, `{"messages": [`+c.messages+`]`+c.more+`}`))
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(plan.Notes, "\n")
		for _, note := range []string{noTools, noCalls} {
			if strings.Contains(notes, note) != slices.Contains(c.noted, note) {
				t.Errorf("%q, %s%s: notes %q, want %q", c.source, c.messages, c.more, plan.Notes, c.noted)
			}
		}
	}
}

// TestTheEndOfATurnIsNoCallThatBreaksOff uses a template that ends turns in the token that begins calls, too.
func TestTheEndOfATurnIsNoCallThatBreaksOff(t *testing.T) {
	const source = `{% for m in messages %}{{ m.role }}<|role|>
{{ m.content }}{% if m.tool_calls %}{% for c in m.tool_calls %}<|sep|>

call<|role|>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}{% endfor %}{% endif %}<|sep|>

{% endfor %}{% if add_generation_prompt %}assistant<|role|>
{% endif %}`
	r := request(t, `{"messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function", "function": {"name": "f"}}]}`)
	plan, err := learnSource(t, "test", source, "", "", nil).Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := session.New(t.Context(), plan, r, session.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const call = "<|sep|>\n\ncall<|role|>\n{\"name\": \"f\", \"arguments\": {}}"
	for output, want := range map[string]chat.Status{
		"Yes.<|sep|>":                    chat.Complete,
		"Yes.<|sep|>\n\n":                chat.Complete,
		"Yes." + call:                    chat.Complete,
		"Yes." + call + "<|sep|>\n\n":    chat.Complete,
		"Yes.<|sep|>\n\ncall":            chat.Truncated,
		"Yes.<|sep|>\n\ncall<|role|>\n{": chat.Truncated,
	} {
		result, err := whole.Parse(t.Context(), []byte(output), false, session.Options{})
		if err != nil || result.Report.Status != want || result.Message.Content.Join("") != "Yes." {
			t.Errorf("%q: %+v, %v; want %s", output, result.Message, err, want)
		}
	}
}
