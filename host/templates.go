package host

import (
	"context"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/state"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// TemplateInfo is what is known of a template.
type TemplateInfo struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	SHA256 string `json:"sha256"` // of the source and its tokens
	// Handler is what claims the template: "autoparser", or a plugin.
	Handler string `json:"handler"`
	// Error is why the template cannot be used; empty if it can.
	Error string `json:"error,omitempty"`
	// SelfCheck is how much of what the template writes the autoparser reads back, "14 of 16", and Parts are whether its
	// reasoning and calls are proven; both are empty for templates that plugins claim.
	SelfCheck string             `json:"self_check,omitempty"`
	Parts     []autoparser.Proof `json:"parts,omitempty"`
}

// PutTemplate adds a template, or replaces one that was put before. It is opened and learned at once, so that a template
// that cannot be used is an error and changes nothing. With the context of a client (WithOwn) it is the client's own, and
// the methods below find the client's own, too.
func (h *Host) PutTemplate(ctx context.Context, src TemplateSource) (TemplateInfo, error) {
	snap, e, err := h.state.Put(ctx, src)
	if err != nil {
		return TemplateInfo{}, err
	}
	return h.info(ctx, snap, e), nil
}

// DeleteTemplate removes a template that PutTemplate has added.
func (h *Host) DeleteTemplate(ctx context.Context, name string) error {
	return h.state.Delete(ctx, name)
}

// Templates returns the templates in force, sorted by name.
func (h *Host) Templates(ctx context.Context) []TemplateInfo {
	return h.templates(ctx, h.state.For(ctx))
}

func (h *Host) templates(ctx context.Context, snap *state.Snapshot) (all []TemplateInfo) {
	for _, name := range snap.Names() {
		if e, err := snap.Template(name); err == nil {
			all = append(all, h.info(ctx, snap, e))
		}
	}
	return all
}

// Template returns a template's source and what is known of it.
func (h *Host) Template(ctx context.Context, name string) (TemplateSource, TemplateInfo, error) {
	snap := h.state.For(ctx)
	e, err := snap.Template(name)
	if err != nil {
		return TemplateSource{}, TemplateInfo{}, err
	}
	return e.TemplateSource, h.info(ctx, snap, e), nil
}

func (h *Host) info(ctx context.Context, snap *state.Snapshot, e *state.Entry) TemplateInfo {
	info := TemplateInfo{Name: e.Name, Origin: e.Origin, SHA256: e.Hash, Handler: autoparser.HandlerName}
	learned, err := e.Learn(ctx)
	if err != nil {
		info.Error = err.Error()
		return info
	}
	claims, err := h.claims(snap, learned, snap.Config.Templates.Handler(e.Name), new(chat.Request))
	if err != nil {
		info.Error = err.Error()
		return info
	}
	if len(claims) > 0 {
		info.Handler = claims[0].Describe().Name
	} else {
		check := learned.SelfCheck()
		info.SelfCheck, info.Parts = check.Score(), check.Parts
	}
	return info
}

// Learned returns what was learned of a template.
func (h *Host) Learned(ctx context.Context, name string) (*autoparser.Learned, error) {
	return learnedIn(ctx, h.state.For(ctx), name)
}

func learnedIn(ctx context.Context, snap *state.Snapshot, name string) (*autoparser.Learned, error) {
	e, err := snap.Template(name)
	if err != nil {
		return nil, err
	}
	return e.Learn(ctx)
}

// Render renders a request's prompt.
func (h *Host) Render(ctx context.Context, name string, req *chat.Request) (autoparser.Rendered, error) {
	e, err := h.state.For(ctx).ForRequest(name, req)
	if err != nil {
		return autoparser.Rendered{}, err
	}
	learned, err := e.Learn(ctx)
	if err != nil {
		return autoparser.Rendered{}, err
	}
	out, err := learned.RenderWith(ctx, req, &h.programs)
	return out, state.TemplateFault(e.Name, err)
}

// Explain returns what was learned of a template, stage by stage, and what taught it.
func (h *Host) Explain(ctx context.Context, name string) (autoparser.Explanation, error) {
	learned, err := h.Learned(ctx, name)
	if err != nil {
		return autoparser.Explanation{}, err
	}
	return learned.Explain(ctx), ctx.Err()
}
