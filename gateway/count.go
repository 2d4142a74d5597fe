package gateway

import (
	"context"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// CountPrompt returns the number of tokens of the prompt: by the model's tokenizer, or by an engine that counts.
func (a *Answer) CountPrompt(ctx context.Context) (int, error) {
	if m, err := a.gateway.host.Model(ctx, a.Template); err == nil {
		t, err := m.Tokenize(ctx)
		if err != nil {
			return 0, err
		}
		ids, err := t.EncodeWithin(ctx, a.planned.Prompt, tokenizer.Options{})
		return len(ids), err
	}
	for _, p := range a.route.places {
		if c, ok := p.engine.(engine.Counter); ok {
			return c.Count(ctx, p.model.Name, a.planned.Prompt)
		}
	}
	return 0, &fault.Error{Code: fault.InvalidArgument, Place: "model", Message: "its tokens cannot be counted: the tokenizer is not known, and the engine does not count",
		Remedy: "read the model's folder with --model, so that tokenizer.json is found"}
}
