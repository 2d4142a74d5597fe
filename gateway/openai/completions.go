package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/host/api"
)

// completions passes a request for a completion of a raw prompt on.
func (s *service) completions(w http.ResponseWriter, r *http.Request) error {
	return Pass(w, r, s.gateway.Pass)
}

// Pass passes a request on to the engine of its model by a method of the gateway, and the answer back, byte by byte.
func Pass(w http.ResponseWriter, r *http.Request, by func(context.Context, []byte, *time.Duration) (*engine.Passed, error)) error {
	begun := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	received := time.Now()
	api.Received(r.Context())
	var waited time.Duration
	passed, err := by(r.Context(), body, &waited)
	if err != nil {
		return err
	}
	defer passed.Body.Close()
	overhead := time.Since(received) - waited
	api.Note(r.Context(), api.Facts{FirstToken: time.Since(begun), Overhead: overhead})
	reply.SetOverhead(w, overhead)
	p := &passing{w: w}
	err = p.pass(passed)
	if p.usage == (passedUsage{}) { // the limits of a key count what engines and given-up answers do not
		p.usage = passedUsage{gateway.EstimateTokens(len(body)), p.pieces}
	}
	api.Note(r.Context(), api.Facts{PromptTokens: p.usage.Prompt, CompletionTokens: p.usage.Completion})
	return err
}

// passing is an answer on its way through.
type passing struct {
	w      http.ResponseWriter
	usage  passedUsage
	pieces int // about as many as tokens
}

// passedUsage is the usage in an answer.
type passedUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

// maxPassed bounds an answer that is not a stream.
const maxPassed = 64 << 20 // bytes

// pass passes an answer on.
func (p *passing) pass(from *engine.Passed) error {
	if kind, _, _ := mime.ParseMediaType(from.ContentType); kind == "text/event-stream" {
		return p.stream(reply.NewEvents(p.w), bufio.NewReader(from.Body))
	}
	text, err := io.ReadAll(io.LimitReader(from.Body, maxPassed))
	if err != nil {
		return err // nothing was sent
	}
	p.count(text)
	p.pieces = gateway.EstimateTokens(len(text))
	p.w.Header().Set("Content-Type", "application/json")
	_, err = p.w.Write(text)
	return err
}

// stream passes events on as they come. A failure of the engine is an event, as in a chat.
func (p *passing) stream(out *reply.Events, from *bufio.Reader) error {
	var text []byte
	for {
		line, err := from.ReadSlice('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			p.pieces++
			if bytes.Contains(data, []byte(`"usage"`)) {
				p.count(data)
			}
		}
		if text = append(text, line...); from.Buffered() == 0 || err != nil {
			if lost := out.Send(text); lost != nil {
				return lost
			}
			text = text[:0]
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			_ = out.Send([]byte("\n\n")) // ends what the engine broke off; fails only when the client is gone, as the next
			_ = send(out, describe(reply.Fault(err)))
			return err
		}
	}
}

// count notes the usage in a part of an answer, if it has one.
func (p *passing) count(text []byte) {
	var in struct {
		Usage passedUsage `json:"usage"`
	}
	if json.Unmarshal(text, &in) == nil && in.Usage != (passedUsage{}) {
		p.usage = in.Usage
	}
}
