package workbench

import (
	"context"

	"github.com/dragoman-project/dragoman/host"
)

// subject is the template that is looked at: one in force, by its name, or a draft, which has a source.
type subject struct {
	Name     string `json:"name"`
	Source   string `json:"source,omitempty"`
	BOSToken string `json:"bos_token,omitempty"`
	EOSToken string `json:"eos_token,omitempty"`
}

// draft is the name of a draft without one.
const draft = "draft"

// source returns the template's source, and what is known of it if it is in force.
func (b *bench) source(ctx context.Context, s subject) (host.TemplateSource, host.TemplateInfo, error) {
	if s.Source == "" {
		return b.host.Template(ctx, s.Name)
	}
	if s.Name == "" {
		s.Name = draft
	}
	return host.TemplateSource{Name: s.Name, Source: s.Source, BOSToken: s.BOSToken, EOSToken: s.EOSToken, Origin: draft}, host.TemplateInfo{}, nil
}
