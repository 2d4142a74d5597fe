package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// randomCuts is how many random cuts of an output are tried, besides whole, byte by byte, and in two at every place.
const randomCuts = 8

// Replay runs golden cases, JSON Lines in the format of package cases, against a handler. The error joins all failures, each
// with the id of its case. Cases of other kinds than parse are skipped.
func Replay(ctx context.Context, h handler.Handler, golden []byte) error {
	var found faults
	for c, err := range cases.Read(bytes.NewReader(golden)) {
		switch {
		case err != nil:
			found.add("golden cases", err)
		case c.Kind == cases.Parse:
			found.add("case "+c.ID, replay(ctx, h, c))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return found.join()
}

func replay(ctx context.Context, h handler.Handler, c *cases.Case) error {
	planned, err := planFor(ctx, h, c)
	if err != nil {
		return err
	}
	whole, err := planned.parse(ctx, slices.Values([][]byte{[]byte(c.Output)}))
	if err != nil {
		return err
	}
	if difference := cases.Compare(*c.Expect, whole.message()); difference != "" {
		return errors.New(difference)
	}
	return planned.everyCut(ctx, c.Output, whole)
}

// planned is a handler's plan for a request, ready to parse outputs as hosts do.
type planned struct {
	draft   *session.Draft
	plan    *session.Plan
	request *chat.Request
}

func planFor(ctx context.Context, h handler.Handler, c *cases.Case) (*planned, error) {
	request, err := c.ChatRequest()
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	return prepare(ctx, h, templateOf(c), request, promptOf(c))
}

// promptOf returns the generation prompt of a case.
func promptOf(c *cases.Case) string {
	if c.Reference == nil {
		return ""
	}
	return c.Reference.GenerationPrompt
}

func templateOf(c *cases.Case) handler.Template {
	return handler.Template{Name: c.Template, BOSToken: c.BOSToken, EOSToken: c.EOSToken}
}

func prepare(ctx context.Context, h handler.Handler, t handler.Template, r *chat.Request, prompt string) (*planned, error) {
	answer, err := h.Plan(ctx, handler.Input{Template: t, Request: r})
	if err != nil {
		return nil, err
	}
	return newPlanned(ctx, h, answer, r, prompt)
}

// newPlanned completes what h answered to a request. prompt is the generation prompt.
func newPlanned(ctx context.Context, h handler.Handler, answer *handler.Plan, r *chat.Request, prompt string) (*planned, error) {
	draft := &session.Draft{Plan: *answer, Handler: h.Describe().Name, GenerationPrompt: prompt}
	if answer.Program != nil {
		draft.Program = answer.Program.Bind(prompt)
	}
	return (&planned{draft: draft, request: r}).by(ctx, h)
}

// by returns the plan with its outputs parsed by h, which may be the same handler in another process.
func (p *planned) by(ctx context.Context, h handler.Handler) (*planned, error) {
	draft := *p.draft
	if streams, ok := h.(handler.StreamHandler); ok {
		draft.Streams = strict{streams}
	}
	plan, err := session.New(ctx, &draft, p.request, session.PlanOptions{})
	return &planned{draft: &draft, plan: plan, request: p.request}, err
}

// streams reports whether the handler parses the output itself.
func (p *planned) streams() bool { return p.plan.Program == nil }

// everyCut parses an output cut in many ways: events and report must always be those of the whole output.
func (p *planned) everyCut(ctx context.Context, output string, whole *outcome) error {
	for _, cut := range cases.Cuts(randomCuts, 1)[1:] {
		if err := p.sameAs(ctx, whole, cut.Name, slices.Collect(cut.Pieces([]byte(output)))); err != nil {
			return err
		}
	}
	for i := 1; i < len(output); i += 1 + len(output)/500 {
		if err := p.sameAs(ctx, whole, fmt.Sprintf("cut at byte %d", i), [][]byte{[]byte(output[:i]), []byte(output[i:])}); err != nil {
			return err
		}
	}
	return nil
}

func (p *planned) sameAs(ctx context.Context, whole *outcome, name string, pieces [][]byte) error {
	if err := ctx.Err(); err != nil {
		return err // parsing does not stop by itself, and there are many cuts
	}
	got, err := p.parse(ctx, slices.Values(pieces))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if difference := whole.differs(got); difference != "" {
		return fmt.Errorf("%s: chunking matters: whole (expected), cut (found)\n%s", name, difference)
	}
	return nil
}
