package anthropic

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// answer is an answer being delivered.
type answer struct {
	*reply.Reply
	request *request
	sealer  *seal.Sealer
	w       http.ResponseWriter
}

// blocks returns the blocks of the answer, said to a listener.
func (a *answer) blocks(to listener) *blocks {
	return &blocks{to: to, sealer: a.sealer, omitted: a.request.omitted, continued: maps.Clone(a.request.continued)}
}

// deliver sends the answer.
func (a *answer) deliver() error {
	if a.Stream {
		return a.stream()
	}
	all := &content{}
	b := a.blocks(all)
	err := reply.Read(a.Outputs[0], func(pieces []chat.Piece) error {
		for i := range pieces {
			b.add(&pieces[i])
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.last(a.Outputs[0].Result().FinishReason)
	m := a.message()
	m.Content = append(m.Content, all.blocks...)
	m.end = endOf(a.Outputs[0])
	return reply.WriteJSON(a.w, http.StatusOK, m)
}

// messageObject is a message of an answer.
type messageObject struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Role    string `json:"role"`
	Model   string `json:"model"`
	Content []any  `json:"content"`
	end
	Usage usage `json:"usage"`
}

// message returns the message as it is so far, without its content.
func (a *answer) message() messageObject {
	return messageObject{
		ID: a.ID, Type: "message", Role: chat.RoleAssistant, Model: a.Model, Content: []any{}, Usage: usageOf(reply.Count(a.Outputs)),
	}
}

// end is why a message has ended; null before.
type end struct {
	Reason   *string `json:"stop_reason"`
	Sequence *string `json:"stop_sequence"`
}

// endOf returns why an output has ended.
func endOf(o *gateway.Output) end {
	reason, stop := "end_turn", o.Stop()
	switch finish := o.Result().FinishReason; {
	case finish == chat.FinishToolCalls:
		reason, stop = "tool_use", ""
	case stop != "":
		reason = "stop_sequence"
	case finish == chat.FinishLength && o.Full():
		reason = "model_context_window_exceeded"
	case finish == chat.FinishLength:
		reason = "max_tokens"
	}
	e := end{Reason: &reason}
	if stop != "" {
		e.Sequence = &stop
	}
	return e
}

// usage counts the tokens of an answer. What was cached is not in InputTokens, and thinking is in OutputTokens.
type usage struct {
	InputTokens   int             `json:"input_tokens"`
	CacheCreation int             `json:"cache_creation_input_tokens"`
	CacheRead     int             `json:"cache_read_input_tokens"`
	OutputTokens  int             `json:"output_tokens"`
	Output        *thinkingTokens `json:"output_tokens_details,omitempty"`
	ServiceTier   string          `json:"service_tier"`
}

type thinkingTokens struct {
	Thinking int `json:"thinking_tokens"`
}

// usageOf returns the usage in the words of Anthropic, whose clients expect numbers: what was not counted is 0.
func usageOf(u *engine.Usage) usage {
	all := usage{ServiceTier: "standard"}
	if u == nil {
		return all
	}
	all.InputTokens, all.OutputTokens = u.Prompt, u.Completion
	if u.Cached != nil {
		all.CacheRead = min(*u.Cached, u.Prompt)
		all.InputTokens -= all.CacheRead
	}
	if u.Reasoning != nil {
		all.Output = &thinkingTokens{*u.Reasoning}
	}
	return all
}

// The blocks of a message.
type (
	textBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	thinkingBlock struct {
		Type      string `json:"type"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
	}
	callBlock struct {
		Type  string `json:"type"`
		ID    string `json:"id"`
		Name  string `json:"name"`
		Input any    `json:"input"`
	}
)

// begun returns a block that begins.
func begun(kind chat.EventKind, id, name string) any {
	switch kind {
	case chat.ReasoningText:
		return &thinkingBlock{Type: "thinking"}
	case chat.ContentText:
		return &textBlock{Type: "text"}
	}
	return &callBlock{Type: "tool_use", ID: id, Name: name, Input: struct{}{}}
}

// content collects blocks.
type content struct {
	blocks []any
	text   []byte // of the open block
}

var _ listener = (*content)(nil)

func (c *content) begin(_ int, kind chat.EventKind, id, name string) {
	c.blocks, c.text = append(c.blocks, begun(kind, id, name)), c.text[:0]
}

func (c *content) delta(_ int, _ chat.EventKind, text []byte) { c.text = append(c.text, text...) }

func (c *content) end(index int, signature string) {
	switch b := c.blocks[index].(type) {
	case *textBlock:
		b.Text = string(c.text)
	case *thinkingBlock:
		b.Thinking, b.Signature = string(c.text), signature
	case *callBlock:
		b.Input = inputOf(c.text)
	}
}

// inputOf returns the arguments of a call: an object, or a string if they are none, because they were broken off or the model erred.
func inputOf(arguments []byte) any {
	switch {
	case len(arguments) == 0:
		return struct{}{}
	case string(arguments) == nothing:
		return ""
	}
	if bytes.HasPrefix(bytes.TrimSpace(arguments), []byte{'{'}) && json.Valid(arguments) {
		return json.RawMessage(bytes.Clone(arguments))
	}
	return string(arguments)
}
