package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Pass passes a request for OpenAI's completions of raw prompts on to an engine of its model, as it is; only a name that is the gateway's
// own becomes the engine's. It returns when the first bytes of the answer have come. The time that it waited for engines is added to waited.
func (g *Gateway) Pass(ctx context.Context, body []byte, waited *time.Duration) (*engine.Passed, error) {
	return g.passOn(ctx, body, waited, func(e engine.Engine) passer {
		if to, ok := e.(engine.Passer); ok {
			return to.Pass
		}
		return nil
	})
}

// Generate is Pass for requests of vLLM's /inference/v1/generate. They need not name the only model, and go where the beginning of their
// token ids is cached.
func (g *Gateway) Generate(ctx context.Context, body []byte, waited *time.Duration) (*engine.Passed, error) {
	return g.passOn(ctx, body, waited, func(e engine.Engine) passer {
		if to, ok := e.(engine.Generator); ok {
			return to.Generate
		}
		return nil
	})
}

// passer passes the body of a request on to an engine.
type passer = func(context.Context, []byte) (*engine.Passed, error)

// passOn passes a request on to one of the engines with an API: those for which by returns more than nil.
func (g *Gateway) passOn(ctx context.Context, body []byte, waited *time.Duration, by func(engine.Engine) passer) (*engine.Passed, error) {
	name, ids, err := g.passed(body)
	if err != nil {
		return nil, err
	}
	r, err := g.find(name)
	if err != nil {
		return nil, err
	}
	kind := r.places[0].engine.Describe().Kind
	r.places = slices.DeleteFunc(r.places, func(p place) bool { return by(p.engine) == nil })
	if len(r.places) == 0 {
		return nil, &fault.Error{Code: fault.InvalidArgument, Place: "model", Message: "its engine, " + kind + ", has no such API", Remedy: "POST /v1/chat/completions"}
	}
	t := g.prefixes.trail(ctx, name, ids)
	tried := map[*server]bool{}
	for n := 1; ; n++ {
		p := t.place(r, tried)
		tried[p.server] = true
		asked := time.Now()
		out, err := p.pass(ctx, body, name, by(p.engine))
		*waited += time.Since(asked)
		if err == nil || n == attempts || ctx.Err() != nil || fault.CodeOf(err) != fault.Unavailable {
			return out, err
		}
		g.log.Info("an engine failed before its first piece", "engine", p.server.Name, "model", name, "attempt", n, "error", err)
	}
}

// passed returns the model of a request to be passed on, and its token ids as they are written, if it has some.
func (g *Gateway) passed(body []byte) (model, ids string, err error) {
	request, err := ordered.Parse(body)
	if err != nil {
		return "", "", err
	}
	if request.Kind() != ordered.Object {
		return "", "", request.Expected("an object")
	}
	var raw struct {
		IDs json.RawMessage `json:"token_ids"`
	}
	_ = json.Unmarshal(body, &raw) // it was read before
	if request.Get("model").Kind() == ordered.String {
		return request.Get("model").Text(), string(raw.IDs), nil
	}
	if models := g.Models(); len(raw.IDs) > 0 && request.Get("model") == nil && len(models) == 1 {
		return models[0], string(raw.IDs), nil
	}
	return "", "", fault.Invalid("model", "expected the name of a model, as GET /v1/models lists them")
}

// pass passes a request for a model on to one place, and counts it until its answer is closed.
func (p place) pass(ctx context.Context, body []byte, name string, to passer) (*engine.Passed, error) {
	if p.model.Name != name {
		var err error
		if body, err = renamed(body, p.model.Name); err != nil {
			return nil, err
		}
	}
	p.server.running.Add(1)
	out, err := to(ctx, body)
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
