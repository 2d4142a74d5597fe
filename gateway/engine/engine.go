// Package engine is the gateway's contract with engines: servers that complete raw prompts.
//
//	Request{prompt, constraint, stops, parameters} ──Complete──→ Stream ──Next──→ Piece, Piece, … io.EOF
//
// An engine is one small interface; what it can do beyond that is data (Description), so that the gateway can say what an engine lacks
// of a request instead of dropping it silently. Package wire has the engines that are reached over HTTP, package replay one that plays
// recordings and needs no model.
//
// An error of Complete means that nothing was delivered: the gateway may ask again, or another engine. After that an error ends the
// answer. What a model writes is never an error.
//
// Words that must not be confused: a *piece* is what an engine sends at once, often one token; a *parameter* is a setting of sampling
// in the words of OpenAI's API, which each engine translates; a *stop* ends an output and may be part of it.
package engine

import (
	"context"
	"encoding/json"
	"io"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// Engine completes prompts. It is safe for concurrent use.
type Engine interface {
	// Describe returns what the engine can do.
	Describe() Description
	// Models asks for the models that the engine serves. An engine that answers is healthy.
	Models(ctx context.Context) ([]Model, error)
	// Complete begins a completion, which ends with ctx. It returns when the engine has accepted the request.
	Complete(ctx context.Context, r *Request) (Stream, error)
}

// Counter is an engine that counts the tokens of texts.
type Counter interface {
	// Count returns the number of tokens of a text for a model, special tokens in their spelling.
	Count(ctx context.Context, model, text string) (int, error)
}

// Passer is an engine with an API of OpenAI's for completions of raw prompts, to which requests are passed on.
type Passer interface {
	// Pass posts a body to /v1/completions. It returns when the engine has accepted it.
	Pass(ctx context.Context, body []byte) (*Passed, error)
}

// Generator is an engine with vLLM's API for token ids, to which requests are passed on.
type Generator interface {
	// Generate posts a body to /inference/v1/generate. It returns when the engine has accepted it.
	Generate(ctx context.Context, body []byte) (*Passed, error)
}

// Passed is the answer of a Passer or a Generator: JSON, or events if the request asks for a stream. The body must be closed.
type Passed struct {
	ContentType string
	Body        io.ReadCloser
}

// Stream is a running completion. It is used by one goroutine at a time.
type Stream interface {
	// Next returns the next piece, and io.EOF after one that has finished. The text of a piece is valid until the next call.
	Next() (Piece, error)
	// Close ends the completion. The engine stops generating if it has not finished.
	Close() error
}

// Description is what an engine can do.
type Description struct {
	// Kind is the name of the engine's program: "vllm".
	Kind string
	// Target is the notation in which the engine takes constraints; empty: it takes none.
	Target grammar.Target
	// Parameters are the parameters that the engine has, and its names for them.
	Parameters map[string]string
	// TellsStops means that an output shows which stop has ended it: in its text, or in its last piece.
	TellsStops bool
	// Logprobs means that the engine tells the log probabilities of tokens.
	Logprobs bool
	// Media are the kinds of parts that the engine takes beside a prompt, "image" and "audio": true if it needs to know where in the
	// prompt they belong, false if the template says so.
	Media map[string]bool
	// Thinking means that the engine ends reasoning at the budget of a request.
	Thinking bool
}

// Model is a model that an engine serves.
type Model struct {
	// Name is what requests call it.
	Name string
	// Template is its chat template, and BOSToken and EOSToken are the tokens that the template writes; Template is empty if the engine
	// does not offer it.
	Template, BOSToken, EOSToken string
	// Known names a template of the daemon that is the model's; it may be empty.
	Known string
}

// Request is a prompt to complete.
type Request struct {
	// ID is the id of the request, for logs.
	ID string
	// Model is the engine's name of the model.
	Model string
	// Prompt is the whole prompt, with special tokens in their spelling. It begins with BOS if the template writes that.
	Prompt, BOS string
	// Constraint limits sampling, in the engine's target; nil: sampling is free.
	Constraint *grammar.Constraint
	// Preserved are special tokens that must not be dropped from the text.
	Preserved []string
	// Stops end the output.
	Stops []string
	// Parameters are those of the request that the engine has.
	Parameters []Parameter
	// Logprobs asks for the log probabilities of tokens, and of so many most likely ones in the place of each; nil: of none.
	Logprobs *int
	// Media are the images and other parts that belong to the prompt, in their order in it.
	Media []Media
	// Thinking limits reasoning; nil: it is not limited, or the engine cannot.
	Thinking *Thinking
}

// Media is an image, or another part of a message that is not text.
type Media struct {
	Kind string // "image" or "audio"
	Type string // the media type: "image/png"
	Data string // in base64
	// Placeholder is the text in the prompt that stands for it; empty: the template has written what the model knows.
	Placeholder string
}

// Thinking is a limit of reasoning.
type Thinking struct {
	Budget int // tokens
	// Start begins reasoning, and each of Ends ends it. Open means that the prompt has begun it.
	Start string
	Ends  []string
	Open  bool
}

// Parameter is a setting of sampling.
type Parameter struct {
	Name  string // as in Names
	Value json.RawMessage
}

// The parameters that a gateway knows, as OpenAI and engines with its API call them.
const (
	MaxTokens         = "max_tokens"
	MinTokens         = "min_tokens"
	Temperature       = "temperature"
	TopP              = "top_p"
	TopK              = "top_k"
	MinP              = "min_p"
	FrequencyPenalty  = "frequency_penalty"
	PresencePenalty   = "presence_penalty"
	RepetitionPenalty = "repetition_penalty"
	Seed              = "seed"
	LogitBias         = "logit_bias"
	IgnoreEOS         = "ignore_eos"
)

// Finish is why a completion ended.
type Finish uint8

// The reasons to end.
const (
	Running Finish = iota // it has not
	Stopped               // at an end token or a stop
	Limited               // at a limit of length
)

// Piece is what an engine has generated since the last one.
type Piece struct {
	Text []byte
	// Special are the bytes that came from special tokens; nil: the engine does not say.
	Special []match.Range
	Finish  Finish
	// Stop is the stop that has ended the output, if the engine takes it from the text and says which it was. Full means that the
	// output is Limited by the model's context, and not by the request.
	Stop string
	Full bool
	// Tokens are those of the text, if the request asks for log probabilities. An engine may send them before their text.
	Tokens []Token
	// Usage is what the engine has counted so far; nil: it does not say with this piece.
	Usage *Usage
}

// Token is a token with its log probability.
type Token struct {
	Text    []byte
	Logprob float64
	Top     []Token // the most likely ones in its place, if the request asks for them
}

// Usage counts tokens as the engine does.
type Usage struct {
	Prompt, Completion int
	// Cached are the tokens of the prompt that the engine did not compute again, and Reasoning those of the completion that are reasoning;
	// nil: the engine does not say.
	Cached, Reasoning *int
}
