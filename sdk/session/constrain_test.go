package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// withTool returns a request with one tool, and further members.
func withTool(t *testing.T, members string) *chat.Request {
	t.Helper()
	r, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function":
		{"name": "f", "parameters": {}}}]` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
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
		{`, "tool_choice": "required"`, grammar.Lazy, `tool_choice: it cannot be enforced: the handler "h" builds no constraint for this template (sampling is free: no constraint can be built: program: no trigger rule`},
		{`, "tool_choice": {"type": "function", "function": {"name": "f"}}`, grammar.Free, `tool_choice: it cannot be enforced: the handler "h"`},
		{`, "tool_choice": "none", "json_schema": {}`, grammar.Free, `json_schema: it cannot be enforced: the handler "h"`},
	} {
		draft := &session.Draft{Plan: handler.Plan{Program: free, Grammar: tt.mode}, Handler: "h"}
		p, err := session.New(context.Background(), draft, withTool(t, tt.members), session.PlanOptions{})
		var invalid *fault.Error
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (!errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.members, err, tt.want)
		case tt.want == "" && tt.mode == grammar.Lazy && (p.Unconstrained() == nil || p.Constraint != nil || len(p.Notes) != 1):
			t.Errorf("constraint %v, notes %q", p.Constraint, p.Notes)
		}
	}
}
