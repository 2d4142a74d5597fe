package openai

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// chat answers a chat request.
func (s *service) chat(w http.ResponseWriter, r *http.Request) error {
	begun, err := reply.Begin(w, r, "chatcmpl-"+rand.Text(), s.plan)
	if err != nil {
		return err
	}
	defer begun.Close()
	begun.Head()
	c := &completion{Reply: begun, w: w}
	if err = c.deliver(); err == nil {
		c.Note()
	}
	return err
}

func (s *service) plan(ctx context.Context, body []byte) (*gateway.Answer, error) {
	a, err := s.gateway.Plan(ctx, body)
	if err == nil && a.IncludeUsage && !a.Stream {
		err = fault.Invalid("stream_options", "only allowed with stream: true")
	}
	return a, err
}

// completion is an answer being delivered.
type completion struct {
	*reply.Reply
	w http.ResponseWriter
}

// deliver sends the answer.
func (c *completion) deliver() error {
	if c.Stream {
		return c.stream()
	}
	if err := c.Collect(); err != nil {
		return err
	}
	answer := c.envelope("chat.completion")
	for i, o := range c.Outputs {
		one := choice{Index: i, Message: o.Result().Message, FinishReason: c.reason(o)}
		if c.Answer.Logprobs {
			one.Logprobs = likely(o.Logprobs())
		}
		answer.Choices = append(answer.Choices, one)
	}
	return reply.WriteJSON(c.w, http.StatusOK, struct {
		chat.Envelope[choice]
		Usage *usage `json:"usage,omitempty"`
	}{answer, usageOf(reply.Count(c.Outputs))})
}

func (c *completion) envelope(object string) chat.Envelope[choice] {
	return chat.Envelope[choice]{ID: c.ID, Object: object, Created: c.Created.Unix(), Model: c.Model, Choices: []choice{}}
}

// choice is a chat.Choice with the members that some clients expect.
type choice struct {
	Index        int               `json:"index"`
	Message      chat.Message      `json:"message"`
	Logprobs     *logprobs         `json:"logprobs"`
	FinishReason chat.FinishReason `json:"finish_reason"`
}

// reason returns why an output has finished: "stop" also after the call of the function that the client named, as OpenAI does.
func (c *completion) reason(o *gateway.Output) chat.FinishReason {
	reason := o.Result().FinishReason
	if reason == chat.FinishToolCalls && c.Request().ToolChoice.Mode == chat.ToolNamed {
		return chat.FinishStop
	}
	return reason
}
