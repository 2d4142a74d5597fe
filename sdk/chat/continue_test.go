package chat_test

import (
	"errors"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

func TestContinuedPicksThePartToContinue(t *testing.T) {
	const user = `{"role":"user","content":"Hi"}`
	for _, c := range []struct {
		name, message, field string
		want                 chat.Continuation
	}{
		{"nothing is asked", `"content":"a"`, `false`, chat.ContinueNone},
		{"content", `"content":"a","reasoning_content":"r"`, `true`, chat.ContinueContent},
		{"no content yet", `"content":"","reasoning_content":"r"`, `true`, chat.ContinueReasoning},
		{"nothing yet", `"content":null`, `"auto"`, chat.ContinueContent},
		{"the reasoning by name", `"content":"a","reasoning_content":"r"`, `"reasoning_content"`, chat.ContinueReasoning},
		{"the content by name", `"content":"","reasoning_content":"r"`, `"content"`, chat.ContinueContent},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := chat.ParseRequest([]byte(`{"messages":[` + user + `,{"role":"assistant",` + c.message + `}],"add_generation_prompt":false,"continue_final_message":` + c.field + `}`))
			if err != nil {
				t.Fatal(err)
			}
			m, part, err := r.Continued()
			if err != nil || part != c.want || (part != chat.ContinueNone) != (m.Role == chat.RoleAssistant) {
				t.Errorf("got %v of %+v, %v; want %v", part, m, err, c.want)
			}
			fresh := r.StartingNew()
			if c.want == chat.ContinueNone {
				if len(fresh.Messages) != 2 || fresh.AddGenerationPrompt {
					t.Errorf("the request became %+v", fresh)
				}
			} else if len(fresh.Messages) != 1 || !fresh.AddGenerationPrompt || fresh.ContinueFinalMessage != chat.ContinueNone {
				t.Errorf("the request became %+v", fresh)
			}
			if len(r.Messages) != 2 {
				t.Error("the request itself has changed")
			}
		})
	}
}

func TestOnlyMessagesOfTheAssistantAreContinued(t *testing.T) {
	for _, messages := range [][]chat.Message{nil, {{Role: chat.RoleAssistant}}, {{Role: chat.RoleUser}, {Role: chat.RoleUser}}} {
		r := chat.Request{Messages: messages, ContinueFinalMessage: chat.ContinueContent}
		_, _, err := r.Continued()
		var invalid *fault.Error
		if !errors.As(err, &invalid) || invalid.Place != "continue_final_message" {
			t.Errorf("%d messages: got %v", len(messages), err)
		}
	}
}

func TestPartsAreJoined(t *testing.T) {
	c := chat.Content{Parts: []chat.Part{{Type: "text", Text: "a"}, {Type: "image_url"}, {Type: "text", Text: "b"}}}
	if got := c.Join("\n"); got != "a\nb" {
		t.Errorf("got %q", got)
	}
	if got := chat.TextContent("a").Join("\n"); got != "a" {
		t.Errorf("got %q", got)
	}
	if got := (chat.Content{}).Join("\n"); got != "" {
		t.Errorf("got %q", got)
	}
}
