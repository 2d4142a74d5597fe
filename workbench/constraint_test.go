package workbench

import (
	"strings"
	"testing"
)

func TestATextIsTriedAgainstTheConstraint(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	const call = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"
	required := strings.Replace(weather, "{", `{"tool_choice": "required", `, 1)
	for _, test := range []struct {
		does, request, text, status string
		start, offset               int
		expected                    string
	}{
		{"lets prose pass before a trigger", weather, "Hello", "free", 5, 5, ""},
		{"accepts a call behind prose", weather, "Hello " + call, "accepted", 6, 6 + len(call), "*"},
		{"names the tools", weather, `<tool_call>{"name": "oops`, "refused", 0, 21, `"get_weather\""`},
		{"names what a value must be", weather, `<tool_call>{"name": "get_weather", "arguments": {"city": 1`, "refused", 0, 57, "*"},
		{"says how it may go on", weather, `<tool_call>{"na`, "incomplete", 0, 15, `"me\""`},
		{"covers the whole output where a call is required", required, "Hello", "incomplete", 0, 5, "*"},
	} {
		t.Run(test.does, func(t *testing.T) {
			view := post[constraintView](t, d, "constraint", constraintQuestion{Template: subject{Name: "chatml-json"}, Request: test.request, Text: &test.text})
			if view.Constraint == nil || !strings.HasPrefix(view.Constraint.Grammar, "root ::=") || len(view.PreservedTokens) == 0 || view.Stops == nil || view.Notes == nil {
				t.Fatalf("%+v", view)
			}
			got := view.Tried
			if expected := strings.Join(got.Expected, ", "); got.Status != test.status || got.Start != test.start || got.Offset != test.offset ||
				test.expected != "*" && expected != test.expected {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestConstraintsAreShownInEachNotation(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	text := "<tool_call>!"
	for target, want := range map[string]string{"gbnf": "", "lark": "%llguidance", "structural_tag": "{", "ebnf": "root ::="} {
		view := post[constraintView](t, d, "constraint", constraintQuestion{Template: subject{Name: "chatml-json"}, Request: weather, Target: target, Text: &text})
		if view.Constraint == nil || !strings.HasPrefix(view.Constraint.Content, want) || view.Tried.Status != "refused" || view.Tried.Offset != 11 {
			t.Errorf("%s: %+v", target, view)
		}
	}
	view := post[constraintView](t, d, "constraint", constraintQuestion{Template: subject{Name: "chatml-json"}, Request: `{"messages": [{"role": "user", "content": "Hi"}]}`, Text: &text})
	if view.Constraint != nil || view.Tried != nil {
		t.Errorf("%+v", view)
	}
}
