package host

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Loose is a template that belongs to no snapshot, such as a file that a command is given. It is served under the rules
// and by the plugins that were in force when it was made.
type Loose struct {
	host *Host
	snap *Snapshot
	*entry
}

// Loose makes a template usable without putting it among the others. Nothing is read or learned before it is needed.
func (h *Host) Loose(src TemplateSource) *Loose {
	snap := h.current.Load()
	return &Loose{host: h, snap: snap, entry: newEntry(src, snap.Rules)}
}

// Plan answers a request. Handler names the one that must do it, whatever else claims the template; empty: the one that
// claims it.
func (l *Loose) Plan(ctx context.Context, handler string, req *chat.Request) (*Planned, error) {
	return l.host.plan(ctx, l.snap, l.entry, handler, req)
}

// Render renders a request's prompt.
func (l *Loose) Render(ctx context.Context, req *chat.Request) (autoparser.Rendered, error) {
	learned, err := l.learn()
	if err != nil {
		return autoparser.Rendered{}, err
	}
	out, err := learned.Render(ctx, req)
	return out, templateFault(l.Name, err)
}

// RenderVariables renders the template with variables as they are, a JSON object; now is the time that it is told.
func (l *Loose) RenderVariables(ctx context.Context, variables json.RawMessage, now time.Time) (string, error) {
	t, err := l.opened()
	if err != nil {
		return "", err
	}
	vars, err := value.Decode(variables)
	if err != nil {
		return "", &Error{Code: InvalidArgument, Place: "variables", Message: err.Error(), Remedy: "send a JSON object", Err: err}
	}
	out, err := t.RenderVariables(ctx, vars, now)
	return out, templateFault(l.Name, err)
}

// Learned returns what was learned of the template.
func (l *Loose) Learned() (*autoparser.Learned, error) { return l.learn() }
