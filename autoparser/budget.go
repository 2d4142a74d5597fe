package autoparser

import (
	"context"

	"github.com/dragoman-project/dragoman/autoparser/jinja"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// What all renderings of learning may cost together, and likewise those of a self-check: many times what templates in use do.
const (
	learningSteps  = 500_000
	learningOutput = 4 << 20
)

// learning returns the context of renderings that share the budget of learning.
func learning(ctx context.Context) context.Context {
	return jinja.WithBudget(ctx, "all renderings from which it is learned", learningSteps, learningOutput)
}

// What all renderings of one request may cost together: a part that every request has, and more by its size, up to a limit.
const (
	requestSteps     = 1_000_000
	requestByteSteps = 8
	mostSteps        = 4_000_000
	requestOutput    = 64 << 20
)

// requested returns the context of renderings that share the budget of a request.
func requested(ctx context.Context, r *chat.Request) context.Context {
	steps := min(requestSteps+requestByteSteps*int64(textOf(r)), mostSteps)
	return jinja.WithBudget(ctx, "all renderings of a request", steps, requestOutput)
}

// textOf returns the bytes of text in a request, with some for the markup around each part.
func textOf(r *chat.Request) (n int) {
	const markup = 64
	for _, m := range r.Messages {
		n += markup + len(contentText(m.Content)) + len(m.ReasoningContent)
		n += markup * len(m.Content.Parts)
		for _, c := range m.ToolCalls {
			n += markup + len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += markup + len(t.Name) + len(t.Description) + len(t.Parameters.Raw())
	}
	return n
}
