package host

import (
	"slices"
	"strings"
	"testing"
)

// bareJSON is a template that writes calls as bare JSON, without markers.
const bareJSON = `{% for m in messages %}<|{{ m.role }}|>
{% if m.tool_calls %}{% for c in m.tool_calls %}{{ {"name": c.function.name, "parameters": c.function.arguments} | tojson }}{% endfor %}{% else %}{{ m.content }}{% endif %}<|end|>
{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}{% if add_generation_prompt %}<|assistant|>
{% endif %}`

func TestStrictToolsThatCannotBeEnforcedAreNoted(t *testing.T) {
	h := aHost(t)
	detached := h.Detached(TemplateSource{Name: "bare", Source: bareJSON})
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
		p, err := detached.Plan(t.Context(), "", asked(t, members))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(p.Plan.Notes, "\n"), "the schemas of strict tools are not enforced"); got != noted {
			t.Errorf("%s: notes %q", members, p.Plan.Notes)
		}
	}
	p, err := h.Plan(t.Context(), "chatml-json", asked(t, tool("true")))
	if err != nil || p.Plan.Constraint == nil || !p.Plan.Constraint.Lazy || len(p.Plan.Notes) > 0 {
		t.Errorf("with markers around calls: %+v, %v", p, err)
	}
}

// TestConditionsAcrossArgumentsAreEnforcedOrNoted offers a tool that takes one of two arguments, in
// a format that writes arguments as one JSON object and in one that writes them one by one.
func TestConditionsAcrossArgumentsAreEnforcedOrNoted(t *testing.T) {
	h := aHost(t)
	tool := func(strict string) string {
		return `, "tools": [{"type": "function", "function": {"name": "f", "strict": ` + strict +
			`, "parameters": {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "additionalProperties": false, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}}}]`
	}
	const note = "tools[0].function.parameters: oneOf cannot be enforced: the format writes arguments one by one"
	for _, tt := range []struct {
		template, members string
		noted             bool
	}{
		{"chatml-json", tool("true"), false},
		{"chatml-tagged", tool("false"), true},
		{"chatml-tagged", tool("true") + `, "tool_choice": "none"`, false},
	} {
		p, err := h.Plan(t.Context(), tt.template, asked(t, tt.members))
		if err != nil {
			t.Errorf("%s %s: %v", tt.template, tt.members, err)
		} else if slices.Contains(p.Plan.Notes, note) != tt.noted {
			t.Errorf("%s %s: notes %q", tt.template, tt.members, p.Plan.Notes)
		}
	}
	_, err := h.Plan(t.Context(), "chatml-tagged", asked(t, tool("true")))
	if err == nil || !strings.HasPrefix(err.Error(), "tools[0].function.parameters: strict, but oneOf cannot be enforced") {
		t.Errorf("a strict tool: %v", err)
	}
}
