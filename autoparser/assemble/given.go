package assemble

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// given is everything that an assembly depends on. It is the key of cached programs, so nothing
// else may reach an assembly: neither the rest of the request nor the prompts, most of whose
// differences do not matter here.
type given struct {
	dialect dialect.Dialect
	start   start
	request *chat.Request // only the fields that a program depends on
}

// givenIn returns what matters of an input.
func givenIn(in Input) given {
	r := in.Request
	relevant := &chat.Request{
		ToolChoice: r.ToolChoice, ParallelToolCalls: r.ParallelToolCalls, JSONSchema: r.JSONSchema,
		Grammar: chat.Grammar{Kind: r.Grammar.Kind}, PureContent: r.PureContent,
		Parsing: chat.Policies{CallInReasoning: r.Parsing.CallInReasoning},
	}
	if r.ToolChoice.Mode != chat.ToolNone {
		relevant.Tools = make([]chat.Tool, len(r.Tools))
		for i, t := range r.Tools {
			relevant.Tools[i] = chat.Tool{Name: t.Name, Parameters: t.Parameters}
		}
	}
	if !r.ReasoningFormat.Extract() {
		relevant.ReasoningFormat = chat.ReasoningNone
	}
	return given{in.Dialect, startOf(in), relevant}
}

// clone returns a copy that shares no memory with the request or its prompt, which the program may
// outlive.
func (g given) clone() given {
	g.start.header = strings.Clone(g.start.header)
	g.request = cache.Clone(g.request)
	return g
}

// bytes returns the size of the request's texts.
func (g given) bytes() int {
	n := len(g.start.header) + g.request.JSONSchema.Size()
	for _, t := range g.request.Tools {
		n += len(t.Name) + t.Parameters.Size()
	}
	return n
}
