package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// Retokenized is the first place where the tokens of an answer, once it is part of a conversation and rendered, are not those that the
// model wrote. What trains on rendered conversations trains on tokens that the model never sampled from there on.
type Retokenized struct {
	// Index is the number of the token among those of the output; negative: of the prompt, counted from its end.
	Index int `json:"index"`
	// Wrote is the token that the model wrote, or that ends the prompt, and Rendered the one in its place; nil: there is none.
	Wrote    *RenderedToken `json:"wrote"`
	Rendered *RenderedToken `json:"rendered"`
	// Why is for people.
	Why string `json:"why"`
}

// RenderedToken is a token with its text.
type RenderedToken struct {
	ID   tokenizer.ID `json:"id"`
	Text string       `json:"text"`
}

var errRendersNothing = errors.New("the plan renders nothing: a daemon made it; ask there")

// Retokenized parses an output, given as ids of the model's tokenizer, renders the conversation with the answer that it was read as, and
// compares the tokens. It returns the first difference, or nil if there is none. What the template writes after the output, such as the
// end of the turn where the engine left that out, is no difference.
func (p *Plan) Retokenized(ctx context.Context, t *tokenizer.Tokenizer, ids []tokenizer.ID, truncated bool) (*Retokenized, error) {
	if p.render == nil {
		return nil, errRendersNothing
	}
	s, err := p.TokenSession(ctx, t, Options{NoIDs: true})
	if err != nil {
		return nil, err
	}
	if _, err := s.Feed(ids...); err != nil {
		return nil, err
	}
	result, err := s.Finish(truncated)
	if err != nil {
		return nil, err
	}
	answered := *p.request
	answered.Messages = append(slices.Clip(p.request.Messages), result.Message)
	if p.request.ContinueFinalMessage != chat.ContinueNone { // the output went on with the last message, which the result contains
		answered.Messages = append(slices.Clone(p.request.Messages[:len(p.request.Messages)-1]), result.Message)
	}
	answered.AddGenerationPrompt, answered.ContinueFinalMessage = false, chat.ContinueNone
	text, err := p.render(ctx, &answered)
	if err != nil {
		return nil, err
	}
	before, err := t.EncodeWithin(ctx, p.Prompt, tokenizer.Options{})
	if err != nil {
		return nil, err
	}
	rendered, err := t.TokensWithin(ctx, text, tokenizer.Options{})
	if err != nil {
		return nil, err
	}
	c := comparison{t: t, prompt: p.Prompt, wrote: append(before, ids...), rendered: rendered, text: text, report: result.Report}
	return c.first(len(before)), nil
}

// comparison compares the tokens of a prompt and its output with those of the rendered conversation.
type comparison struct {
	t        *tokenizer.Tokenizer
	prompt   string
	wrote    []tokenizer.ID
	rendered []tokenizer.Token
	text     string // that rendered are the tokens of
	report   *chat.Report
}

// first returns the first difference; prompt is how many tokens the prompt has.
func (c *comparison) first(prompt int) *Retokenized {
	at := 0
	for at < len(c.wrote) && at < len(c.rendered) && c.wrote[at] == c.rendered[at].ID {
		at++
	}
	if at == len(c.wrote) {
		return nil
	}
	out := &Retokenized{Index: at - prompt, Wrote: c.token(c.wrote[at]), Why: c.why(at, prompt)}
	if at < len(c.rendered) {
		out.Rendered = c.token(c.rendered[at].ID)
	}
	return out
}

func (c *comparison) token(id tokenizer.ID) *RenderedToken {
	info, _ := c.t.Token(id)
	return &RenderedToken{id, strings.ToValidUTF8(string(info.Text), "\uFFFD")}
}

// why explains the difference at a token.
func (c *comparison) why(at, prompt int) string {
	if !strings.HasPrefix(c.text, c.prompt) {
		return "the template writes the conversation before the answer, or the beginning of the answer, otherwise once the answer follows"
	}
	if at < prompt {
		return "the end of the prompt and the beginning of the answer become other tokens when they are encoded together"
	}
	from := len(c.text)
	if at < len(c.rendered) {
		from = c.rendered[at].From
	}
	var written []byte // from there on
	for _, id := range c.wrote[at:] {
		info, _ := c.t.Token(id)
		written = append(written, info.Text...)
	}
	same := 0
	for same < len(written) && from+same < len(c.text) && written[same] == c.text[from+same] {
		same++
	}
	if first, _ := c.t.Token(c.wrote[at]); same == len(written) || at < len(c.rendered) && same >= max(len(first.Text), c.rendered[at].To-from) {
		return "the model wrote the same text in other tokens"
	}
	blank := from+same < len(c.text) && isBlank(written[same]) != isBlank(c.text[from+same])
	return c.otherwise(from+same-len(c.prompt), blank)
}

func isBlank(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// otherwise explains why a byte of the output is rendered otherwise. blank is whether only one of the two bytes is white space.
func (c *comparison) otherwise(at int, blank bool) string {
	at += c.report.PromptLength
	part := parts[chat.MarkerRegion]
	for _, s := range c.report.Spans {
		if s.End > at {
			if part = parts[s.Region]; blank && s.Region != chat.CallRegion {
				part = parts[chat.SpaceRegion]
			}
			break
		}
	}
	why := "the template writes " + part + " otherwise, or not at all"
	if len(c.report.Faults) > 0 && c.report.Faults[0].At <= at {
		why = fmt.Sprintf("the output breaks the format: %s", c.report.Faults[0].Message)
	}
	return why
}

// parts are the regions of an output, in words.
var parts = map[chat.Region]string{
	chat.ContentRegion: "this content", chat.ReasoningRegion: "this reasoning", chat.CallRegion: "the arguments of this call",
	chat.MarkerRegion: "the markers here", chat.SpaceRegion: "the white space here", chat.RecoveredRegion: "what was read as content here",
	chat.OpenRegion: "what has no end here", chat.PromptRegion: "the beginning of the answer",
}
