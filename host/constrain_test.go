package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// withTool is a request with one tool, and further members.
func withTool(t *testing.T, parameters, members string) *chat.Request {
	t.Helper()
	r, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function":
		{"name": "f", "parameters": ` + parameters + `}}]` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestASchemaThatNothingFollowsIsRefusedWithItsPlace(t *testing.T) {
	h, err := New(t.Context(), Options{Config: config.Default(), Static: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ template, parameters, members, want string }{
		{"chatml-json", `{"properties": {"a": {"type": "text"}}}`, ``, `tools[0].function.parameters.properties.a.type: unknown type "text"`},
		{"chatml-tagged", `{"type": "object", "properties": {"a.b": {"enum": []}}}`, ``, `tools[0].function.parameters.properties["a.b"].enum: an empty list`},
		{"chatml-json", `{}`, `, "tool_choice": "none", "json_schema": {"$ref": "#/nowhere"}`, `json_schema.$ref: "#/nowhere" points to nothing`},
	} {
		_, err := h.Plan(t.Context(), tt.template, withTool(t, tt.parameters, tt.members))
		var fault *chat.RequestError
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.template, err, tt.want)
		}
	}
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotBeConstrainedIsFreeUnlessTheRequestInsists(t *testing.T) {
	var b peg.Builder
	free := b.Build(b.Seq(b.Tag(peg.Content, b.Rest()), b.End()))
	for _, tt := range []struct {
		members string
		mode    grammar.Mode
		want    string
	}{
		{``, grammar.Lazy, ""},
		{``, grammar.Free, ""},
		{`, "tool_choice": "required", "pure_content": true`, grammar.Free, ""},
		{`, "tool_choice": "required"`, grammar.Strict, ""},
		{`, "tool_choice": "required"`, grammar.Lazy, `tool_choice: it cannot be enforced: handler "h" makes no constraint for this template (sampling is free, for no constraint can be made: program: no trigger rule`},
		{`, "tool_choice": {"type": "function", "function": {"name": "f"}}`, grammar.Free, `tool_choice: it cannot be enforced: handler "h"`},
		{`, "tool_choice": "none", "json_schema": {}`, grammar.Free, `json_schema: it cannot be enforced: handler "h"`},
	} {
		p := &Planned{Plan: &handler.Plan{Program: free, Grammar: tt.mode}, Handler: "h", request: withTool(t, `{}`, tt.members)}
		err := p.constrain(new(grammar.Cache), nil)
		var fault *chat.RequestError
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (!errors.As(err, &fault) || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.members, err, tt.want)
		case tt.mode == grammar.Lazy && (p.Plan.Constraint != nil || len(p.Plan.Notes) != 1):
			t.Errorf("constraint %v, notes %q", p.Plan.Constraint, p.Plan.Notes)
		}
	}
}
