package assemble

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// given is all that an assembly knows. What was assembled is kept by it, so that nothing else may reach an assembly: neither the
// request, of which it is a small part, nor the prompts, most of which differ in nothing that matters here.
type given struct {
	dialect dialect.Dialect
	start   start
	wants   wishes
}

// wishes are what of a request a program depends on.
type wishes struct {
	tools       []tool
	mustCall    bool
	parallel    bool              // calls
	schema      jsonschema.Schema // that the content must follow
	grammar     bool              // that the content must follow: whoever makes the constraint puts it in
	extract     bool              // reasoning, out of the content
	keepCalls   bool              // where they stand in reasoning
	pureContent bool
}

// tool is a function that the model may call.
type tool struct {
	name    string
	schema  jsonschema.Schema // of its parameters
	allowed bool              // by the request's tool choice; another one is read all the same
}

// givenIn is what matters of an input.
func givenIn(in Input) given {
	r := in.Request
	mode := r.ToolChoice.Mode
	w := wishes{
		tools: declaredIn(r), parallel: r.ParallelToolCalls, schema: r.JSONSchema, grammar: r.Grammar.Kind != chat.GrammarNone,
		extract: r.ReasoningFormat.Extract(), keepCalls: r.Parsing.CallInReasoning == chat.KeepCalls, pureContent: r.PureContent,
	}
	w.mustCall = len(w.tools) > 0 && (mode == chat.ToolRequired || mode == chat.ToolNamed)
	return given{in.Dialect, startOf(in), w}
}

// declaredIn lists the tools that may be called, each name once; nil: none.
func declaredIn(r *chat.Request) []tool {
	if r.ToolChoice.Mode == chat.ToolNone {
		return nil
	}
	tools := make([]tool, 0, len(r.Tools))
	known := make(map[string]bool, len(r.Tools))
	for _, t := range r.Tools {
		if t.Name != "" && !known[t.Name] {
			known[t.Name] = true
			tools = append(tools, tool{t.Name, t.Parameters, r.ToolChoice.Mode != chat.ToolNamed || r.ToolChoice.Name == t.Name})
		}
	}
	return tools
}

// own is the same, and no part of the request's text or of its prompt, for what is made of it may outlive them.
func (g given) own() given {
	g.start.header = strings.Clone(g.start.header)
	tools := make([]tool, len(g.wants.tools))
	for i, t := range g.wants.tools {
		tools[i] = tool{strings.Clone(t.name), t.schema, t.allowed}
	}
	g.wants.tools = tools
	return g
}

// bytes are those of the request's texts.
func (g given) bytes() int {
	n := len(g.start.header) + g.wants.schema.Size()
	for _, t := range g.wants.tools {
		n += len(t.name) + t.schema.Size()
	}
	return n
}
