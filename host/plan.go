package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// Planned is a plan in force: what a client is told, and the compiled program that sessions run. It is immutable, and any
// number of sessions may be started from it.
type Planned struct {
	Plan *handler.Plan
	// Code is the compiled program; nil where a plugin parses the output itself.
	Code *match.Code
	// Handler is what made the plan: "autoparser", or a plugin's name.
	Handler string
	// Generation is the snapshot that it was made on.
	Generation uint64

	request   *chat.Request
	template  string
	observer  Observer
	samples   *samples // where outputs are kept, and how many of a template
	keep      int
	stream    handler.StreamHandler // where Code is nil
	maxOutput int
	// translate makes the constraint for another target; nil where Code is.
	translate func(grammar.Target) (*grammar.Constraint, error)
}

// PlanJSON answers a request as clients write it. Policies that it does not name are those of the configuration on whose
// snapshot it is planned.
func (h *Host) PlanJSON(ctx context.Context, template string, request []byte) (*Planned, error) {
	snap := h.current.Load()
	req, err := chat.ParseRequestWith(request, snap.Config.Parsing.For(template))
	if err != nil {
		return nil, err
	}
	return h.planOn(ctx, snap, template, req)
}

// Plan answers a request for a template: *Error or *chat.RequestError when it cannot.
func (h *Host) Plan(ctx context.Context, template string, req *chat.Request) (*Planned, error) {
	return h.planOn(ctx, h.current.Load(), template, req)
}

// planOn answers a request for a template of a snapshot.
func (h *Host) planOn(ctx context.Context, snap *Snapshot, template string, req *chat.Request) (*Planned, error) {
	e, err := snap.forRequest(template, req)
	if err != nil {
		return nil, err
	}
	return h.plan(ctx, snap, e, "", req)
}

// plan answers a request for an entry of a snapshot. only names the handler that must answer; empty: the one to which the
// configuration pins the template, or that claims it.
func (h *Host) plan(ctx context.Context, snap *Snapshot, e *entry, only string, req *chat.Request) (*Planned, error) {
	learned, err := e.learn()
	if err != nil {
		return nil, err
	}
	only = cmp.Or(only, snap.Config.Templates.Handler(e.Name))
	claims, err := h.claims(snap, learned, only, req)
	if err != nil {
		return nil, err
	}
	plan, by, err := h.ask(ctx, claims, only != "", e, learned, req)
	if err != nil {
		return nil, templateFault(e.Name, pluginFault(err))
	}
	planned := &Planned{Plan: plan, Handler: by.Describe().Name, Generation: snap.Generation, request: req, maxOutput: snap.Config.Limits.OutputBytes,
		template: e.Name, observer: h.opts.Observer, samples: &h.samples, keep: snap.Config.Canary.Shadow}
	if plan.Request != nil {
		plan.Notes = slices.Concat(plan.Notes, learned.Spelled(plan.Request.Messages, plan.PreservedTokens), learned.LeftOut(ctx, plan.Request, plan.Prompt))
	}
	return planned, planned.compile(by, e.SpecialTokens, h)
}

// compile makes ready what sessions run. vocabulary are the special tokens of the model, where they are known; h keeps
// constraints and code.
func (p *Planned) compile(by handler.Handler, vocabulary []string, h *Host) (err error) {
	if p.Plan.Stream != nil {
		var ok bool
		if p.stream, ok = by.(handler.StreamHandler); !ok {
			return &Error{Code: Internal, Place: p.Handler, Message: "it wants to parse the output itself and does not say how"}
		}
		return p.enforced()
	}
	p.Plan.Program = p.Plan.Program.Sealed()
	known := specials(vocabulary, p.Plan.PreservedTokens)
	if err := p.constrain(&h.constraints, known); err != nil {
		return err
	}
	if p.Code, err = h.codes.Compile(p.Plan.Program, match.Options{Specials: known}); err != nil {
		return &Error{Code: Internal, Place: p.Handler, Message: fmt.Sprintf("its program is not valid: %v", err), Err: err}
	}
	return nil
}

// claims lists the plugins to ask, in order. The autoparser comes after them, and answers everything.
func (h *Host) claims(snap *Snapshot, learned *autoparser.Learned, only string, req *chat.Request) ([]handler.Handler, error) {
	catalog := snap.handlers
	if catalog == nil {
		catalog = h.plugins
	}
	switch {
	case only == autoparser.HandlerName || req.PureContent:
		return nil, nil
	case only == "":
		return catalog.Match(learned.Facts()), nil
	}
	p, ok := catalog.Handler(only)
	if !ok {
		return nil, missingHandler(only)
	}
	return []handler.Handler{p}, nil
}

