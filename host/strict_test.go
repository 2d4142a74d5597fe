package host

import (
	"strings"
	"testing"
)

// bareJSON is a template that writes calls as JSON with nothing around them.
const bareJSON = `{% for m in messages %}<|{{ m.role }}|>
{% if m.tool_calls %}{% for c in m.tool_calls %}{{ {"name": c.function.name, "parameters": c.function.arguments} | tojson }}{% endfor %}{% else %}{{ m.content }}{% endif %}<|end|>
{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}{% if add_generation_prompt %}<|assistant|>
{% endif %}`

func TestStrictToolsThatCannotBeHeldToAreNoted(t *testing.T) {
	h := aHost(t)
	loose := h.Loose(TemplateSource{Name: "bare", Source: bareJSON})
	tool := func(strict string) string {
		return `, "tools": [{"type": "function", "function": {"name": "f", "strict": ` + strict +
			`, "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}}]`
	}
	for members, noted := range map[string]bool{
		tool("false"): false,
		tool("true"):  true,
		tool("true") + `, "tool_choice": "required"`: false,
		tool("true") + `, "tool_choice": "none"`:     false,
	} {
		p, err := loose.Plan(t.Context(), "", asked(t, members))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(p.Plan.Notes, "\n"), "strict tools are not held to"); got != noted {
			t.Errorf("%s: notes %q", members, p.Plan.Notes)
		}
	}
	p, err := h.Plan(t.Context(), "chatml-json", asked(t, tool("true")))
	if err != nil || p.Plan.Constraint == nil || !p.Plan.Constraint.Lazy || len(p.Plan.Notes) > 0 {
		t.Errorf("where a marker tells calls from prose: %+v, %v", p, err)
	}
}
