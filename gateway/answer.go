package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Answer is a planned answer to a request.
type Answer struct {
	Settings
	// Template and Handler are the names of what planned it.
	Template, Handler string
	// Notes are for people: what has no effect, what is not enforced.
	Notes []string

	gateway *Gateway
	route   route
	planned *host.Planned
	sent    sync.Once // sets trail
	trail   *trail
	end     string // the token that ends outputs
	bos     string
}

// Plan plans the answer to a chat request in the words of OpenAI's API. The errors name the member of the request that is wrong.
func (g *Gateway) Plan(ctx context.Context, body []byte) (*Answer, error) {
	a := &Answer{gateway: g}
	var nonces bool
	var err error
	a.planned, err = g.host.PlanNamed(ctx, body, func(r *chat.Request) (string, error) {
		if err := onlyText(r); err != nil {
			return "", err
		}
		r.Messages, nonces = withoutNonces(r.Messages)
		var err error
		if a.Settings, err = readSettings(r.Extra); err != nil {
			return "", err
		}
		a.route, err = g.route(a.Model)
		return a.route.template, err
	})
	if err != nil {
		return nil, err
	}
	for _, name := range a.Ignored {
		a.Notes = append(a.Notes, "ignored "+name)
	}
	if nonces {
		a.Notes = append(a.Notes, noteBilling)
	}
	a.Notes = append(a.Notes, a.planned.Notes...)
	a.Template, a.Handler = a.route.template, a.planned.Handler
	if e, err := g.host.Snapshot().Template(a.Template); err == nil {
		a.bos, a.end = e.BOSToken, e.EOSToken
	}
	return a, nil
}

// onlyText refuses parts of messages that are not text: engines take images beside a raw prompt in ways of their own, of which the
// gateway knows none.
func onlyText(r *chat.Request) error {
	for i, m := range r.Messages {
		for j, p := range m.Content.Parts {
			if p.Type != "text" && p.Type != "refusal" {
				return fault.Invalid(ordered.IndexPath(ordered.MemberPath(ordered.IndexPath("messages", i), "content"), j)+".type",
					fmt.Sprintf("expected \"text\", found %q; the gateway passes text alone to engines", p.Type))
			}
		}
	}
	return nil
}

// Request returns the request that is answered.
func (a *Answer) Request() *chat.Request { return a.planned.Request() }

// Shared returns how many bytes of the prompt, and of how many, the same client has sent before: at least these, and exactly those of
// the turn before if the prompt continues it. An output must have begun.
func (a *Answer) Shared() (bytes, of int) { return a.trail.shared, len(a.planned.Prompt) }

// attempts is how often a completion is begun, before an engine has sent anything.
const attempts = 3

// Begin lets an engine begin an output, and waits for its first piece. The time that it waited for engines is added to waited.
func (a *Answer) Begin(ctx context.Context, id string, waited *time.Duration) (*Output, error) {
	a.sent.Do(func() { a.trail = a.gateway.prefixes.trail(ctx, a.Model, a.planned.Prompt) })
	tried := map[*server]bool{}
	for n := 1; ; n++ {
		p := a.trail.place(a.route, tried)
		tried[p.server] = true
		out, err := a.begin(ctx, p, id, waited)
		if err == nil || n == attempts || ctx.Err() != nil || fault.CodeOf(err) != fault.Unavailable {
			return out, err
		}
		a.gateway.log.Info("an engine failed before its first piece", "engine", p.server.Name, "model", a.Model, "attempt", n, "error", err)
	}
}

