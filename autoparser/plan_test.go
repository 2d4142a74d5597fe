package autoparser_test

import (
	"slices"
	"strings"
	"testing"
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