// missingHandler says that no plugin serves a handler that must answer.
func missingHandler(name string) *Error {
	return &Error{Code: Unavailable, Place: name, Message: "no plugin serves this handler, which is to answer",
		Remedy: "add its plugin, or name another handler; `dragoman plugin list` says which there are"}
}

// ask goes through those who claim the template. One that declines passes the request on, unless it was named, and so does
// one that is down if its manifest says so.
func (h *Host) ask(ctx context.Context, claims []handler.Handler, named bool, e *entry, learned *autoparser.Learned, req *chat.Request) (*handler.Plan, handler.Handler, error) {
	var notes []string
	for _, c := range claims {
		plan, err := h.askPlugin(ctx, c, e, learned, req)
		var declined *handler.Declined
		var down *plugins.Unavailable
		switch {
		case errors.As(err, &declined) && named:
			return nil, nil, &Error{Code: InvalidArgument, Place: e.Name, Message: fmt.Sprintf("the handler %s, which is to answer, declines: %s", c.Describe().Name, declined.Reason),
				Remedy: "send a request that it can serve, or name another handler for the template (templates.handlers)", Err: err}
		case errors.As(err, &declined):
			h.log.Debug("a plugin declined", "plugin", c.Describe().Name, "template", e.Name, "reason", declined.Reason)
		case errors.As(err, &down) && down.Fallback == plugins.FallbackGeneric:
			h.log.Warn("a plugin is down, the next handler answers in its place", "plugin", down.Plugin, "template", e.Name, "error", err)
			notes = append(notes, "answered in place of "+c.Describe().Name+", which is down")
		default:
			return noted(plan, notes), c, err
		}
	}
	by := generic{learned, &h.assembled}
	plan, err := by.Plan(ctx, handler.Input{Request: req})
	return noted(plan, notes), by, err
}

// noted adds notes to a plan, if there is one.
func noted(plan *handler.Plan, notes []string) *handler.Plan {
	if plan != nil {
		plan.Notes = slices.Concat(plan.Notes, notes)
	}
	return plan
}

// generic is the autoparser as a handler of one template.
type generic struct {
	learned *autoparser.Learned
	made    *assemble.Cache
}

var _ handler.Handler = generic{}

// Describe names the autoparser. It claims everything that nobody else does.
func (generic) Describe() handler.Description {
	return handler.Description{Name: autoparser.HandlerName, Match: "true"}
}

// Plan answers a request for the template.
func (g generic) Plan(ctx context.Context, in handler.Input) (*handler.Plan, error) {
	return g.learned.PlanWith(ctx, in.Request, g.made)
}

// askPlugin gets a plan from a plugin and completes it: the host renders the prompt and binds the program to it.
func (h *Host) askPlugin(ctx context.Context, p handler.Handler, e *entry, learned *autoparser.Learned, req *chat.Request) (*handler.Plan, error) {
	plan, err := p.Plan(ctx, handler.Input{
		Template: handler.Template{Name: e.Name, Source: e.Source, BOSToken: e.BOSToken, EOSToken: e.EOSToken},
		Request:  req,
	})
	if err != nil {
		return nil, err
	}
	if plan.Request == nil {
		plan.Request = req
	}
	rendered, err := learned.Render(ctx, plan.Request)
	if err != nil {
		return nil, err
	}
	plan.Prompt = plan.Ending.Apply(rendered.Prompt) + plan.Prefill
	plan.GenerationPrompt = plan.Ending.Apply(rendered.GenerationPrompt) + plan.Prefill
	if plan.Program != nil {
		plan.Program = h.bound.bind(plan.Program, rendered.TemplatePrompt)
	}
	if plan.Delimiters == nil {
		plan.Delimiters = learned.Delimiters()
	}
	plan.ReasoningState = reasoningState(plan)
	return plan, nil
}

// reasoningState tells from the generation prompt whether it opened reasoning, and closed it.
func reasoningState(plan *handler.Plan) handler.ReasoningState {
	if plan.ThinkingStart == "" {
		return handler.ReasoningIdle
	}
	_, opened, found := strings.Cut(plan.GenerationPrompt, plan.ThinkingStart)
	if !found {
		return handler.ReasoningIdle
	}
	for _, end := range plan.ThinkingEnds {
		if strings.Contains(opened, end) {
			return handler.ReasoningClosed
		}
	}
	return handler.ReasoningOpen
}
