package wire

import (
	"context"
	"slices"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// completions is any server of OpenAI's /v1/completions that takes a raw prompt. It takes no constraints. LMDeploy and TensorRT-LLM
// drop special tokens unless asked; others that drop them leave the parser without markers, which the report says.
type completions struct {
	*server
	kind string
}

// openAIParameters are those of OpenAI's completions.
var openAIParameters = []string{engine.MaxTokens, engine.Temperature, engine.TopP, engine.FrequencyPenalty, engine.PresencePenalty, engine.Seed, engine.LogitBias}

// Describe implements engine.Engine.
func (e *completions) Describe() engine.Description {
	same := openAIParameters
	if e.kind == "lmdeploy" || e.kind == "tensorrt_llm" {
		same = append(slices.Clip(same), engine.TopK, engine.MinP, engine.RepetitionPenalty, engine.IgnoreEOS, engine.MinTokens)
	}
	return engine.Description{Kind: e.kind, Parameters: named(same)}
}

// Models implements engine.Engine.
func (e *completions) Models(ctx context.Context) ([]engine.Model, error) { return e.listed(ctx) }

// Complete implements engine.Engine.
func (e *completions) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	b := completionBody(r).parameters(r, e.Describe().Parameters)
	switch e.kind {
	case "lmdeploy":
		b["skip_special_tokens"] = false
	case "tensorrt_llm":
		b["skip_special_tokens"], b["add_special_tokens"] = false, false
	}
	return e.complete(ctx, "/v1/completions", b, new(completionReader))
}

// completionBody returns what all servers of completions take. The default of max_tokens is 16 in OpenAI's API, so it is sent as null.
func completionBody(r *engine.Request) body {
	return body{"model": r.Model, "prompt": r.Prompt, "stream": true, "stream_options": body{"include_usage": true}, "max_tokens": nil}.stops(r)
}

// completionReader reads the events of /v1/completions. The usage comes after the choice that ends.
type completionReader struct {
	finish engine.Finish
	usage  *engine.Usage
	top    *int // the most likely tokens that were asked for
}

type completionEvent struct {
	failure
	Choices []struct {
		Text   string           `json:"text"`
		Probs  *completionProbs `json:"logprobs"`
		Finish *string          `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    *struct {
			Cached *int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails *struct {
			Reasoning *int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
}

func (c *completionReader) read(event []byte) (p engine.Piece, ok bool, err error) {
	var in completionEvent
	text, err := decode(event, &in)
	if err == nil {
		err = in.fault(event)
	}
	if err != nil {
		return p, false, err
	}
	if u := in.Usage; u != nil {
		c.usage = &engine.Usage{Prompt: u.Prompt, Completion: u.Completion}
		if u.Details != nil {
			c.usage.Cached = u.Details.Cached
		}
		if u.CompletionDetails != nil {
			c.usage.Reasoning = u.CompletionDetails.Reasoning
		}
		p.Usage = c.usage
	}
	for _, choice := range in.Choices {
		p.Text, ok = text(choice.Text), true
		p.Tokens = choice.Probs.tokens(c.top)
		if choice.Finish != nil {
			switch *choice.Finish {
			case "length":
				c.finish = engine.Limited
			case "abort", "error":
				return p, false, &fault.Error{Code: fault.Unavailable, Message: "the engine gave up its output", Remedy: "try again"}
			default:
				c.finish = engine.Stopped
			}
		}
	}
	return p, ok, nil
}

func (c *completionReader) end() (engine.Piece, bool) {
	return engine.Piece{Finish: c.finish, Usage: c.usage}, c.finish != engine.Running
}
