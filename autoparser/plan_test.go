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
		"</s>":       nil, // the token at which generation ends
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

func TestToolsThatTheModelIsNotToldOfAreNoted(t *testing.T) {
	const turns = `{% for m in messages %}<T>{{ m.role }}:{{ m.content }}{% endfor %}`
	const offers = `{% for t in tools or [] %}{{ t | tojson }}{% endfor %}`
	const tools = `, "tools": [{"type": "function", "function": {"name": "f"}}]`
	for _, c := range []struct {
		source, more string
		noted        bool
	}{
		{turns, tools, true},
		{turns, tools + `, "tool_choice": "none"`, false},
		{turns, "", false},
		{offers + turns, tools, false},
	} {
		plan, err := learnSource(t, "test", c.source, "", "", nil).Plan(t.Context(), request(t, `{"messages": [{"role": "user", "content": "hi"}]`+c.more+`}`))
		if err != nil {
			t.Fatal(err)
		}
		if noted := strings.Contains(strings.Join(plan.Notes, "\n"), "does not render tools"); noted != c.noted {
			t.Errorf("%q with %q: notes %q", c.source, c.more, plan.Notes)
		}
	}
}
