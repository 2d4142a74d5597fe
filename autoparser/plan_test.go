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
