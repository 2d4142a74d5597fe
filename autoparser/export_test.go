package autoparser

import (
	"context"
	"errors"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Renderings is how often a template was rendered.
func (t *Template) Renderings() int64 { return t.renderings.Load() }

// Written is an answer as the template writes it, cut out of a rendering as the self-check does.
type Written struct {
	Prompt string // what of the generation prompt stands before it
	Output string
}

// The reasons for which a rendering says nothing about an answer.
var (
	ErrThought = errors.New("the template writes the text before calls as reasoning")
	ErrPartial = errors.New("the template leaves out a part of it, or makes several turns of it")
)

// Write lets the template write an answer. The error is that of rendering, or says why there is nothing to be read back.
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

// Difference says in what the answer is read otherwise than it was written; "" if in nothing.
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

// LeftOut returns the notes on what the template leaves out of a prompt.
func (l *Learned) LeftOut(ctx context.Context, r *chat.Request, prompt string) []string {
	return l.leftOut(ctx, r, prompt)
}
