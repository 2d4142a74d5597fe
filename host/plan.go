package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/plugins"
	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/host/trial"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// Planned is a session.Plan whose sessions have the limits of a snapshot and are observed. It is immutable; any number of sessions
// may be started from it.
type Planned struct {
	*session.Plan

	// Unproven is why calls are read as content although the request has tools: nothing proves how the template writes them. Empty:
	// they are not.
	Unproven string

	template  string
	request   *chat.Request
	observer  Observer
	running   *running
	samples   *trial.Samples // keeps outputs; nil: none are kept
	keep      int            // outputs per template
	maxOutput int            // bytes
	tokenizer func(context.Context) (*tokenizer.Tokenizer, error)
	recorder  *recorder.Recorder // nil: outputs are not recorded
	recorded  *recorder.Output   // what is known of them; nil without a recorder
}

// ownTemplate stands for the templates that clients have put for themselves where sessions are counted by template.
const ownTemplate = "(client)"

// unobserved returns the plan for outputs that nothing counts or keeps.
func (p *Planned) unobserved() *Planned {
	out := *p
	out.observer, out.running, out.samples, out.recorder = nil, nil, nil, nil
	return &out
}

// Tokenizer returns the tokenizer of the model that the plan's template belongs to, and waits until it is read. It is an error if none is
// known.
func (p *Planned) Tokenizer(ctx context.Context) (*tokenizer.Tokenizer, error) {
	return p.tokenizer(ctx)
}

// Retokenized compares the ids of an output with those of the rendered conversation; see session.Plan.Retokenized.
func (p *Planned) Retokenized(ctx context.Context, t *tokenizer.Tokenizer, ids []tokenizer.ID, truncated bool) (*session.Retokenized, error) {
	out, err := p.Plan.Retokenized(ctx, t, ids, truncated)
	return out, state.TemplateFault(p.template, pluginFault(err))
}

// PlanJSON answers a request as clients write it. Policies that it does not set are those of the configuration in the snapshot that
// answers it.
func (h *Host) PlanJSON(ctx context.Context, template string, request []byte) (*Planned, error) {
	snap := h.state.For(ctx)
	req, err := h.tools.ParseRequest(request, snap.Config.Parsing.For(template))
	if err != nil {
		return nil, err
	}
	return h.planOn(ctx, snap, template, req)
}

// PlanNamed is PlanJSON for requests that name themselves what they are for: named returns the template, with the request as it was
// read once. It may replace the messages.
func (h *Host) PlanNamed(ctx context.Context, request []byte, named func(*chat.Request) (template string, err error)) (*Planned, error) {
	snap := h.state.For(ctx)
	req, err := h.tools.ParseRequest(request, snap.Config.Parsing.For(""))
	if err != nil {
		return nil, err
	}
	template, err := named(req)
	if err != nil {
		return nil, err
	}
	if own := snap.Config.Parsing.For(template); own != snap.Config.Parsing.For("") {
		messages := req.Messages
		if req, err = h.tools.ParseRequest(request, own); err != nil {
			return nil, err
		}
		req.Messages = messages
	}
	return h.planOn(ctx, snap, template, req)
}

// Request returns the request that the plan answers.
func (p *Planned) Request() *chat.Request { return p.request }

// Plan answers a request for a template. The error is an *Error.
func (h *Host) Plan(ctx context.Context, template string, req *chat.Request) (*Planned, error) {
	return h.planOn(ctx, h.state.For(ctx), template, req)
}

// planOn answers a request for a template of a snapshot.
func (h *Host) planOn(ctx context.Context, snap *state.Snapshot, template string, req *chat.Request) (*Planned, error) {
	e, err := snap.ForRequest(template, req)
	if err != nil {
		return nil, err
	}
	return h.plan(ctx, snap, e, "", req)
}

