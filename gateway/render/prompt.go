package render

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	gojson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// chatParameters are the members of a chat request that the template does not see.
type chatParameters struct {
	common
	MaxCompletionTokens *int           `json:"max_completion_tokens"`
	Logprobs            bool           `json:"logprobs"`
	TopLogprobs         *int           `json:"top_logprobs"`
	Kwargs              jsontext.Value `json:"chat_template_kwargs"`
}

// renderChat answers a chat request with the generate request for its prompt.
func (s *Service) renderChat(w http.ResponseWriter, r *http.Request) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	out, err := s.renderedChat(w, r, data, "chatcmpl-")
	if err != nil {
		return err
	}
	return answer(w, out)
}

// renderedChat renders a chat request. prefix begins the id of a request without one. The notes, and those of the plan, are warnings.
func (s *Service) renderedChat(w http.ResponseWriter, r *http.Request, data []byte, prefix string, notes ...string) (*generateRequest, error) {
	var in chatParameters
	if err := read("", data, &in); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	m, t, err := s.model(r.Context(), in.Model)
	if err != nil {
		return nil, err
	}
	planned, err := s.plan(r, m, data)
	if err != nil {
		return nil, err
	}
	planned, err = planned.In(r.Context(), grammar.TargetStructuralTag)
	if err != nil {
		return nil, err
	}
	in.MaxTokens = either(in.MaxCompletionTokens, in.MaxTokens)
	o := tokenizer.Options{AddSpecial: in.AddSpecial != nil && *in.AddSpecial}
	ids, offsets, err := encode(r.Context(), t, planned.Prompt, o, in.Offsets)
	if err != nil {
		return nil, err
	}
	p, err := in.parameters(m, len(ids), 0)
	if err != nil {
		return nil, err
	}
	if in.Logprobs {
		p.Logprobs = either(in.TopLogprobs, new(int))
	}
	constrain(p, planned, t)
	out := in.request(cmp.Or(in.RequestID, prefix+newID()), m.Name, p)
	out.TokenIDs, out.TokenOffsets = ids, offsets
	if in.Mask {
		if out.Mask, err = s.mask(r, m, t, data, planned.Prompt, o); err != nil {
			return nil, err
		}
	}
	if planned.SupportsThinking {
		ended := planned.ReasoningState == handler.ReasoningClosed
		out.ReasoningEnded = &ended
	}
	reply.SetWarnings(w, append(notes, planned.Notes...))
	if kwargs := set(in.Kwargs); len(kwargs) > 0 {
		out.ReasoningParser = &templateKwargs{kwargs}
	}
	return out, nil
}

// plan plans a chat request for a model.
func (s *Service) plan(r *http.Request, m *host.Model, data []byte) (*host.Planned, error) {
	if err := textOnly(data); err != nil {
		return nil, err
	}
	return s.host.PlanJSON(r.Context(), m.Name, data)
}

// textOnly returns an error for a request with parts that are no text. Templates would write placeholders for them, and without the
// features of an image these are worth nothing.
func textOnly(data []byte) error {
	var in struct {
		Messages []struct {
			Content jsontext.Value `json:"content"`
		} `json:"messages"`
	}
	if err := gojson.Unmarshal(data, &in); err != nil {
		return nil //nolint:nilerr // planning finds the same fault, and its place
	}
	for i, message := range in.Messages {
		var parts []struct {
			Type string `json:"type"`
		}
		if message.Content.Kind() != '[' || gojson.Unmarshal(message.Content, &parts) != nil {
			continue
		}
		for j, part := range parts {
			if kind := modalities[part.Type]; kind != "" {
				return &fault.Error{Code: fault.InvalidArgument, Place: ordered.IndexPath(ordered.IndexPath("messages", i)+".content", j),
					Message: fmt.Sprintf("at most 0 %s(s) may be provided in one prompt", kind), Remedy: "send text, or render with the engine itself, which makes the features of other parts"}
			}
		}
	}
	return nil
}

// modalities are the types of parts that are no text.
var modalities = map[string]string{
	"image_url": "image", "input_image": "image", "image": "image", "image_embeds": "image", "image_pil": "image",
	"video_url": "video", "video": "video", "audio_url": "audio", "input_audio": "audio", "audio": "audio", "audio_embeds": "audio",
}

