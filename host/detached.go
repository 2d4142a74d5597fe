package host

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Detached is a template under the rules and plugins that were in force at its creation. It need not belong to a snapshot, such as
// the file of a command.
type Detached struct {
	host *Host
	snap *state.Snapshot
	*state.Entry
}

// Detached returns a template that is not added to the snapshot. Nothing is read or learned before it is needed.
func (h *Host) Detached(src TemplateSource) *Detached {
	snap := h.state.Current()
	return &Detached{host: h, snap: snap, Entry: state.NewEntry(src, snap.Rules)}
}

// Find returns a template in force. Whatever is reloaded, it stays as it is.
func (h *Host) Find(ctx context.Context, name string) (*Detached, error) {
	snap := h.state.For(ctx)
	e, err := snap.Template(name)
	if err != nil {
		return nil, err
	}
	return &Detached{host: h, snap: snap, Entry: e}, nil
}

// Plan answers a request. handler names the handler that must answer, whatever else claims the template; empty: the one that
// claims it.
func (l *Detached) Plan(ctx context.Context, handler string, req *chat.Request) (*Planned, error) {
	return l.host.plan(ctx, l.snap, l.Entry, handler, req)
}

// Render renders a request's prompt.
func (l *Detached) Render(ctx context.Context, req *chat.Request) (autoparser.Rendered, error) {
	learned, err := l.Learn(ctx)
	if err != nil {
		return autoparser.Rendered{}, err
	}
	out, err := learned.RenderWith(ctx, req, &l.host.programs)
	return out, state.TemplateFault(l.Name, err)
}

// Origins renders a request's prompt, and returns the place in the template that each piece of it comes from.
func (l *Detached) Origins(ctx context.Context, req *chat.Request) (autoparser.Rendered, []autoparser.Origin, error) {
	learned, err := l.Learn(ctx)
	if err != nil {
		return autoparser.Rendered{}, nil, err
	}
	out, origins, err := learned.Origins(ctx, req)
	return out, origins, state.TemplateFault(l.Name, err)
}

// RenderVariables renders the template with these variables, a JSON object; now is its current time.
func (l *Detached) RenderVariables(ctx context.Context, variables json.RawMessage, now time.Time) (string, error) {
	t, err := l.Open()
	if err != nil {
		return "", err
	}
	vars, err := value.Decode(variables)
	if err != nil {
		return "", &Error{Code: InvalidArgument, Place: "variables", Message: err.Error(), Remedy: "send a JSON object", Err: err}
	}
	out, err := t.RenderVariables(ctx, vars, now)
	return out, state.TemplateFault(l.Name, err)
}

// Learned returns what was learned of the template.
func (l *Detached) Learned(ctx context.Context) (*autoparser.Learned, error) { return l.Learn(ctx) }
