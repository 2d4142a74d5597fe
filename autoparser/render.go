package autoparser

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Rendered is a prompt.
type Rendered struct {
	// Prompt is the whole input of the model.
	Prompt string
	// GenerationPrompt is the beginning of the answer: what the template adds for add_generation_prompt, and the text so far of
	// a message to be continued. Prompt ends in it, unless the request disables the generation prompt.
	GenerationPrompt string
	// TemplatePrompt is the part of GenerationPrompt that the template wrote, without a continued message and its markup.
	TemplatePrompt string
	// Normalised holds the ids of the Normalisations that changed the conversation, and perhaps Tolerated.
	Normalised []string
}

// Tolerated is among the normalisations of a prompt that only engines less strict than Jinja2 can render.
const Tolerated = "tolerant-rendering"

// Style is the part of what was learned that rendering depends on. The zero value is no style.
type Style struct {
	// Reasoning and Content are how messages to be continued are written.
	Reasoning dialect.Reasoning
	Content   dialect.Content
	// BeforeReasoning and BeforeContent are the white space between the prompt and an answer.
	BeforeReasoning, BeforeContent string
	// Normalise lists normalisations that are needed although the template's capabilities do not show that.
	Normalise []workaround.Normalisation
}

// Render renders the prompt of a request. Errors are of type *jinja.Error, or *fault.Error if there is no message to continue.
func (t *Template) Render(ctx context.Context, r *chat.Request, s Style) (Rendered, error) {
	return t.render(ctx, r, s, nil)
}

func (t *Template) render(ctx context.Context, r *chat.Request, s Style, cache *Cache) (Rendered, error) {
	c := newConversation(r, cache)
	last, err := c.takeContinued()
	if err != nil {
		return Rendered{}, err
	}
	out := Rendered{Normalised: t.manner(s.Normalise).normalise(&c)}
	without, with, err := t.texts(ctx, &c)
	if err != nil {
		return Rendered{}, err
	}
	out.Prompt, out.GenerationPrompt = without, added(without, with)
	if r.AddGenerationPrompt || last != nil {
		out.Prompt = with
	}
	if c.tolerated != nil {
		out.Normalised = append(out.Normalised, Tolerated)
	}
	out.TemplatePrompt = out.GenerationPrompt
	if last != nil {
		out.goOn(*last, r.ContinueFinalMessage, s)
	}
	return out, nil
}

// added returns what follows the common prefix in the second text.
func added(without, with string) string {
	const block = 64 // compared at once
	n, least := 0, min(len(without), len(with))
	for n+block <= least && without[n:n+block] == with[n:n+block] {
		n += block
	}
	for n < least && without[n] == with[n] {
		n++
	}
	for n > 0 && n < len(with) && !utf8.RuneStart(with[n]) {
		n--
	}
	return with[n:]
}

// takeContinued removes the message to be continued from the conversation and returns it, or nil.
func (c *conversation) takeContinued() (*chat.Message, error) {
	if c.request.ContinueFinalMessage == chat.ContinueNone {
		return nil, nil
	}
	n := len(c.messages)
	if n == 0 || c.messages[n-1].Role != chat.RoleAssistant {
		return nil, fault.Invalid("continue_final_message", "expected the last message to have the role assistant; end the messages with the one to continue, or leave this out")
	}
	last := c.messages[n-1]
	c.messages = c.messages[:n-1]
	return &last, nil
}

// goOn appends the message so far to the generation prompt, in place of reasoning that the prompt opens. A prompt that has
// closed reasoning stays as it is if the message has none.
func (out *Rendered) goOn(last chat.Message, part chat.Continuation, s Style) {
	thoughts, text := last.ReasoningContent, contentText(last.Content)
	if part == chat.ContinueAuto && text == "" && thoughts != "" {
		part = chat.ContinueReasoning
	}
	said, goesOn := "", part == chat.ContinueReasoning
	switch reasons := s.Reasoning.Mode != dialect.ReasoningNone && s.Reasoning.End != ""; {
	case !reasons:
		said = s.BeforeContent
	case goesOn || thoughts != "" || !out.answers(s):
		said = out.begin(s) + thoughts
		if !goesOn {
			said += s.Reasoning.End
		}
	}
	if start := s.contentStart(); !goesOn {
		if said != "" || !endsIn(out.TemplatePrompt, start) {
			said += start
		}
		said += text
	}
	out.GenerationPrompt = out.TemplatePrompt + said
	out.Prompt += said
}

// begin removes the markers of reasoning from the prompt, and returns what begins reasoning there.
func (out *Rendered) begin(s Style) string {
	start := strings.TrimSpace(s.Reasoning.Start)
	if out.cut(start) {
		return s.Reasoning.Start
	}
	if out.cut(strings.TrimSpace(s.Reasoning.End)) {
		out.cut(start)
		return s.Reasoning.Start
	}
	return s.BeforeReasoning + s.Reasoning.Start
}

// answers reports whether the prompt has already closed reasoning, or begun the content.
func (out *Rendered) answers(s Style) bool {
	prompt := out.TemplatePrompt
	if prompt == "" {
		prompt = out.Prompt
	}
	return endsIn(prompt, s.Reasoning.End) || endsIn(out.TemplatePrompt, s.contentStart())
}

// endsIn reports whether a text ends in a marker, whatever white space stands around it.
func endsIn(text, marker string) bool {
	return !blank(marker) && strings.HasSuffix(strings.TrimSpace(text), strings.TrimSpace(marker))
}

// contentStart returns what the template writes before content, if it does so after reasoning, too.
func (s Style) contentStart() string {
	if s.Content.Mode != dialect.ContentAlwaysWrapped || s.Reasoning.Mode == dialect.ReasoningToolsOnly {
		return ""
	}
	return s.Content.Start
}

// cut removes a marker of reasoning, and what follows it, from the end of the prompt, and reports whether it is there.
func (out *Rendered) cut(marker string) bool {
	if marker == "" {
		return false
	}
	if at := strings.LastIndex(out.TemplatePrompt, marker); at >= 0 {
		out.Prompt = out.Prompt[:len(out.Prompt)-len(out.TemplatePrompt)+at]
		out.TemplatePrompt = out.TemplatePrompt[:at]
		return true
	}
	if out.TemplatePrompt != "" {
		return false
	}
	rest, ok := strings.CutSuffix(strings.TrimRight(out.Prompt, " \t\r\n"), marker)
	if ok {
		out.Prompt = rest
	}
	return ok
}

// contentText returns a content as one text.
func contentText(c chat.Content) string {
	if c.Text != nil {
		return *c.Text
	}
	var text strings.Builder
	for _, p := range c.Parts {
		text.WriteString(p.Text)
	}
	return text.String()
}
