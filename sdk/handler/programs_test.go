package handler_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// TestAProgramIsBuiltOnceForRequestsThatDifferInWhatTheySay builds a program that is the request, as far as it is given.
func TestAProgramIsBuiltOnceForRequestsThatDifferInWhatTheySay(t *testing.T) {
	var c handler.Programs
	built := 0
	build := func(r *chat.Request) *peg.Program {
		built++
		if r.Messages != nil || r.Extra != nil || !r.Now.IsZero() {
			t.Errorf("it is given %+v", r)
		}
		text, err := r.MarshalJSON()
		if err != nil {
			t.Error(err)
		}
		var b peg.Builder
		return b.Build(b.Lit(string(text)))
	}
	of := func(request string) *peg.Program {
		t.Helper()
		r, err := chat.ParseRequest([]byte(request))
		if err != nil {
			t.Fatal(err)
		}
		return c.Build(r, build)
	}
	const tools = `, "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]`
	first := of(`{"messages": [{"role": "user", "content": "Hi"}]` + tools + `}`)
	for _, same := range []string{
		`{"messages": [{"role": "user", "content": "Ho"}, {"role": "assistant", "content": "Hm"}]` + tools + `}`,
		`{"messages": [{"role": "user", "content": "Hi"}], "seed": 7` + tools + `}`,
	} {
		if of(same) != first {
			t.Errorf("another program is built for %s", same)
		}
	}
	for i, other := range []string{
		`{"messages": [{"role": "user", "content": "Hi"}]}`,
		`{"messages": [{"role": "user", "content": "Hi"}], "tool_choice": "required"` + tools + `}`,
		`{"messages": [{"role": "user", "content": "Hi"}], "parallel_tool_calls": false` + tools + `}`,
		`{"messages": [{"role": "user", "content": "Hi"}], "json_schema": {"type": "object"}` + tools + `}`,
		`{"messages": [{"role": "user", "content": "Hi"}], "chat_template_kwargs": {"a": 1}` + tools + `}`,
		`{"messages": [{"role": "user", "content": "Hi"}], "parsing": {"call_in_reasoning": "keep"}` + tools + `}`,
	} {
		if of(other).Equal(first) || built != i+2 {
			t.Errorf("%d programs are built, and the last is that of another request: %s", built, other)
		}
	}
}
