package gptoss

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

func TestRequestsAreNormalised(t *testing.T) {
	const user = `{"role":"user","content":"Hi"}`
	const call = `"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"},"id":"1"}]`
	for _, c := range []struct{ name, messages, more, want string }{
		{"a plain conversation stays as it is", user, ``, `{"messages":[` + user + `],"add_generation_prompt":true}`},
		{"parts become one text", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"},{"type":"text","text":"b"}]}`, ``,
			`{"messages":[{"role":"user","content":"a\nb"}],"add_generation_prompt":true}`},
		{"instructions at the beginning become one", `{"role":"system","content":"a"},{"role":"developer","content":"b"},` + user, ``,
			`{"messages":[{"role":"system","content":"a\n\nb"},` + user + `],"add_generation_prompt":true}`},
		{"reasoning is thinking, beside calls in place of content", user + `,{"role":"assistant","content":"c","reasoning_content":"r",` + call + `}`, ``,
			`{"messages":[` + user + `,{"role":"assistant","content":"","reasoning_content":"r",` + call + `,"thinking":"r"}],"add_generation_prompt":true}`},
		{"no content is the empty one", user + `,{"role":"assistant","content":null,` + call + `}`, ``,
			`{"messages":[` + user + `,{"role":"assistant","content":"",` + call + `}],"add_generation_prompt":true}`},
		{"a message to be continued is left out", user + `,{"role":"assistant","content":"c"}`, `,"continue_final_message":true,"add_generation_prompt":false`,
			`{"messages":[` + user + `],"add_generation_prompt":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.Marshal(planFor(t, `{"messages":[`+c.messages+`]`+c.more+`}`).Request)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestWhatTheTemplateDoesNotShowIsNoted(t *testing.T) {
	plan := planFor(t, `{"messages":[{"role":"user","content":"Hi"},{"role":"system","content":"Be brief."},{"role":"assistant","content":"",
		"tool_calls":[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":"{}"}}]}]}`)
	if len(plan.Notes) != 2 || !strings.HasPrefix(plan.Notes[0], "messages[1]: ") || !strings.HasPrefix(plan.Notes[1], "messages[2]: ") {
		t.Errorf("notes %q", plan.Notes)
	}
}

func TestOnlyAMessageOfTheAssistantCanBeContinued(t *testing.T) {
	for _, messages := range []string{`{"role":"user","content":"Hi"},{"role":"user","content":"Hi"}`, `{"role":"assistant","content":"Hi"}`} {
		r, err := chat.ParseRequest([]byte(`{"messages":[` + messages + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.ContinueFinalMessage = chat.ContinueAuto
		_, err = new(gptoss).Plan(t.Context(), handler.Input{Request: r})
		var invalid *fault.Error
		if !errors.As(err, &invalid) || invalid.Place != "continue_final_message" {
			t.Errorf("%s: got %v", messages, err)
		}
	}
}
