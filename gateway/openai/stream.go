package openai

import (
	"encoding/json"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// stream sends the answer as events, those of several choices as they come.
func (c *completion) stream() error {
	out := c.Events()
	response := chat.Response{ID: c.ID, Created: c.Created, Model: c.Model}
	err := c.Each(func(i int) error { return c.choice(i, response.ChoiceEncoder(i), out) })
	if err != nil {
		_ = send(out, describe(reply.Fault(err))) // fails only when the client is gone
		return err
	}
	if c.IncludeUsage {
		last := struct {
			chat.Envelope[choice]
			Usage *usage `json:"usage"`
		}{c.envelope("chat.completion.chunk"), usageOf(reply.Count(c.Outputs))}
		if err := send(out, last); err != nil {
			return err
		}
	}
	return out.Send([]byte("data: [DONE]\n\n"))
}

// choice sends the chunks of one choice.
func (c *completion) choice(i int, encoder *chat.ChunkEncoder, out *reply.Events) error {
	o := c.Outputs[i]
	text := encoder.AppendEvent(nil, new(chat.Piece)) // the role
	err := reply.Read(o, func(pieces []chat.Piece) (err error) {
		for i := range pieces {
			text = appendEvents(text, encoder, &pieces[i])
		}
		if c.Answer.Logprobs {
			if text, err = c.appendLogprobs(text, i); err != nil {
				return err
			}
		}
		err = out.Send(text)
		text = text[:0]
		return err
	})
	if err != nil {
		return err
	}
	return out.Send(encoder.AppendLastEvent(text, c.reason(o)))
}

// appendEvents appends the events of a piece: clients expect that a call begins with empty arguments, and that the role comes once.
func appendEvents(b []byte, encoder *chat.ChunkEncoder, p *chat.Piece) []byte {
	if p.Kind == 0 {
		return b // the role, which was sent
	}
	if p.Kind == chat.CallArguments && p.Name != "" && len(p.Text) > 0 {
		b = encoder.AppendEvent(b, &chat.Piece{Kind: p.Kind, Call: p.Call, ID: p.ID, Name: p.Name})
		return encoder.AppendEvent(b, &chat.Piece{Kind: p.Kind, Call: p.Call, Text: p.Text})
	}
	return encoder.AppendEvent(b, p)
}

// send sends a value as an event.
func send(out *reply.Events, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return out.Send(append(append([]byte("data: "), text...), "\n\n"...))
}
