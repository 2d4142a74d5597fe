package render

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// common are the members that requests for chats and completions have in common, besides those that the template sees.
type common struct {
	Model     string `json:"model"`
	RequestID string `json:"request_id"`

	N                 *int               `json:"n"`
	PresencePenalty   *float64           `json:"presence_penalty"`
	FrequencyPenalty  *float64           `json:"frequency_penalty"`
	RepetitionPenalty *float64           `json:"repetition_penalty"`
	Temperature       *float64           `json:"temperature"`
	TopP              *float64           `json:"top_p"`
	TopK              *int               `json:"top_k"`
	MinP              *float64           `json:"min_p"`
	Seed              *int64             `json:"seed"`
	Stop              texts              `json:"stop"`
	StopTokenIDs      []tokenizer.ID     `json:"stop_token_ids"`
	IgnoreEOS         bool               `json:"ignore_eos"`
	MaxTokens         *int               `json:"max_tokens"`
	MinTokens         *int               `json:"min_tokens"`
	PromptLogprobs    *int               `json:"prompt_logprobs"`
	SkipSpecial       *bool              `json:"skip_special_tokens"`
	Spaces            *bool              `json:"spaces_between_special_tokens"`
	IncludeStop       *bool              `json:"include_stop_str_in_output"`
	StructuredOutputs jsontext.Value     `json:"structured_outputs"`
	LogitBias         map[string]float64 `json:"logit_bias"`
	Allowed           []tokenizer.ID     `json:"allowed_token_ids"`
	BadWords          []string           `json:"bad_words"`
	ThinkingBudget    *int               `json:"thinking_token_budget"`
	Extra             jsontext.Value     `json:"vllm_xargs"`

	Stream        bool           `json:"stream"`
	StreamOptions jsontext.Value `json:"stream_options"`
	CacheSalt     *string        `json:"cache_salt"`
	Priority      int            `json:"priority"`
	KVTransfer    jsontext.Value `json:"kv_transfer_params"`

	AddSpecial *bool `json:"add_special_tokens"`
	Offsets    bool  `json:"return_token_offsets"`
	Mask       bool  `json:"return_assistant_tokens_mask"`
}

// parameters are the sampling parameters of a generate request. What is not set is omitted, and means the engine's default.
type parameters struct {
	N                 *int               `json:"n,omitzero"`
	PresencePenalty   *float64           `json:"presence_penalty,omitzero"`
	FrequencyPenalty  *float64           `json:"frequency_penalty,omitzero"`
	RepetitionPenalty *float64           `json:"repetition_penalty,omitzero"`
	Temperature       *float64           `json:"temperature,omitzero"`
	TopP              *float64           `json:"top_p,omitzero"`
	TopK              *int               `json:"top_k,omitzero"`
	MinP              *float64           `json:"min_p,omitzero"`
	Seed              *int64             `json:"seed,omitzero"`
	Stop              []string           `json:"stop,omitempty"`
	StopTokenIDs      []tokenizer.ID     `json:"stop_token_ids,omitempty"`
	IgnoreEOS         bool               `json:"ignore_eos,omitzero"`
	MaxTokens         *int               `json:"max_tokens,omitzero"`
	MinTokens         *int               `json:"min_tokens,omitzero"`
	Logprobs          *int               `json:"logprobs,omitzero"`
	PromptLogprobs    *int               `json:"prompt_logprobs,omitzero"`
	SkipSpecial       *bool              `json:"skip_special_tokens,omitzero"`
	Spaces            *bool              `json:"spaces_between_special_tokens,omitzero"`
	IncludeStop       *bool              `json:"include_stop_str_in_output,omitzero"`
	StructuredOutputs jsontext.Value     `json:"structured_outputs,omitempty"`
	LogitBias         map[string]float64 `json:"logit_bias,omitempty"`
	Allowed           []tokenizer.ID     `json:"allowed_token_ids,omitempty"`
	BadWords          []string           `json:"bad_words,omitempty"`
	ThinkingBudget    *int               `json:"thinking_token_budget,omitzero"`
	Extra             jsontext.Value     `json:"extra_args,omitempty"`
}

