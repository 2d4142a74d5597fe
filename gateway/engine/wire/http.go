package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// server is the address of an engine.
type server struct {
	*Client
	base string
}

// maxAnswer bounds what an engine may answer at once.
const maxAnswer = 16 << 20 // bytes

// get asks for JSON.
func (s *server) get(ctx context.Context, path string, into any) error {
	return s.ask(ctx, http.MethodGet, path, nil, into)
}

// ask sends JSON, if body is not nil, and reads JSON.
func (s *server) ask(ctx context.Context, method, path string, body, into any) error {
	res, err := s.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return unreachable(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &fault.Error{Code: fault.Internal, Place: path, Message: "the engine's answer is not the JSON that was expected: " + err.Error(), Err: err}
	}
	return nil
}

// send sends a request, whose body is JSON or will be, and returns an answer that is no error.
func (s *server) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var text io.Reader
	if body != nil {
		encoded, isText := body.([]byte)
		if !isText {
			var err error
			if encoded, err = json.Marshal(body); err != nil {
				return nil, err
			}
		}
		text = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, text)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.Key != "" {
		r.Header.Set("Authorization", "Bearer "+s.Key)
	}
	res, err := s.http.Do(r)
	if err != nil {
		if why := context.Cause(ctx); why != nil {
			return nil, why
		}
		return nil, unreachable(err)
	}
	if res.StatusCode < http.StatusOK || res.StatusCode >= http.StatusMultipleChoices {
		defer res.Body.Close()
		const enough = 4096
		said, _ := io.ReadAll(io.LimitReader(res.Body, enough)) // what could be read is shown
		return nil, refusal(res.StatusCode, said)
	}
	return res, nil
}

// unreachable returns the error for an engine that does not answer.
func unreachable(err error) error {
	return &fault.Error{Code: fault.Unavailable, Message: "the engine does not answer: " + err.Error(), Remedy: "start it, or try again later", Err: err}
}

// refusal returns the error for an engine that answers with a status.
func refusal(status int, body []byte) error {
	e := &fault.Error{Message: fmt.Sprintf("the engine answers %d: %s", status, message(body))}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Code, e.Remedy = fault.Internal, "set engines.key"
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		e.Code = fault.NotFound
	case status == http.StatusTooManyRequests:
		e.Code, e.Remedy = fault.RateLimited, "try again later"
	case status >= http.StatusInternalServerError:
		e.Code, e.Remedy = fault.Unavailable, "try again later"
	default:
		e.Code = fault.InvalidArgument
	}
	return e
}

// message returns the text of an error in any of the forms of engines: {"error":{"message"}}, {"error"}, {"message"} or {"detail"}.
func message(body []byte) string {
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) == nil {
		for _, key := range []string{"error", "message", "detail"} {
			var text string
			var inner struct {
				Message string `json:"message"`
			}
			switch {
			case json.Unmarshal(outer[key], &text) == nil && text != "":
				return text
			case json.Unmarshal(outer[key], &inner) == nil && inner.Message != "":
				return inner.Message
			}
		}
	}
	const shown = 300 // bytes
	return strings.ToValidUTF8(string(body[:min(len(body), shown)]), "\uFFFD")
}

// reader turns the events of an engine into pieces. io.EOF ends the stream; an event may be worth no piece.
type reader interface {
	read(event []byte) (p engine.Piece, ok bool, err error)
	// end returns the last piece when the engine has closed the stream or sent [DONE]; ok is false if the output is not whole.
	end() (p engine.Piece, ok bool)
}

// stream is a completion over HTTP.
type stream struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
	body   io.ReadCloser
	events *events
	reader reader
	ended  bool
}

// complete posts a completion and returns its stream.
func (s *server) complete(ctx context.Context, path string, body any, r reader) (engine.Stream, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	out := &stream{ctx: ctx, cancel: cancel, idle: s.Idle, reader: r}
	out.timer = time.AfterFunc(s.Idle, func() { cancel(s.silent()) })
	res, err := s.send(ctx, http.MethodPost, path, body) //nolint:bodyclose // the stream closes it
	if err != nil {
		_ = out.Close()
		return nil, err
	}
	out.body, out.events = res.Body, newEvents(res.Body)
	return out, nil
}

// silent returns the error for an engine that sends nothing.
func (c *Client) silent() error {
	return &fault.Error{Code: fault.TimedOut, Message: fmt.Sprintf("the engine was silent for %v", c.Idle), Remedy: "try again, or raise engines.idle"}
}

// Next implements engine.Stream.
func (s *stream) Next() (engine.Piece, error) {
	for !s.ended {
		s.timer.Reset(s.idle)
		event, err := s.events.next()
		if errors.Is(err, io.EOF) {
			s.ended = true
			if p, whole := s.reader.end(); whole {
				return p, nil
			}
			return engine.Piece{}, broken(s.ctx, io.ErrUnexpectedEOF)
		}
		if err != nil {
			return engine.Piece{}, broken(s.ctx, err)
		}
		p, ok, err := s.reader.read(event)
		if err != nil {
			return engine.Piece{}, err
		}
		s.ended = p.Finish != engine.Running
		if ok {
			return p, nil
		}
	}
	return engine.Piece{}, io.EOF
}

// broken returns the error for an answer that cannot be read on, to a request with ctx.
func broken(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil {
		return why
	}
	return &fault.Error{Code: fault.Unavailable, Message: "the engine broke off its output: " + err.Error(), Remedy: "try again", Err: err}
}

// Close implements engine.Stream.
func (s *stream) Close() error {
	s.timer.Stop()
	s.cancel(context.Canceled)
	if s.body == nil {
		return nil
	}
	return s.body.Close()
}