// constrain adds the plan's constraint and stops to sampling parameters.
func constrain(p *parameters, plan *host.Planned, t *tokenizer.Tokenizer) {
	for _, stop := range plan.Stops {
		if id, ok := t.ID(stop); ok {
			if !slices.Contains(p.StopTokenIDs, id) {
				p.StopTokenIDs = append(p.StopTokenIDs, id)
			}
		} else if !slices.Contains(p.Stop, stop) {
			p.Stop = append(p.Stop, stop)
		}
	}
	if c := plan.Constraint; c != nil && c.Target == grammar.TargetStructuralTag && len(p.StructuredOutputs) == 0 {
		p.StructuredOutputs, _ = gojson.Marshal(map[string]string{"structural_tag": c.Content}) // of two texts
	}
}

// encode returns the ids of a text and, if they are wanted, their ranges in characters.
func encode(ctx context.Context, t *tokenizer.Tokenizer, text string, o tokenizer.Options, offsets bool) (ids []tokenizer.ID, at [][2]int, err error) {
	if !offsets {
		ids, err = t.EncodeWithin(ctx, text, o)
		return ids, nil, err
	}
	tokens, err := t.TokensWithin(ctx, text, o)
	if err != nil {
		return nil, nil, err
	}
	ids, at = make([]tokenizer.ID, len(tokens)), make([][2]int, len(tokens))
	count := counter{text: text}
	for i, token := range tokens {
		ids[i] = token.ID
		at[i] = [2]int{count.before(token.From), count.before(token.To)}
		if token.From < len(text) && !utf8.RuneStart(text[token.From]) {
			at[i][0]-- // the token begins within a character
		}
	}
	return ids, at, nil
}

// counter counts the characters that begin before an offset of a text, for offsets that hardly ever fall.
type counter struct {
	text         string
	bytes, count int
}

func (c *counter) before(to int) int {
	for ; c.bytes < to; c.bytes++ {
		if utf8.RuneStart(c.text[c.bytes]) {
			c.count++
		}
	}
	for ; c.bytes > to; c.bytes-- { // tokens can overlap
		if utf8.RuneStart(c.text[c.bytes-1]) {
			c.count--
		}
	}
	return c.count
}

// newID returns the part of an id that is random.
func newID() string { return strings.ToLower(rand.Text()) }

// completionRequest is a request for completions of raw prompts.
type completionRequest struct {
	common
	Prompt   jsontext.Value `json:"prompt"`
	Logprobs *int           `json:"logprobs"`
}

// defaultCompletion is the number of tokens of a completion whose request does not say.
const defaultCompletion = 16

// renderCompletion answers a request for completions with a generate request for each prompt.
func (s *Service) renderCompletion(w http.ResponseWriter, r *http.Request) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	var in completionRequest
	if err := read("", data, &in); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	if in.Mask {
		return fault.Invalid("return_assistant_tokens_mask", "a completion has no messages; leave it out")
	}
	m, t, err := s.model(r.Context(), in.Model)
	if err != nil {
		return err
	}
	prompts, err := readPrompts(in.Prompt)
	if err != nil {
		return err
	}
	id := cmp.Or(in.RequestID, "cmpl-"+newID())
	all := make([]*generateRequest, len(prompts))
	for i, p := range prompts {
		if err := r.Context().Err(); err != nil {
			return err
		}
		ids, offsets := p.ids, [][2]int(nil)
		if ids == nil {
			ids, offsets, err = encode(r.Context(), t, p.text, tokenizer.Options{AddSpecial: in.AddSpecial == nil || *in.AddSpecial}, in.Offsets)
			if err != nil {
				return err
			}
		}
		if err := t.Check(p.place, p.ids); err != nil {
			return err
		}
		if len(ids) == 0 {
			return fault.Invalid(p.place, "expected a prompt, found nothing")
		}
		parameters, err := in.parameters(m, len(ids), defaultCompletion)
		if err != nil {
			return err
		}
		parameters.Logprobs = in.Logprobs
		all[i] = in.request(fmt.Sprintf("%s-%d", id, i), m.Name, parameters)
		all[i].TokenIDs, all[i].TokenOffsets = ids, offsets
	}
	return answer(w, all)
}

// prompt is a text, or ids.
type prompt struct {
	place string
	text  string
	ids   []tokenizer.ID
}

