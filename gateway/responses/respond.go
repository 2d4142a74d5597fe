package responses

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/gateway/responses/request"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// idPrefix begins the ids of responses.
const idPrefix = "resp_"

// answer is a response being delivered.
type answer struct {
	*service
	*reply.Reply
	request *request.Request
	kept    kept
	object  *object
	items   items
	w       http.ResponseWriter
}

// respond answers a request.
func (s *service) respond(w http.ResponseWriter, r *http.Request) (err error) {
	a := &answer{service: s, w: w, kept: kept{s.Store, api.Owner(r.Context())}}
	if a.Reply, err = reply.Begin(w, r, idPrefix+strings.ToLower(rand.Text()), a.plan); err != nil {
		return err
	}
	defer a.Close()
	a.Head()
	if a.object, err = newObject(a.Reply, a.request, s.Store != nil && a.request.Store); err != nil {
		return err
	}
	a.items = items{request: a.request, response: strings.TrimPrefix(a.ID, idPrefix)}
	if a.request.Encrypted {
		a.items.seal = func(text string) string { return s.Seal.Seal(seal.Reasoning, text) }
	}
	if a.Stream {
		err = a.stream()
	} else {
		err = a.whole()
	}
	if err == nil {
		a.Note()
	}
	return err
}

// plan plans the answer to a request.
func (a *answer) plan(ctx context.Context, body []byte) (*gateway.Answer, error) {
	o := request.Options{Open: Open(a.Seal)}
	if a.Store != nil {
		o.Earlier = a.kept
	}
	var err error
	if a.request, err = request.Read(body, o); err != nil {
		return nil, err
	}
	planned, err := a.Gateway.Plan(ctx, a.request.Chat)
	if err != nil {
		return nil, a.request.Fault(err)
	}
	planned.Notes = append(a.request.Notes, planned.Notes...)
	return planned, nil
}

// whole sends the response at its end.
func (a *answer) whole() error {
	if err := a.read(func() error { return nil }); err != nil {
		return err
	}
	return reply.WriteJSON(a.w, http.StatusOK, a.finish())
}

// stream sends the response as events.
func (a *answer) stream() error {
	events := new(encoder)
	a.items.out = events
	out := a.Events()
	send := func() error {
		text, err := events.take()
		if err != nil {
			return err
		}
		return out.Send(text)
	}
	begun := responseEvent{a.object.json(nil)}
	events.add("response.created", begun)
	events.add("response.in_progress", begun)
	if err := send(); err != nil {
		return err
	}
	err := a.read(send)
	if err != nil {
		a.object.fail(reply.Fault(err))
		events.add("response.failed", responseEvent{a.object.json(a.items.done)})
		_ = send() // fails only when the client is gone
		return err
	}
	text := a.finish() // which also sets the status
	events.add("response."+a.object.status, responseEvent{text})
	return send()
}

// responseEvent has the members of an event about the response.
type responseEvent struct {
	Response json.RawMessage `json:"response"`
}

// read reads the output, and calls f after each piece of the engine.
func (a *answer) read(f func() error) error {
	err := reply.Read(a.Outputs[0], func(pieces []chat.Piece) error {
		for i := range pieces {
			a.items.add(&pieces[i])
		}
		return f()
	})
	a.items.end(err != nil || a.Outputs[0].Result().FinishReason == chat.FinishLength)
	return err
}

// finish returns the response, which has ended and is kept if it should be.
func (a *answer) finish() json.RawMessage {
	a.object.end(a.Outputs[0].Result().FinishReason, reply.Count(a.Outputs))
	text := a.object.json(a.items.done)
	if !a.object.store {
		return text
	}
	err := a.kept.keep(a.ID, a.request, text)
	if err == nil {
		return text
	}
	a.Logger.Error("a response could not be stored", "response", a.ID, "error", err)
	a.object.store = false
	return a.object.json(a.items.done)
}

// fail ends a response with an error.
func (o *object) fail(err *fault.Error) {
	code := "server_error"
	if err.Code == fault.RateLimited {
		code = "rate_limit_exceeded"
	}
	o.status, o.store, o.failure = failed, false, &failure{code, err.Message}
}