// parameters returns the sampling parameters for a prompt of so many tokens: those of the request, and then those that the model's
// authors recommend. byDefault is the number of tokens to generate where neither says; 0: all that fit.
func (r *common) parameters(m *host.Model, prompt, byDefault int) (*parameters, error) {
	p := &parameters{
		N: r.N, PresencePenalty: r.PresencePenalty, FrequencyPenalty: r.FrequencyPenalty,
		RepetitionPenalty: either(r.RepetitionPenalty, m.Sampling.RepetitionPenalty),
		Temperature:       either(r.Temperature, m.Sampling.Temperature), TopP: either(r.TopP, m.Sampling.TopP),
		TopK: either(r.TopK, m.Sampling.TopK), MinP: either(r.MinP, m.Sampling.MinP),
		Seed: r.Seed, Stop: slices.Clone(r.Stop), StopTokenIDs: slices.Clone(r.StopTokenIDs), IgnoreEOS: r.IgnoreEOS, MinTokens: r.MinTokens,
		PromptLogprobs: r.PromptLogprobs, SkipSpecial: r.SkipSpecial, Spaces: r.Spaces, IncludeStop: r.IncludeStop,
		StructuredOutputs: set(r.StructuredOutputs), LogitBias: r.LogitBias, Allowed: r.Allowed, BadWords: r.BadWords,
		ThinkingBudget: r.ThinkingBudget, Extra: set(r.Extra),
	}
	most := 0
	for _, limit := range []int{m.Sampling.MaxNewTokens, room(m, prompt)} {
		if limit > 0 && (most == 0 || limit < most) {
			most = limit
		}
	}
	switch {
	case m.ContextLength > 0 && prompt >= m.ContextLength:
		return nil, &fault.Error{Code: fault.InvalidArgument, Message: fmt.Sprintf("the prompt has %d tokens, and the model sees at most %d", prompt, m.ContextLength),
			Remedy: "shorten the conversation, or send fewer tools"}
	case r.MaxTokens != nil && *r.MaxTokens < 1:
		return nil, fault.Invalid("max_tokens", fmt.Sprintf("expected at least 1, found %d", *r.MaxTokens))
	case r.MaxTokens != nil && (most == 0 || *r.MaxTokens < most):
		most = *r.MaxTokens
	case r.MaxTokens == nil && byDefault > 0 && (most == 0 || byDefault < most):
		most = byDefault
	}
	if most > 0 {
		p.MaxTokens = &most
	}
	return p, nil
}

// room returns how many tokens fit after a prompt; 0 if unknown.
func room(m *host.Model, prompt int) int { return max(0, m.ContextLength-prompt) }

// either returns the first value that is set.
func either[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// set returns a value, or nil for null.
func set(v jsontext.Value) jsontext.Value {
	if v.Kind() == 'n' {
		return nil
	}
	return v
}

// check returns an error for members that can never work.
func (r *common) check() error {
	if len(set(r.StreamOptions)) > 0 && !r.Stream {
		return fault.Invalid("stream_options", "stream_options needs stream: true; send both, or neither")
	}
	if n := r.N; n != nil && *n < 1 {
		return fault.Invalid("n", fmt.Sprintf("expected at least 1, found %d", *n))
	}
	if s := r.CacheSalt; s != nil && (*s == "" || len(*s) > maxSalt) {
		return fault.Invalid("cache_salt", fmt.Sprintf("expected a text of 1 to %d bytes, found one of %d", maxSalt, len(*s)))
	}
	return nil
}

const maxSalt = 1024

// generateRequest is what an engine gets.
type generateRequest struct {
	RequestID    string         `json:"request_id"`
	TokenIDs     []tokenizer.ID `json:"token_ids"`
	TokenOffsets [][2]int       `json:"token_offsets"` // in characters
	Mask         []int          `json:"assistant_tokens_mask,omitempty"`
	Features     *struct{}      `json:"features"` // of images and such, of which there are none
	Parameters   *parameters    `json:"sampling_params"`
	Model        string         `json:"model"`

	Stream        bool           `json:"stream"`
	StreamOptions jsontext.Value `json:"stream_options"`
	CacheSalt     *string        `json:"cache_salt"`
	Priority      int            `json:"priority"`
	KVTransfer    jsontext.Value `json:"kv_transfer_params"`

	ReasoningEnded  *bool           `json:"reasoning_ended"`
	ReasoningParser *templateKwargs `json:"reasoning_parser_kwargs"`
}

type templateKwargs struct {
	Kwargs jsontext.Value `json:"chat_template_kwargs"`
}

// request returns the generate request of a prompt.
func (r *common) request(id, model string, p *parameters) *generateRequest {
	return &generateRequest{RequestID: id, Model: model, Parameters: p, Stream: r.Stream, StreamOptions: null(r.StreamOptions),
		CacheSalt: r.CacheSalt, Priority: r.Priority, KVTransfer: null(r.KVTransfer)}
}

// null returns a value, or null if it is missing.
func null(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return jsontext.Value("null")
	}
	return v
}