// readPrompts reads a string, ids, or a list of either.
func readPrompts(raw jsontext.Value) (all []prompt, err error) {
	const place = "prompt"
	var items []jsontext.Value
	switch raw.Kind() {
	case '"':
		all = make([]prompt, 1)
		all[0].place = place
		return all, read(place, raw, &all[0].text)
	case '[':
		if err := read(place, raw, &items); err != nil {
			return nil, err
		}
	default:
		return nil, fault.Invalid(place, "expected a string, an array of token ids, or an array of either")
	}
	if len(items) == 0 {
		return nil, fault.Invalid(place, "expected a prompt, found an empty array")
	}
	if items[0].Kind() == '0' {
		all = make([]prompt, 1)
		all[0].place = place
		return all, read(place, raw, &all[0].ids)
	}
	for i, item := range items {
		p := prompt{place: ordered.IndexPath(place, i)}
		switch item.Kind() {
		case '"':
			err = read(p.place, item, &p.text)
		case '[':
			err = read(p.place, item, &p.ids)
		default:
			err = fault.Invalid(p.place, "expected a string or an array of token ids")
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// mask returns which tokens of a prompt the assistant has written: 1 for those, 0 for the others.
func (s *Service) mask(r *http.Request, m *host.Model, t *tokenizer.Tokenizer, data []byte, whole string, o tokenizer.Options) ([]int, error) {
	req, err := chat.ParseRequest(data)
	if err != nil {
		return nil, err
	}
	find := turns{whole: whole, req: req, render: func(req *chat.Request) (prompt, begins string, err error) {
		rendered, err := s.host.Render(r.Context(), m.Name, req)
		return rendered.Prompt, rendered.GenerationPrompt, err
	}}
	spans, err := find.written()
	if err != nil {
		return nil, err
	}
	tokens, err := t.TokensWithin(r.Context(), whole, o)
	if err != nil {
		return nil, err
	}
	mask := make([]int, len(tokens))
	for i, token := range tokens {
		for len(spans) > 0 && token.From >= spans[0][1] {
			spans = spans[1:]
		}
		if len(spans) > 0 && token.From >= spans[0][0] && token.To > token.From {
			mask[i] = 1
		}
	}
	return mask, nil
}

// maxTurns bounds the turns of the assistant whose places are looked for: each costs a rendering.
const maxTurns = 64

// turns finds the bytes of a prompt that the assistant has written.
type turns struct {
	render func(*chat.Request) (prompt, begins string, err error) // begins is what begins the next turn, at the end of the prompt
	req    *chat.Request
	whole  string // the prompt
	begins string // the text that begins a turn; empty until a rendering shows it
}

// written returns the ranges of the turns: each is what the conversation up to it adds to the conversation before it and the beginning of
// the turn.
func (t *turns) written() (spans [][2]int, err error) {
	done := 0 // the turns before end here
	for i, message := range t.req.Messages {
		if message.Role != chat.RoleAssistant {
			continue
		}
		if len(spans) == maxTurns {
			return nil, fault.Invalid("return_assistant_tokens_mask", fmt.Sprintf("expected at most %d turns of the assistant, found more; send the conversation in parts", maxTurns))
		}
		after := *t.req
		after.Messages, after.AddGenerationPrompt = t.req.Messages[:i+1], false
		if i+1 < len(t.req.Messages) {
			after.ContinueFinalMessage = chat.ContinueNone
		}
		prompt, _, err := t.render(&after)
		if err != nil {
			return nil, err
		}
		from, to := -1, len(prompt)
		if strings.HasPrefix(t.whole, prompt) {
			if from, err = t.begin(i, done, to); err != nil {
				return nil, err
			}
		}
		if from < 0 || to < from {
			return nil, &fault.Error{Code: fault.InvalidArgument, Place: ordered.IndexPath("messages", i),
				Message: "this template writes the turn otherwise once more messages follow, so that its tokens cannot be told", Remedy: "render the conversation up to this turn for itself"}
		}
		spans = append(spans, [2]int{from, to})
		done = to
	}
	return spans, nil
}

// begin returns where what the assistant has written as message i begins, within a range of the prompt; negative if that cannot be told.
func (t *turns) begin(i, from, to int) (int, error) {
	if i == 0 {
		return 0, nil
	}
	if between := t.whole[from:to]; t.begins != "" && strings.Count(between, t.begins) == 1 {
		return from + strings.Index(between, t.begins) + len(t.begins), nil
	}
	before := *t.req
	before.Messages, before.AddGenerationPrompt, before.ContinueFinalMessage = t.req.Messages[:i], true, chat.ContinueNone
	prompt, begins, err := t.render(&before)
	if err != nil || !strings.HasPrefix(t.whole, prompt) {
		return -1, err
	}
	if !t.spelled(begins) {
		t.begins = begins
	}
	return len(prompt), nil
}

// spelled reports whether a text is in a message, so that finding it in the prompt tells nothing.
func (t *turns) spelled(text string) bool {
	for _, m := range t.req.Messages {
		if strings.Contains(m.ReasoningContent, text) || strings.Contains(m.Content.Join(""), text) {
			return true
		}
		for _, c := range m.ToolCalls {
			if strings.Contains(c.Arguments, text) {
				return true
			}
		}
	}
	return false
}
