package gemma4

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

const (
	older = `{{ message['tool_responses'] }}`
	newer = `{{ follow.get('tool_call_id') }}`
)

func planned(t *testing.T, h handler.Handler, source, request string) *handler.Plan {
	t.Helper()
	r, err := chat.ParseRequest([]byte(request))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := h.Plan(t.Context(), handler.Input{Template: handler.Template{Source: source}, Request: r})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestAnswersOfToolsGoWhereTheTemplateLooksForThem(t *testing.T) {
	const user = `{"role":"user","content":"Hi"}`
	call := func(content, calls string) string {
		return `{"role":"assistant","content":"` + content + `","tool_calls":[` + calls + `]}`
	}
	const f = `{"type":"function","function":{"name":"f","arguments":"{}"},"id":"1"}`
	const g = `{"type":"function","function":{"name":"g","arguments":"{}"},"id":"2"}`
	folded := func(content, calls, responses string) string {
		return strings.TrimSuffix(call(content, calls), "}") + `,"tool_responses":[` + responses + `]}`
	}
	for _, c := range []struct{ name, source, messages, want string }{
		{"no calls", older, user, user},
		{"a call without an answer", older, user + `,` + call("", f), user + `,` + call("", f)},
		{"text", older, call("", f) + `,{"role":"tool","content":"21","tool_call_id":"1"}`, folded("", f, `{"name":"f","response":"21"}`)},
		{"an object", older, call("", f) + `,{"role":"tool","content":"{\"a\":1}","tool_call_id":"1"}`, folded("", f, `{"name":"f","response":{"a":1}}`)},
		{"two answers, in another order", older, call("", f+`,`+g) + `,{"role":"tool","content":"b","tool_call_id":"2"},{"role":"tool","content":"a","tool_call_id":"1"}`,
			folded("", f+`,`+g, `{"name":"g","response":"b"},{"name":"f","response":"a"}`)},
		{"an answer without an id", older, call("", f) + `,{"role":"tool","content":"a","name":"h"}`, folded("", f, `{"name":"h","response":"a"}`)},
		{"an answer to no call", older, call("", f) + `,{"role":"tool","content":"a"}`, folded("", f, `{"name":"unknown","response":"a"}`)},
		{"what the model says then", older, call("", f) + `,{"role":"tool","content":"a","tool_call_id":"1"},{"role":"assistant","content":"So."},` + user,
			folded("So.", f, `{"name":"f","response":"a"}`) + `,` + user},
		{"what the model says before", older, call("Well.", f) + `,{"role":"tool","content":"a","tool_call_id":"1"}`, folded("", f, `{"name":"f","response":"a"}`)},
		{"calls after calls", older, call("", f) + `,{"role":"tool","content":"a","tool_call_id":"1"},` + call("", g),
			folded("", f, `{"name":"f","response":"a"}`) + `,` + call("", g)},
		{"a template that looks up calls", newer, call("", f) + `,{"role":"tool","content":"a","tool_call_id":"1"}`, call("", f) + `,{"role":"tool","content":"a","tool_call_id":"1"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.Marshal(planned(t, gemma4{}, c.source, `{"messages":[`+c.messages+`]}`).Request)
			if err != nil {
				t.Fatal(err)
			}
			if want := `{"messages":[` + c.want + `],"add_generation_prompt":true}`; string(got) != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestWhatFollowsThePrompt(t *testing.T) {
	const user = `{"role":"user","content":"Hi"}`
	const answered = user + `,{"role":"assistant","content":"Well.","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"},"id":"1"}]},{"role":"tool","content":"a","tool_call_id":"1"}`
	silent := strings.Replace(answered, "Well.", "", 1)
	for _, c := range []struct{ name, source, messages, more, want string }{
		{"nothing", newer, user, ``, ""},
		{"an answer", newer, user + `,{"role":"assistant","content":"a"}`, `,"continue_final_message":true`, "<|channel>thought\n<channel|>a"},
		{"an answer behind a thought", newer, user + `,{"role":"assistant","content":"a","reasoning_content":"r"}`, `,"continue_final_message":true`, "<|channel>thought\nr<channel|>a"},
		{"a thought", newer, user + `,{"role":"assistant","content":"","reasoning_content":"r"}`, `,"continue_final_message":true`, "<|channel>thought\nr"},
		{"the thought alone", newer, user + `,{"role":"assistant","content":"a","reasoning_content":"r"}`, `,"continue_final_message":"reasoning_content"`, "<|channel>thought\nr"},
		{"an answer without thinking", newer, user + `,{"role":"assistant","content":"a"}`, `,"continue_final_message":true,"enable_thinking":false`, "a"},
		{"a turn, where the template has ended it", newer, answered, ``, "<|turn>model\n"},
		{"no turn, where none is wanted", newer, answered, `,"add_generation_prompt":false`, ""},
		{"no turn, where it goes on", newer, silent, ``, ""},
		{"no turn in older templates", older, answered, ``, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := planned(t, gemma4{}, c.source, `{"messages":[`+c.messages+`]`+c.more+`}`).Prefill; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestContentThatTheTemplateDoesNotShowIsNoted(t *testing.T) {
	plan := planned(t, gemma4{}, older, `{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Well.","tool_calls":[
		{"function":{"name":"f","arguments":"{}"},"id":"1"}]},{"role":"tool","content":"a","tool_call_id":"1"}]}`)
	if len(plan.Notes) != 1 || !strings.HasPrefix(plan.Notes[0], "messages[1]: ") {
		t.Errorf("notes %q", plan.Notes)
	}
}

func TestOnlyAMessageOfTheAssistantCanBeContinued(t *testing.T) {
	r, err := chat.ParseRequest([]byte(`{"messages":[{"role":"user","content":"Hi"},{"role":"user","content":"Hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.ContinueFinalMessage = chat.ContinueAuto
	_, err = gemma4{}.Plan(t.Context(), handler.Input{Request: r})
	var invalid *fault.Error
	if !errors.As(err, &invalid) || invalid.Place != "continue_final_message" {
		t.Errorf("got %v", err)
	}
}
