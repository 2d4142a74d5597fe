package autoparser

import (
	"context"
	"errors"
	"slices"

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

// IsUnwritten reports whether an error of Write means that the template does not write an answer, or not in a readable way.
func IsUnwritten(err error) bool {
	return slices.Contains([]error{errThought, errPartial, errSeveral, errUnescaped}, err)
}

// Write renders an answer. Its error comes from rendering or one that IsUnwritten knows.
func (l *Learned) Write(req chat.Request, answer chat.Message) (Written, error) {
	r, err := l.newChecker(context.Background(), req.Tools).rendition(answer)
	return Written{r.prompt, r.output}, err
}

// Read returns the message that a rendition is parsed as.
func (l *Learned) Read(req chat.Request, w Written) chat.Message {
	got, _ := l.newChecker(context.Background(), req.Tools).readBack(rendition{w.Prompt, w.Output})
	return got
}

// Difference describes how the parsed answer differs from the written one, or returns "".
func (l *Learned) Difference(req chat.Request, w Written, answer chat.Message) string {
	r := rendition{w.Prompt, w.Output}
	got, status := l.newChecker(context.Background(), req.Tools).readBack(r)
	if d := r.difference(answer, got); d != "" || status == chat.Complete {
		return d
	}
	return string(status)
}

// Spelled returns the notes on messages that spell tokens.
func (l *Learned) Spelled(messages []chat.Message, preserved []string) []string {
	return l.spelled(messages, preserved)
}

// RenderAlone renders the prompt of a request without sharing anything: with no cache, and once without the beginning of an answer
// and once with it.
func (t *Template) RenderAlone(ctx context.Context, r *chat.Request, s Style) (Rendered, error) {
	alone := *t
	alone.prompts = nil
	return alone.render(ctx, r, s, nil)
}

// RenderWith is Render with a cache.
func (t *Template) RenderWith(ctx context.Context, r *chat.Request, s Style, cache *Cache) (Rendered, error) {
	return t.render(ctx, r, s, cache)
}

// LeftOut returns the notes on the parts of a request that the template drops.
func (l *Learned) LeftOut(ctx context.Context, r *chat.Request, prompt string) []string {
	return l.leftOut(ctx, r, prompt, nil)
}

// LearnWithout learns a template that fails on the probes that a function selects.
func LearnWithout(ctx context.Context, t *Template, fails func(probe.Probe) bool) *Learned {
	e := explore(ctx, t)
	answers := probe.Ask(e.Capabilities, t.Source, func(p probe.Probe) (string, error) {
		if fails(p) {
			return "", errors.New("this probe fails")
		}
		return e.ask(p)
	})
	l, _ := concluded(e.Template, answers).With(ctx, nil)
	return l
}
