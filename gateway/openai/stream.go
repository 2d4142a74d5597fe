package openai

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// stream sends the answer as events, those of several choices as they come.
func (c *completion) stream() error {
	c.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	c.w.Header().Set("Cache-Control", "no-cache")
	c.w.Header().Set("X-Accel-Buffering", "no") // proxies should pass events on at once
	c.w.WriteHeader(http.StatusOK)
	out := &events{w: c.w}
	var all errgroup.Group
	for i, o := range c.outputs {
		all.Go(func() error { return c.choice(o, c.response.ChoiceEncoder(i), out) })
	}
	err := all.Wait()
	if err != nil {
		c.fail(err)
		return err
	}
	if c.IncludeUsage {
		last := struct {
			chat.Envelope[choice]
			Usage *usage `json:"usage"`
		}{chat.Envelope[choice]{ID: c.response.ID, Object: "chat.completion.chunk", Created: c.response.Created.Unix(), Model: c.Model, Choices: []choice{}}, count(c.outputs)}
		if err := c.event(last); err != nil {
			return err
		}
	}
	return out.send([]byte("data: [DONE]\n\n"))
}

// choice sends the chunks of one choice. If that fails, all choices end.
func (c *completion) choice(o *gateway.Output, encoder *chat.ChunkEncoder, out *events) error {
	var pieces []chat.Piece
	text := encoder.AppendEvent(nil, new(chat.Piece)) // the role
	for {
		var err error
		pieces, err = o.Next(pieces[:0])
		for i := range pieces {
			text = appendEvents(text, encoder, &pieces[i])
		}
		done := errors.Is(err, io.EOF)
		if done {
			text = encoder.AppendLastEvent(text, c.reason(o))
		}
		if lost := out.send(text); lost != nil {
			err = lost
		}
		if done {
			return nil
		}
		if err != nil {
			c.cancel()
			return err
		}
		text = text[:0]
	}
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

// events writes events, of several goroutines.
type events struct {
	mu sync.Mutex
	w  http.ResponseWriter
}

// send sends whole events.
func (e *events) send(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := e.w.Write(text); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}

// event sends a value as an event.
func (c *completion) event(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return (&events{w: c.w}).send(append(append([]byte("data: "), text...), "\n\n"...))
}
