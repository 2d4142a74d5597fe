package wire

import (
	"cmp"
	"context"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// vllm is `vllm serve`, by /v1/completions. It parses special tokens in prompts, and keeps them in the text if asked; a stop is wanted in
// the text, too, because it may be a marker. Tokens that begin a text are the template's (add_special_tokens).
type vllm struct{ *server }

var vllmParameters = named(append(openAIParameters[:len(openAIParameters):len(openAIParameters)],
	engine.TopK, engine.MinP, engine.RepetitionPenalty, engine.MinTokens, engine.IgnoreEOS))

// Describe implements engine.Engine.
func (e *vllm) Describe() engine.Description {
	return engine.Description{Kind: "vllm", Target: grammar.TargetStructuralTag, Parameters: vllmParameters, TellsStops: true, Logprobs: true}
}

// Models implements engine.Engine. The template is offered by servers with --enable-tokenizer-info-endpoint.
func (e *vllm) Models(ctx context.Context) (out []engine.Model, err error) {
	var listed models
	if err = e.get(ctx, "/v1/models", &listed); err != nil {
		return nil, err
	}
	var info struct {
		Template string `json:"chat_template"`
		BOS      string `json:"bos_token"`
		EOS      string `json:"eos_token"`
	}
	if err = e.get(ctx, "/tokenizer_info", &info); err != nil && cmp.Or(fault.CodeOf(err), fault.Internal) == fault.Unavailable {
		return nil, err
	}
	for _, m := range listed.Data {
		out = append(out, engine.Model{Name: m.ID, Known: m.Root, Template: info.Template, BOSToken: info.BOS, EOSToken: info.EOS})
	}
	return out, nil
}

// Complete implements engine.Engine.
func (e *vllm) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	b := completionBody(r).parameters(r, vllmParameters)
	b["stream_options"] = body{"include_usage": true, "continuous_usage_stats": true}
	b["add_special_tokens"], b["skip_special_tokens"], b["spaces_between_special_tokens"] = false, false, false
	b["include_stop_str_in_output"] = true
	if r.Logprobs != nil {
		b["logprobs"] = *r.Logprobs
	}
	if r.Constraint != nil {
		b["structured_outputs"] = body{"structural_tag": r.Constraint.Content}
	}
	return e.complete(ctx, "/v1/completions", b, &completionReader{top: r.Logprobs})
}
