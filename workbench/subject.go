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

// open returns the template, under what is in force.
func (b *bench) open(ctx context.Context, s subject) (*host.Detached, error) {
	if s.Source == "" {
		return b.host.Find(ctx, s.Name)
	}
	return b.host.Detached(host.TemplateSource{Name: s.Name, Source: s.Source, BOSToken: s.BOSToken, EOSToken: s.EOSToken, Origin: "draft"}), nil
}
