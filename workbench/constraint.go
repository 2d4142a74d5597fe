package workbench

import (
	"context"
	"fmt"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// maxTried is how many bytes are tried against a grammar.
const maxTried = 16 << 10

// constraintQuestion asks for the constraint of a request, and what it says of a text.
type constraintQuestion struct {
	Template subject `json:"template"`
	Request  string  `json:"request"` // in OpenAI's JSON
	Target   string  `json:"target"`  // the notation; empty: GBNF
	Text     *string `json:"text"`    // an output to try; null: none
}

// constraintView is a constraint, with what an engine needs beside it.
type constraintView struct {
	Handler          string `json:"handler"`
	GenerationPrompt string `json:"generation_prompt"`
	// Constraint is null where sampling is free, for which the notes have the reason.
	Constraint      *grammar.Constraint `json:"constraint"`
	PreservedTokens []string            `json:"preserved_tokens"`
	Stops           []string            `json:"stops"`
	Notes           []string            `json:"notes"`
	Tried           *tried              `json:"tried,omitempty"`
}

// tried is what a grammar says of a text. Offsets count bytes of the text.
type tried struct {
	// Status is "accepted", "incomplete", "refused", or "free": no trigger occurs, so that the grammar does not begin.
	Status string `json:"status"`
	// Start is where the grammar begins: 0, or where a trigger occurs.
	Start int `json:"start"`
	// Offset is the first byte that is refused, or the length of the text.
	Offset int `json:"offset"`
	// Expected is what the grammar accepts there, in words.
	Expected []string `json:"expected"`
}

// constraint answers with the constraint of a request.
func (b *bench) constraint(ctx context.Context, q *constraintQuestion) (*constraintView, error) {
	target, err := host.ParseTarget(q.Target)
	if err != nil {
		return nil, err
	}
	if q.Text != nil && len(*q.Text) > maxTried {
		return nil, &fault.Error{Code: fault.LimitExceeded, Place: "text", Message: fmt.Sprintf("it has %d bytes, at most %d can be tried", len(*q.Text), maxTried),
			Remedy: "try a part of it"}
	}
	planned, err := b.plan(ctx, q.Template, q.Request)
	if err != nil {
		return nil, err
	}
	gbnf := planned.Constraint
	if planned, err = planned.In(ctx, target); err != nil {
		return nil, err
	}
	out := &constraintView{
		Handler: planned.Handler, GenerationPrompt: planned.GenerationPrompt, Constraint: planned.Constraint,
		PreservedTokens: append([]string{}, planned.PreservedTokens...), Stops: append([]string{}, planned.Stops...), Notes: append([]string{}, planned.Notes...),
	}
	if q.Text != nil && gbnf != nil {
		out.Tried, err = try(gbnf, *q.Text)
	}
	return out, err
}

// try tries a text against a grammar in GBNF: all notations are written from it.
func try(c *grammar.Constraint, text string) (*tried, error) {
	start := 0
	if c.Lazy {
		at, fires := grammar.FindTrigger(text, c.Triggers)
		if !fires {
			return &tried{Status: "free", Start: len(text), Offset: len(text), Expected: []string{}}, nil
		}
		start = at
	}
	g, err := grammar.Parse(c.Grammar)
	if err != nil {
		return nil, err
	}
	result, words := g.Explain(text[start:])
	return &tried{Status: result.Status.String(), Start: start, Offset: start + result.Offset, Expected: append([]string{}, words...)}, nil
}
