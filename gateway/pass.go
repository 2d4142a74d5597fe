package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Pass passes a request for OpenAI's completions of raw prompts on to an engine of its model, as it is; only a name that is the gateway's
// own becomes the engine's. It returns when the first bytes of the answer have come. The time that it waited for engines is added to waited.
func (g *Gateway) Pass(ctx context.Context, body []byte, waited *time.Duration) (*engine.Passed, error) {
	request, err := ordered.Parse(body)
	switch {
	case err != nil:
		return nil, err
	case request.Kind() != ordered.Object:
		return nil, request.Expected("an object")
	case request.Get("model").Kind() != ordered.String:
		return nil, fault.Invalid("model", "expected the name of a model, as GET /v1/models lists them")
	}
	name := request.Get("model").Text()
	r, err := g.find(name)
	if err != nil {
		return nil, err
	}
	tried := map[*server]bool{}
	for n := 1; ; n++ {
		p := r.choose(tried)
		tried[p.server] = true
		asked := time.Now()
		out, err := p.pass(ctx, body, name)
		*waited += time.Since(asked)
		if err == nil || n == attempts || ctx.Err() != nil || fault.CodeOf(err) != fault.Unavailable {
			return out, err
		}
		g.log.Info("an engine failed before its first piece", "engine", p.server.Name, "model", name, "attempt", n, "error", err)
	}
}

// pass passes a request for a model on to one place, and counts it until its answer is closed.
func (p place) pass(ctx context.Context, body []byte, name string) (*engine.Passed, error) {
	to, ok := p.engine.(engine.Passer)
	if !ok {
		return nil, &fault.Error{Code: fault.InvalidArgument, Place: "model", Message: "its engine, " + p.engine.Describe().Kind + ", has no API for completions of raw prompts",
			Remedy: "POST /v1/chat/completions"}
	}
	if p.model.Name != name {
		var err error
		if body, err = renamed(body, p.model.Name); err != nil {
			return nil, err
		}
	}
	p.server.running.Add(1)
	out, err := to.Pass(ctx, body)
	if err != nil {
		p.server.running.Add(-1)
		return nil, err
	}
	from := &counted{bufio.NewReader(out.Body), out.Body, p.server}
	if _, err := from.Peek(1); err != nil {
		_ = from.Close() // it has failed
		return nil, brokenOff()
	}
	out.Body = from
	return out, nil
}

// renamed returns a request for another model.
func renamed(body []byte, model string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err // it was an object before
	}
	name, err := json.Marshal(model)
	if err != nil {
		return nil, err
	}
	members["model"] = name
	return json.Marshal(members)
}

// counted is an answer that counts as an output of a server until it is closed, once.
type counted struct {
	*bufio.Reader
	body   io.Closer
	server *server
}

// Close implements io.Closer.
func (c *counted) Close() error {
	c.server.running.Add(-1)
	return c.body.Close()
}