// begin begins an output at one place.
func (a *Answer) begin(ctx context.Context, p place, id string, waited *time.Duration) (_ *Output, err error) {
	able := p.engine.Describe()
	request := &engine.Request{ID: id, Model: p.model.Name, Prompt: a.planned.Prompt, BOS: a.bos, Preserved: a.planned.PreservedTokens, Stops: a.planned.Stops}
	o := &Output{warnings: slices.Clone(a.Notes)}
	if request.Parameters, err = a.fit(able, o); err != nil {
		return nil, err
	}
	if request.Constraint, err = a.constraint(ctx, able, o); err != nil {
		return nil, err
	}
	if len(a.Stops) > 0 && able.TellsStops && !a.planned.SupportsThinking && len(a.Request().Tools) == 0 {
		request.Stops = slices.Concat(request.Stops, a.Stops) // they can mean nothing but content
	}
	p.server.running.Add(1)
	defer func() {
		if err != nil {
			p.server.running.Add(-1)
		}
	}()
	asked := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	stream, err := p.engine.Complete(ctx, request)
	if err == nil {
		o.first, err = stream.Next()
		if errors.Is(err, io.EOF) {
			err = brokenOff()
		}
		if err != nil {
			_ = stream.Close() // it has failed
		}
	}
	*waited += time.Since(asked)
	if err != nil {
		cancel()
		return nil, err
	}
	o.stream, o.hasFirst = stream, true
	o.release = func() {
		_ = stream.Close() // the answer is whole, or given up
		cancel()
		p.server.running.Add(-1)
	}
	o.session = a.planned.Session(ctx, session.Options{})
	o.tail.end, o.cutter.stops = a.end, a.Stops
	return o, nil
}

// fit returns the parameters that the engine has, and warns of others: those that only tune sampling are left out.
func (a *Answer) fit(able engine.Description, o *Output) (fit []engine.Parameter, err error) {
	for _, p := range a.Parameters {
		if _, has := able.Parameters[p.Name]; has {
			fit = append(fit, p)
			continue
		}
		switch p.Name {
		case engine.MaxTokens, engine.LogitBias, engine.IgnoreEOS, engine.MinTokens:
			return nil, fault.Invalid(p.Name, fmt.Sprintf("the engine of this model, %s, has no such parameter; leave it out", able.Kind))
		}
		o.warnings = append(o.warnings, fmt.Sprintf("ignored %s: the engine, %s, has no such parameter", p.Name, able.Kind))
	}
	return fit, nil
}

// constraint returns the constraint in the engine's notation. A request that insists on its constraint is refused where the engine
// cannot hold it.
func (a *Answer) constraint(ctx context.Context, able engine.Description, o *Output) (*grammar.Constraint, error) {
	if k := a.planned.Constraint; k == nil || able.Target == grammar.TargetGBNF {
		return k, nil
	}
	if !a.expressible(able.Target) {
		message := fmt.Sprintf("the engine of this model, %s, cannot hold sampling to it", able.Kind)
		if !a.planned.Constraint.Lazy {
			return nil, &fault.Error{Code: fault.InvalidArgument, Place: a.insistence(), Message: message, Remedy: "leave it out, and check the answer"}
		}
		o.warnings = append(o.warnings, "the schemas of tools are not enforced: "+message)
		return nil, nil
	}
	planned, err := a.planned.In(ctx, able.Target)
	if err != nil {
		return nil, err
	}
	for _, note := range planned.Notes {
		if !slices.Contains(o.warnings, note) {
			o.warnings = append(o.warnings, note)
		}
	}
	return planned.Constraint, nil
}

// expressible reports whether a notation can be used for the request. A JSON Schema holds from the first token on, so that it leaves
// neither reasoning nor calls in the template's format.
func (a *Answer) expressible(to grammar.Target) bool {
	if to != grammar.TargetJSONSchema {
		return to != ""
	}
	r := a.Request()
	return !r.JSONSchema.IsZero() && (len(r.Tools) == 0 || r.ToolChoice.Mode == chat.ToolNone) && a.planned.ReasoningState != handler.ReasoningOpen
}

// insistence returns the member by which the request insists on a certain answer.
func (a *Answer) insistence() string {
	switch r := a.Request(); {
	case r.ToolChoice.Mode == chat.ToolRequired || r.ToolChoice.Mode == chat.ToolNamed:
		return "tool_choice"
	case r.Grammar.Kind != chat.GrammarNone:
		return r.Grammar.Path
	}
	return "response_format"
}

func brokenOff() error {
	return &fault.Error{Code: fault.Unavailable, Message: "the engine broke off its output", Remedy: "try again"}
}
