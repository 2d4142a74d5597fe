package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// attempts is how often a completion is begun, before an engine has sent anything.
const attempts = 3

// begin lets an engine begin the output, or go on with it, and waits for its first piece.
func (o *Output) begin(ctx context.Context, waited *time.Duration) error {
	a, tried := o.answer, map[*server]bool{}
	for n := 1; ; n++ {
		p := a.trail.place(a.route, tried)
		tried[p.server] = true
		err := o.at(ctx, p, waited)
		if err == nil || n == attempts || ctx.Err() != nil || fault.CodeOf(err) != fault.Unavailable {
			return err
		}
		a.gateway.log.Info("an engine failed before its first piece", "engine", p.server.Name, "model", a.Model, "attempt", n, "error", err)
	}
}

// at begins a completion at one place.
func (o *Output) at(ctx context.Context, p place, waited *time.Duration) error {
	request, err := o.request(ctx, p)
	if err != nil {
		return err
	}
	asked := time.Now()
	running, cancel := context.WithCancel(ctx)
	p.server.running.Add(1)
	stream, first, err := complete(running, p.engine, request)
	*waited += time.Since(asked)
	release := func() {
		cancel()
		p.server.running.Add(-1)
	}
	if err != nil {
		release()
		return err
	}
	o.stream, o.first, o.hasFirst, o.tokens = stream, first, true, 0
	o.release = func() {
		_ = stream.Close() // the output is whole, or given up
		release()
	}
	return nil
}

// complete begins a completion, and waits for its first piece.
func complete(ctx context.Context, e engine.Engine, r *engine.Request) (engine.Stream, engine.Piece, error) {
	stream, err := e.Complete(ctx, r)
	if err != nil {
		return nil, engine.Piece{}, err
	}
	first, err := stream.Next()
	if errors.Is(err, io.EOF) {
		err = brokenOff()
	}
	if err != nil {
		_ = stream.Close() // it has failed
	}
	return stream, first, err
}

// request returns what to ask an engine for: the output, or the rest of it.
func (o *Output) request(ctx context.Context, p place) (*engine.Request, error) {
	a, able, plan := o.answer, p.engine.Describe(), o.answer.planned.Plan
	o.warnings = slices.Concat(a.Notes, o.notes)
	r := &engine.Request{ID: o.id, Model: p.model.Name, Prompt: plan.Prompt + string(o.written), BOS: a.bos, Preserved: plan.PreservedTokens, Stops: plan.Stops, Media: a.attached.media}
	var err error
	if r.Parameters, err = a.fit(able, o); err != nil {
		return nil, err
	}
	if a.Logprobs {
		if !able.Logprobs {
			return nil, fault.Invalid("logprobs", "the engine of this model, "+able.Kind+", does not tell them; leave it out")
		}
		r.Logprobs = &a.TopLogprobs
	}
	if o.written != nil {
		plan, r.Parameters = o.rest, less(r.Parameters, o.before.Completion)
	}
	if r.Constraint, err = a.constraint(ctx, plan, able, o); err != nil {
		return nil, err
	}
	if t := o.thought; t != nil && o.written == nil {
		if t.grace = 0; able.Thinking && r.Constraint == nil { // which would end it in its own way
			r.Thinking, t.grace = t.limit(), grace
		}
	}
	if len(a.Stops) > 0 && able.TellsStops && !plan.SupportsThinking && len(a.Request().Tools) == 0 {
		r.Stops = slices.Concat(r.Stops, a.Stops) // they can mean nothing but content
	}
	return r, nil
}

// less returns parameters for the rest of an output of which an engine has written n tokens.
func less(all []engine.Parameter, n int) (out []engine.Parameter) {
	for _, p := range all {
		if least, limits := map[string]int{engine.MaxTokens: 1, engine.MinTokens: 0}[p.Name]; limits {
			limit, _ := strconv.Atoi(string(p.Value)) // it was read as a whole number
			p.Value = json.RawMessage(strconv.Itoa(max(limit-n, least)))
		}
		out = append(out, p)
	}
	return out
}

func brokenOff() error {
	return &fault.Error{Code: fault.Unavailable, Message: "the engine broke off its output", Remedy: "try again"}
}
