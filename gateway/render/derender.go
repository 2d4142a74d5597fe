package render

import (
	"context"
	"net/http"
	"time"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// derenderRequest holds the members that all requests to derender have in common.
type derenderRequest struct {
	Model          string         `json:"model"`
	Stream         bool           `json:"stream"`
	Chunk          *generated     `json:"generate_chunk"`
	State          jsontext.Value `json:"stream_state"`
	PromptTokenIDs []tokenizer.ID `json:"prompt_token_ids"`
}

// generated is a generate response, or a chunk of one.
type generated struct {
	RequestID  string         `json:"request_id"`
	Model      string         `json:"model"`
	Choices    []choice       `json:"choices"`
	Usage      *usage         `json:"usage"`
	KVTransfer jsontext.Value `json:"kv_transfer_params"`
	OutputMode string         `json:"output_mode"`

	PromptLogprobs jsontext.Value `json:"prompt_logprobs"`
}

// choice is one output.
type choice struct {
	Index        int            `json:"index"`
	TokenIDs     []tokenizer.ID `json:"token_ids"`
	Logprobs     jsontext.Value `json:"logprobs"`
	FinishReason *string        `json:"finish_reason"`
}

// usage counts tokens.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Total      int `json:"total_tokens"`
	Completion int `json:"completion_tokens"`

	Details *completionDetails `json:"completion_tokens_details,omitzero"`
}

type completionDetails struct {
	Reasoning int `json:"reasoning_tokens"`
}

// newUsage returns the usage of an output; reasoning is nil where nothing parses it.
func newUsage(prompt, completion int, reasoning *int) *usage {
	u := &usage{Prompt: prompt, Completion: completion, Total: prompt + completion}
	if reasoning != nil {
		u.Details = &completionDetails{*reasoning}
	}
	return u
}

// check returns an error for what an engine has not sent.
func (g *generated) check(place string, t *tokenizer.Tokenizer) error {
	if g.OutputMode != "" && g.OutputMode != "tokens" {
		return fault.Invalid(place+".output_mode", `expected "tokens": what is text already need not be derendered`)
	}
	for i, c := range g.Choices {
		if err := t.Check(ordered.IndexPath(place+".choices", i)+".token_ids", c.TokenIDs); err != nil {
			return err
		}
	}
	return nil
}

// whole is check for a complete response.
func (g *generated) whole(place string, t *tokenizer.Tokenizer) error {
	if len(g.Choices) == 0 {
		return fault.Invalid(place+".choices", "expected at least one choice, found nothing")
	}
	for i, c := range g.Choices {
		if len(c.TokenIDs) == 0 {
			return fault.Invalid(ordered.IndexPath(place+".choices", i)+".token_ids", "expected at least one token id, found nothing")
		}
	}
	return g.check(place, t)
}

// reason returns why a choice ended. An engine that does not say has ended it.
func (c *choice) reason() string {
	if c.FinishReason == nil {
		return string(chat.FinishStop)
	}
	return *c.FinishReason
}

// chatDerender is a request to derender the answer to a chat request.
type chatDerender struct {
	derenderRequest
	Response     *generated     `json:"generate_response"`
	PromptTokens *int           `json:"prompt_tokens"`
	ChatRequest  jsontext.Value `json:"chat_request"`
	// RoundTrip asks whether the tokens come back when the conversation with the answer is rendered.
	RoundTrip bool `json:"return_retokenized"`
}

// prompt returns the number of tokens of the prompt.
func (in *chatDerender) prompt() (int, error) {
	if in.PromptTokens == nil {
		return len(in.PromptTokenIDs), nil
	}
	return *in.PromptTokens, negative("prompt_tokens", *in.PromptTokens)
}

func negative(place string, n int) error {
	if n < 0 {
		return fault.Invalid(place, "expected a number of tokens, found a negative number")
	}
	return nil
}

// answered is a chat completion.
type answered struct {
	ID             string         `json:"id"`
	Object         string         `json:"object"`
	Created        int64          `json:"created"`
	Model          string         `json:"model"`
	Choices        []any          `json:"choices"`
	ServiceTier    *string        `json:"service_tier"`
	Fingerprint    *string        `json:"system_fingerprint"`
	Usage          *usage         `json:"usage"`
	PromptLogprobs jsontext.Value `json:"prompt_logprobs"`
	PromptTokenIDs *struct{}      `json:"prompt_token_ids"`
	KVTransfer     jsontext.Value `json:"kv_transfer_params"`
}

type chatChoice struct {
	Index        int            `json:"index"`
	Message      chatMessage    `json:"message"`
	Logprobs     *chatLogprobs  `json:"logprobs"`
	FinishReason string         `json:"finish_reason"`
	StopReason   *string        `json:"stop_reason"`
	TokenIDs     []tokenizer.ID `json:"token_ids"`

	// Retokenized is the first token that does not come back, or null, if that was asked for.
	Retokenized jsontext.Value `json:"retokenized,omitzero"`
}

type chatLogprobs struct {
	Content []logprob `json:"content"`
}

