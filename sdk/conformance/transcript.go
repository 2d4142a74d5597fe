package conformance

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// Conversation is a request to a handler, for tests of single outputs.
type Conversation struct {
	Handler  handler.Handler
	Template handler.Template
	// Request is the request's JSON.
	Request string
	// GenerationPrompt is the end of the prompt, as the template and the plan's Prefill write it.
	GenerationPrompt string
}

// Transcript parses an output and returns one line such as
//
//	thought "Hm." content "Let me see." weather{"city":"Rome"} truncated
//
// with the status only where it is not complete. However the output is cut, the events must be the same.
func (c Conversation) Transcript(t testing.TB, output string) string {
	t.Helper()
	p := c.plan(t)
	whole, err := p.parse(t.Context(), slices.Values([][]byte{[]byte(output)}))
	if err == nil {
		err = p.everyCut(t.Context(), output, whole)
	}
	if err != nil {
		t.Errorf("%q: %v", output, err)
		return ""
	}
	m := whole.message()
	var parts []string
	if m.ReasoningContent != "" {
		parts = append(parts, fmt.Sprintf("thought %q", m.ReasoningContent))
	}
	if m.Content != "" {
		parts = append(parts, fmt.Sprintf("content %q", m.Content))
	}
	for _, call := range m.ToolCalls {
		parts = append(parts, call.Name+call.Arguments)
	}
	if whole.report.Status != chat.Complete {
		parts = append(parts, string(whole.report.Status))
	}
	return strings.Join(parts, " ")
}

// Sampled draws whole outputs that the plan's constraint accepts; of a lazy constraint, the part that it covers.
func (c Conversation) Sampled(t testing.TB, n int) iter.Seq[string] {
	t.Helper()
	g := c.Grammar(t)
	sampler := g.Sampler(rand.New(rand.NewPCG(1, 1)))
	return func(yield func(string) bool) {
		for range n {
			if output, ok := sampler.Text(sampledLength); ok && !yield(output) {
				return
			}
		}
	}
}

// sampledLength is the number of characters of a sampled output before it is completed.
const sampledLength = 120

// Grammar returns the grammar of the plan's constraint.
func (c Conversation) Grammar(t testing.TB) *grammar.Grammar {
	t.Helper()
	constraint, err := c.plan(t).constraint()
	if err != nil {
		t.Fatal(err)
	}
	if constraint == nil {
		t.Fatal("the plan has no constraint")
	}
	g, err := grammar.Parse(constraint.Grammar)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (c Conversation) plan(t testing.TB) *planned {
	t.Helper()
	request, err := chat.ParseRequest([]byte(c.Request))
	if err != nil {
		t.Fatal(err)
	}
	p, err := prepare(t.Context(), c.Handler, c.Template, request, c.GenerationPrompt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
