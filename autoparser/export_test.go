package autoparser

import (
	"context"
	"errors"

	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Renderings returns how often a template has been rendered.
func (t *Template) Renderings() int64 { return t.renderings.Load() }

// Written is an answer as the template writes it, extracted from a rendering as in the self-check.
type Written struct {
	Prompt string // the part of the generation prompt before it
	Output string
}

// The reasons why an answer cannot be extracted from a rendering.
var (
	ErrThought = errors.New("the template writes the text before calls as reasoning")
	ErrPartial = errors.New("the template leaves out a part of it, or makes several turns of it")
)

// Write renders an answer. Its error comes from rendering or is one of the reasons above.
func (l *Learned) Write(req chat.Request, answer chat.Message) (Written, error) {
	r, err := l.rendition(context.Background(), req, answer)
	switch {
	case err != nil:
	case l.writesAsReasoning(r, answer):
		err = ErrThought
	case !r.holds(answer):
		err = ErrPartial
	}
	return Written{r.prompt, r.output}, err
}

// Difference describes how the parsed answer differs from the written one, or returns "".
func (l *Learned) Difference(req chat.Request, w Written, answer chat.Message) string {
	r := rendition{w.Prompt, w.Output}
	got, status := l.readBack(context.Background(), req, r)
	if d := r.difference(answer, got); d != "" || status == chat.Complete {
		return d
	}
	return string(status)
}

// Spelled returns the notes on messages that spell tokens.
func (l *Learned) Spelled(messages []chat.Message, preserved []string) []string {
	return l.spelled(messages, preserved)
}

// LeftOut returns the notes on the parts of a request that the template drops.
func (l *Learned) LeftOut(ctx context.Context, r *chat.Request, prompt string) []string {
	return l.leftOut(ctx, r, prompt)
}

// LearnWithout learns a template that fails on the probes that a function selects.
func LearnWithout(t *Template, fails func(probe.Probe) bool) *Learned {
	e := exploration{Template: t, ctx: context.Background()}
	answers := probe.Ask(t.Capabilities, t.Source, func(p probe.Probe) (string, error) {
		if fails(p) {
			return "", errors.New("this probe fails")
		}
		return e.ask(p)
	})
	return concluded(t, answers).With(nil)
}