type chatMessage struct {
	Role         string     `json:"role"`
	Content      *growing   `json:"content"`
	Refusal      *string    `json:"refusal"`
	Annotations  *struct{}  `json:"annotations"`
	Audio        *struct{}  `json:"audio"`
	FunctionCall *struct{}  `json:"function_call"`
	Calls        []chatCall `json:"tool_calls"`
	Reasoning    *growing   `json:"reasoning"`
}

type chatCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

// message returns a delta of everything as a message.
func (d *delta) message() chatMessage {
	m := chatMessage{Role: chat.RoleAssistant, Content: d.Content, Reasoning: d.Reasoning, Calls: []chatCall{}}
	for _, c := range d.Calls {
		m.Calls = append(m.Calls, chatCall{c.ID, "function", c.Function})
	}
	if m.Content == nil && len(m.Calls) == 0 {
		m.Content = new(growing)
	}
	return m
}

// derenderChat answers with the answer to a chat request, or the next chunk of it.
func (s *Service) derenderChat(w http.ResponseWriter, r *http.Request) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	var in chatDerender
	if err := read("", data, &in); err != nil {
		return err
	}
	prompt, err := in.prompt()
	if err != nil {
		return err
	}
	if in.Stream {
		return s.stream(w, r, &in.derenderRequest, prompt, "chat.completion.chunk", func(m *host.Model) (*host.Planned, *bool, error) {
			return s.derenderPlan(r, m, in.ChatRequest)
		})
	}
	m, t, err := s.model(r.Context(), in.Model)
	if err != nil {
		return err
	}
	if in.Response == nil {
		return fault.Invalid("generate_response", "expected what the engine has generated, found nothing")
	}
	if err := in.Response.whole("generate_response", t); err != nil {
		return err
	}
	plan, skip, err := s.derenderPlan(r, m, in.ChatRequest)
	if err != nil {
		return err
	}
	out := in.Response.answered("chat.completion", m.Name)
	total, reasoning := 0, (*int)(nil)
	if plan != nil {
		reasoning = new(int)
	}
	for i, c := range in.Response.Choices {
		d, thought, reason, err := c.derender(r.Context(), t, plan, skip)
		if err != nil {
			return err
		}
		if thought != nil {
			*reasoning += *thought
		}
		one := chatChoice{Index: c.Index, Message: d.message(), FinishReason: reason}
		probable, err := probabilities(t, ordered.IndexPath("generate_response.choices", i)+".logprobs", c.Logprobs)
		if err != nil {
			return err
		}
		if probable != nil {
			one.Logprobs = &chatLogprobs{probable}
		}
		if in.RoundTrip {
			if one.Retokenized, err = c.retokenized(r.Context(), t, plan); err != nil {
				return err
			}
		}
		out.Choices = append(out.Choices, one)
		total += len(c.TokenIDs)
	}
	out.Usage = newUsage(prompt, total, reasoning)
	api.Note(r.Context(), api.Facts{PromptTokens: prompt, CompletionTokens: total})
	return answer(w, out)
}

// answered returns an answer without choices.
func (g *generated) answered(object, model string) *answered {
	return &answered{ID: g.RequestID, Object: object, Created: time.Now().Unix(), Model: model, PromptLogprobs: null(g.PromptLogprobs), KVTransfer: null(g.KVTransfer)}
}

// derenderPlan returns the plan of the chat request that an output answers, and whether it wants special tokens skipped; no plan without
// a request.
func (s *Service) derenderPlan(r *http.Request, m *host.Model, request jsontext.Value) (*host.Planned, *bool, error) {
	if len(set(request)) == 0 {
		return nil, nil, nil
	}
	var in struct {
		Skip *bool `json:"skip_special_tokens"`
	}
	if err := read("chat_request", request, &in); err != nil {
		return nil, nil, err
	}
	plan, err := s.host.PlanJSON(r.Context(), m.Name, request)
	if err != nil {
		return nil, nil, within("chat_request", err)
	}
	api.Note(r.Context(), api.Facts{Handler: plan.Handler})
	return plan, in.Skip, nil
}

// retokenized returns the first token that does not come back, as JSON.
func (c *choice) retokenized(ctx context.Context, t *tokenizer.Tokenizer, plan *host.Planned) (jsontext.Value, error) {
	if plan == nil {
		return nil, fault.Invalid("return_retokenized", "needs chat_request, the conversation that is rendered; send both, or neither")
	}
	at, err := plan.Retokenized(ctx, t, c.TokenIDs, c.reason() != string(chat.FinishStop))
	if err != nil {
		return nil, err
	}
	return gojson.Marshal(at)
}

// derender returns a whole output as a delta, how many of its ids are reasoning (nil if nothing parses it), and why it ended.
func (c *choice) derender(ctx context.Context, t *tokenizer.Tokenizer, plan *host.Planned, skip *bool) (d delta, reasoning *int, reason string, err error) {
	if err := ctx.Err(); err != nil { // there may be many choices
		return d, nil, "", err
	}
	out, err := newOutput(ctx, t, plan, skip)
	if err != nil {
		return d, nil, "", err
	}
	defer out.close()
	pieces, err := out.take(c.TokenIDs)
	if err != nil {
		return d, nil, "", err
	}
	d.add(pieces)
	pieces, reason, err = out.finish(c.reason())
	d.add(pieces)
	return d, out.reasoning(), reason, err
}
