package host

import (
	"context"

	"github.com/dragoman-project/dragoman/host/state"
)

// Model is what the files of a model have beside its templates; see state.Model.
type Model = state.Model

// Models returns the names of the models whose tokenizers are known, sorted. Each is the name of a template, too.
func (h *Host) Models(ctx context.Context) []string { return h.state.For(ctx).Models() }

// Model returns the model of that name, if its tokenizer is known.
func (h *Host) Model(ctx context.Context, name string) (*Model, error) {
	return h.state.For(ctx).Model(name)
}
