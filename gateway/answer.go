package gateway

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
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
	// directed means that messages of the system come after the first one, and said that they are passed on as the user's.
	directed, said bool
	// attached is what goes to the engine beside the prompt.
	attached *attachments
	planned  *host.Planned
	sent     sync.Once // sets trail
	trail    *trail

	counting     sync.Mutex
	promptTokens int    // as the model's tokenizer counts them; 0: it did not yet
	end          string // the token that ends outputs
	bos          string
}

// Plan plans the answer to a chat request in the words of OpenAI's API. The errors name the member of the request that is wrong.
func (g *Gateway) Plan(ctx context.Context, body []byte) (*Answer, error) {
	a := &Answer{gateway: g}
	err := a.plan(ctx, body)
	if err != nil && a.directed && fault.CodeOf(err) == fault.InvalidArgument {
		again := &Answer{gateway: g, said: true}
		if again.plan(ctx, body) == nil {
			return again, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// plan plans the answer.
func (a *Answer) plan(ctx context.Context, body []byte) error {
	g := a.gateway
	var nonces bool
	var err error
	a.planned, err = g.host.PlanNamed(ctx, body, func(r *chat.Request) (string, error) {
		var err error
		if a.Settings, err = readSettings(r.Extra); err != nil {
			return "", err
		}
		if a.route, err = g.route(a.Model); err != nil {
			return "", err
		}
		if r.Messages, a.attached, err = g.attach(r.Messages, &a.route); err != nil {
			return "", err
		}
		r.Messages, nonces = withoutNonces(r.Messages)
		var later []chat.Message
		if later, a.directed = said(r.Messages); a.said {
			r.Messages = later
		}
		return a.route.template, nil
	})
	if err != nil {
		return err
	}
	if err := a.rendered(ctx); err != nil {
		return err
	}
	if why := a.planned.Unproven; why != "" {
		return &fault.Error{Code: fault.InvalidArgument, Place: "tools", Message: fmt.Sprintf("it is not proven how the template %q writes calls: %s", a.route.template, why),
			Remedy: "leave them out, send tool_choice \"none\", or add a plugin or a workaround for the template"}
	}
	for _, name := range a.Ignored {
		a.Notes = append(a.Notes, "ignored "+name)
	}
	if a.said {
		a.Notes = append(a.Notes, noteDirections)
	}
	if nonces {
		a.Notes = append(a.Notes, noteBilling)
	}
	a.Notes = append(a.Notes, a.planned.Notes...)
	a.Template, a.Handler = a.route.template, a.planned.Handler
	if e, err := g.host.Snapshot().Template(a.Template); err == nil {
		a.bos, a.end = e.BOSToken, e.EOSToken
	}
	return nil
}

// Request returns the request that is answered.
func (a *Answer) Request() *chat.Request { return a.planned.Request() }

// Shared returns how many bytes of the prompt, and of how many, the same client has sent before: at least these, and exactly those of
// the turn before if the prompt continues it. An output must have begun.
func (a *Answer) Shared() (bytes, of int) { return a.trail.shared, len(a.planned.Prompt) }

// Begin lets an engine begin an output, and waits for its first piece. The time that it waited for engines is added to waited.
func (a *Answer) Begin(ctx context.Context, id string, waited *time.Duration) (*Output, error) {
	a.sent.Do(func() { a.trail = a.gateway.prefixes.trail(ctx, a.Model, a.planned.Prompt) })
	o := &Output{answer: a, id: id}
	o.tail.end, o.cutter.stops = a.end, a.Stops
	if a.Logprobs {
		o.likely = new(likely)
	}
	if err := o.limitThinking(ctx); err != nil {
		return nil, err
	}
	if err := o.begin(ctx, waited); err != nil {
		return nil, err
	}
	o.resume = func() error { return o.begin(ctx, new(time.Duration)) }
	o.session = a.planned.Session(ctx, session.Options{})
	o.total = sync.OnceValue(func() *engine.Usage { return o.complete(ctx, o.counted()) })
	_, err := a.gateway.host.Model(ctx, a.Template)
	o.countable = err == nil
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

// constraint returns the constraint of a plan for the request in the engine's notation. A request that insists on its constraint is
// refused where the engine cannot hold it.
func (a *Answer) constraint(ctx context.Context, plan *session.Plan, able engine.Description, o *Output) (*grammar.Constraint, error) {
	if k := plan.Constraint; k == nil || able.Target == grammar.TargetGBNF {
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
	planned, err := plan.In(ctx, able.Target)
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
