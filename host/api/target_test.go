package api

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAPlanNamesTheTargetAndHasTheConstraintInIt(t *testing.T) {
	d := serve(t, nil)
	for target, begins := range map[string]string{
		"":               "",
		"structural_tag": `{"type":"structural_tag"`,
		"ebnf":           "root ::= ",
		"lark":           "%llguidance {}",
	} {
		status, body := d.post(t, planPath, `{"template": "chatml-json", "target": "`+target+`", "request": {"messages": [{"role": "user", "content": "Hi"}],
			"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]}}`)
		var plan struct {
			Constraint struct{ Grammar, Target, Content string }
		}
		if err := json.Unmarshal([]byte(body), &plan); err != nil || status != 200 {
			t.Fatalf("%q: %d %.300s %v", target, status, body, err)
		}
		want := target
		if target == "" {
			want = "gbnf"
		}
		c := plan.Constraint
		if c.Target != want || !strings.HasPrefix(c.Content, begins) || (c.Content == "") != (target == "") || c.Grammar == "" {
			t.Errorf("%q: %+v", target, c)
		}
	}
}