// plan answers a request for an entry of a snapshot. only names the handler that must answer; empty: the one that the configuration
// pins the template to, or that claims it.
func (h *Host) plan(ctx context.Context, snap *state.Snapshot, e *state.Entry, only string, req *chat.Request) (*Planned, error) {
	draft, learned, err := h.draft(ctx, snap, e, only, req)
	if err != nil {
		return nil, err
	}
	plan, err := session.New(ctx, draft, req, session.PlanOptions{SpecialTokens: e.SpecialTokens, Constraints: &h.constraints, Codes: h.codes})
	if err != nil {
		return nil, planFault(draft.Handler, err)
	}
	plan.Generation = snap.Generation
	planned := &Planned{Plan: plan, request: req, maxOutput: snap.Config.Limits.OutputBytes,
		template: e.Name, observer: h.observer, running: &h.running, samples: &h.trials.Samples, keep: snap.Config.Canary.Shadow}
	if draft.Handler == autoparser.HandlerName && len(req.Tools) > 0 && req.ToolChoice.Mode != chat.ToolNone {
		planned.Unproven = learned.CallsUnproven()
	}
	planned.tokenizer = func(ctx context.Context) (*tokenizer.Tokenizer, error) {
		m, err := snap.ModelOf(e)
		if err != nil {
			return nil, err
		}
		return m.Tokenize(ctx)
	}
	if e.Own { // clients choose these names, and change what they mean
		planned.template, planned.samples = ownTemplate, nil
	} else if h.recorder != nil {
		planned.recorder, planned.recorded = h.recorder, h.recorded(snap, e, learned, draft, planned)
	}
	return planned, nil
}

// draft returns the answer of a handler to a request, and what was learned of the template; see plan.
func (h *Host) draft(ctx context.Context, snap *state.Snapshot, e *state.Entry, only string, req *chat.Request) (*session.Draft, *autoparser.Learned, error) {
	if ctx.Err() != nil { // reading the request may have taken long
		return nil, nil, context.Cause(ctx)
	}
	learned, err := e.Learn(ctx)
	if err != nil {
		return nil, nil, err
	}
	only = cmp.Or(only, snap.Config.Templates.Handler(e.Name))
	claims, err := h.claims(snap, learned, only, req)
	if err != nil {
		return nil, nil, err
	}
	draft, err := h.ask(ctx, claims, only != "", e, learned, req)
	if err != nil {
		return nil, nil, state.TemplateFault(e.Name, pluginFault(err))
	}
	return draft, learned, nil
}

// claims returns the plugins to ask, in order. The autoparser comes after them, and answers everything.
func (h *Host) claims(snap *state.Snapshot, learned *autoparser.Learned, only string, req *chat.Request) ([]handler.Handler, error) {
	catalog := snap.Handlers
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

// missingHandler returns the error for a configured handler without a plugin.
func missingHandler(name string) *Error {
	return &Error{Code: Unavailable, Place: name, Message: "the configured handler is not provided by any plugin",
		Remedy: "add its plugin, or name another handler; `dragoman plugin list` lists them"}
}

// ask asks the handlers that claim the template in turn, and then the autoparser. After a decline the next one is asked, unless the
// handler was named, and after a failure if the manifest of the plugin allows it.
func (h *Host) ask(ctx context.Context, claims []handler.Handler, named bool, e *state.Entry, learned *autoparser.Learned, req *chat.Request) (*session.Draft, error) {
	var notes []string
	for _, c := range claims {
		draft, err := learned.PlanBy(ctx, c, req, &h.programs)
		var declined *handler.Declined
		var down *plugins.Unavailable
		switch {
		case errors.As(err, &declined) && named:
			return nil, &Error{Code: InvalidArgument, Place: e.Name, Message: fmt.Sprintf("the configured handler %s declines: %s", c.Describe().Name, declined.Reason),
				Remedy: "send a request that it can serve, or name another handler for the template (templates.handlers)", Err: err}
		case errors.As(err, &declined):
			h.log.Debug("a plugin declined", "plugin", c.Describe().Name, "template", e.Name, "reason", declined.Reason)
		case errors.As(err, &down) && down.Fallback == manifest.FallbackGeneric:
			h.log.Warn("a plugin is down; the next handler answers in its place", "plugin", down.Plugin, "template", e.Name, "error", err)
			notes = append(notes, "answered in place of "+c.Describe().Name+", which is down")
		default:
			return noted(draft, notes), err
		}
	}
	draft, err := learned.PlanWith(ctx, req, &h.programs)
	return noted(draft, notes), err
}

// noted adds notes to a draft, if there is one.
func noted(draft *session.Draft, notes []string) *session.Draft {
	if draft != nil {
		draft.Notes = slices.Concat(draft.Notes, notes)
	}
	return draft
}
