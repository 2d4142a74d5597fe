package autoparser

import (
	"context"
	"errors"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Renderings returns the number of renderings of a template.
func (t *Template) Renderings() int64 { return t.renderings.Load() }

// Written is an answer as the template writes it, extracted from a rendering like in the self-check.
type Written struct {
	Prompt string // the part of the generation prompt before it
	Output string
}

// The reasons why a rendering does not show an answer.
var (
	ErrThought = errors.New("the template writes the text before calls as reasoning")
	ErrPartial = errors.New("the template leaves out a part of it, or makes several turns of it")
)

// Write renders an answer. Errors come from rendering, or are one of the reasons above.
func (l *Learned) Write(req chat.Request, answer chat.Message) (Written, error) {
	r, err := l.rendition(req, answer)
	switch {
	case err != nil:
	case l.writesAsReasoning(r, answer):
		err = ErrThought
	case !r.holds(answer):
		err = ErrPartial
	}
	return Written{r.prompt, r.output}, err
}

// Difference describes how the parsed answer differs from the one that was written; "" if it does not.
func (l *Learned) Difference(req chat.Request, w Written, answer chat.Message) string {
	r := rendition{w.Prompt, w.Output}
	got, status := l.readBack(req, r)
	if d := r.difference(answer, got); d != "" || status == chat.Complete {
		return d
	}
	return string(status)
}

// Spelled returns the notes on messages that spell tokens.
func (l *Learned) Spelled(messages []chat.Message, preserved []string) []string {
	return l.spelled(messages, preserved)
}

// LeftOut returns the notes about what the template drops from a prompt.
func (l *Learned) LeftOut(ctx context.Context, r *chat.Request, prompt string) []string {
	return l.leftOut(ctx, r, prompt)
}
