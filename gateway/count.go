package gateway

import (
	"context"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// CountPrompt returns the number of tokens of the prompt: by the model's tokenizer, or by an engine that counts.
func (a *Answer) CountPrompt(ctx context.Context) (int, error) {
	if t, err := a.gateway.tokenizer(ctx, a.Template); t != nil || err != nil {
		if err != nil {
			return 0, err
		}
		return a.countOnce(ctx, t)
	}
	for _, p := range a.route.places {
		if c, ok := p.engine.(engine.Counter); ok {
			return c.Count(ctx, p.model.Name, a.planned.Prompt)
		}
	}
	return 0, &fault.Error{
		Code: fault.InvalidArgument, Place: "model",
		Message: "its tokens cannot be counted: the tokenizer is not known, and the engine does not count",
		Remedy:  "read the model's folder with --model, so that tokenizer.json is found",
	}
}

// tokenizer returns the tokenizer of the model with a template; nil if it is not known.
func (g *Gateway) tokenizer(ctx context.Context, template string) (*tokenizer.Tokenizer, error) {
	m, err := g.host.Model(ctx, template)
	if err != nil {
		return nil, nil //nolint:nilerr // few models have files besides a template
	}
	return m.Tokenize(ctx)
}

// loadTokenizers reads the tokenizers of a server's models before the first answer needs them. warned has the models whose tokenizers
// cannot be read.
func (g *Gateway) loadTokenizers(ctx context.Context, s *server, warned map[string]bool) {
	for _, m := range s.now.Load().models {
		if _, err := g.tokenizer(ctx, m.Known); err != nil && ctx.Err() == nil && !warned[m.Name] {
			warned[m.Name] = true
			g.log.Warn("a tokenizer cannot be read; what the engine does not count is left out of the usage", "model", m.Name, "error", err)
		}
	}
}

// countOnce counts the prompt once for all outputs.
func (a *Answer) countOnce(ctx context.Context, t *tokenizer.Tokenizer) (int, error) {
	a.counting.Lock()
	defer a.counting.Unlock()
	var err error
	if a.promptTokens == 0 {
		a.promptTokens, err = t.Count(ctx, a.planned.Prompt, tokenizer.Options{})
	}
	return a.promptTokens, err
}

// complete adds to what the engine has counted of an output that has ended what it has not, by the model's tokenizer: the prompt, the
// output, the reasoning within it. What the engine had cached remains its own to say. Without a tokenizer nothing is added.
func (o *Output) complete(ctx context.Context, counted *engine.Usage) *engine.Usage {
	reasoning := o.result.Message.ReasoningContent
	if counted != nil && counted.Prompt > 0 && counted.Completion > 0 && (counted.Reasoning != nil || reasoning == "") {
		return counted
	}
	t, err := o.answer.gateway.tokenizer(ctx, o.answer.Template)
	if t == nil || err != nil {
		return counted
	}
	full := new(engine.Usage)
	if counted != nil {
		*full = *counted
	}
	if full.Prompt == 0 {
		full.Prompt, err = o.answer.countOnce(ctx, t)
	}
	if full.Completion == 0 && err == nil {
		full.Completion, err = t.Count(ctx, string(o.raw), tokenizer.Options{})
	}
	if full.Reasoning == nil && reasoning != "" && err == nil {
		var n int
		n, err = t.Count(ctx, reasoning, tokenizer.Options{})
		full.Reasoning = new(min(n, full.Completion))
	}
	if err != nil {
		return counted
	}
	return full
}

// EstimateTokens estimates the tokens of a text of so many bytes, for engines and models whose tokens cannot be counted.
func EstimateTokens(bytes int) int { return bytes / 4 }

// Estimate returns how many tokens the prompt and the output have so far, as the engine counts them; where it does not, a few bytes of
// the prompt and a piece of the output are each taken for one.
func (o *Output) Estimate() (prompt, completion int) {
	if u := o.counted(); u != nil {
		prompt, completion = u.Prompt, u.Completion
	}
	if prompt == 0 {
		prompt = EstimateTokens(len(o.answer.planned.Prompt))
	}
	return prompt, max(completion, o.tokens)
}
