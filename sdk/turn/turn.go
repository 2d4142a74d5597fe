package turn

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Format is what is particular to a format, except for its calls.
type Format struct {
	// ThinkStart and ThinkEnd surround reasoning; empty if the format has none.
	ThinkStart string
	ThinkEnd   string
	// Opened and Closed are ThinkStart and ThinkEnd with the white space that the template writes
	// around them, for messages to be continued; empty: without any.
	Opened string
	Closed string
	// NoThought replaces reasoning in an answer that has none; it may be empty.
	NoThought string
	// Openers are the texts at which calls may begin.
	Openers []string
	// Promoters are the openers at which a call ends reasoning as soon as its arguments begin: those
	// that are special tokens, and others at the beginning of a line. At any other opener only a
	// whole call does, and only if the reasoning does not go on after it; so it is delivered late.
	Promoters []string
	// CallEnds are the special tokens that end calls, if they may also occur without a call: after
	// a malformed call they are dropped from the text.
	CallEnds []string
	// Ends are the texts that end a turn, if the engine passes them on; none is a prefix of
	// another.
	Ends []string
	// ThoughtEnds are those of Ends that end reasoning at the end of the output; nil: all of them.
	ThoughtEnds []string
	// Preserved are special tokens that the engine must not drop.
	Preserved []string
	// ReportMissing makes the report count the markers that a model leaves out.
	ReportMissing bool
	// Spellings returns the other accepted spellings of a marker; nil: there are none.
	Spellings func(marker string) []string
}

// Turn is a program being built for a request.
type Turn struct {
	peg.Builder
	Format
	Request *chat.Request
	Tools   []Tool // those that may be called; none if the request forbids calls

	ahead    peg.ID        // a call that ends reasoning
	whole    func() peg.ID // whole calls; nil: calls do not end reasoning
	declared []string      // beside the argument of any name that is being built

	states   int                  // the rules for arguments in any order
	fresh    int                  // the number of names that Fresh has returned
	names    map[string]int       // uses of each name
	rules    map[[2]string]peg.ID // by name and key
	literals map[string]peg.ID
	space    *peg.ID // nil: not used yet
}

// Tool is a function that the model may call.
type Tool struct {
	chat.Tool
	Allowed bool // by the request's tool choice; calls of others are parsed, too
}

// New starts building the program for a request.
func New(r *chat.Request, f Format) *Turn {
	t := &Turn{
		Format: f, Request: r,
		names: map[string]int{}, rules: map[[2]string]peg.ID{}, literals: map[string]peg.ID{},
	}
	if r.ToolChoice.Mode == chat.ToolNone {
		return t
	}
	known := make(map[string]bool, len(r.Tools))
	for _, tool := range r.Tools {
		if tool.Name != "" && !known[tool.Name] {
			known[tool.Name] = true
			t.Tools = append(t.Tools, Tool{tool, r.ToolChoice.Mode != chat.ToolNamed || r.ToolChoice.Name == tool.Name})
		}
	}
	return t
}

// Plan completes the program and returns the plan. calls matches calls from an opener on and
// contains Trigger rules; it is ignored if the request has no tools. The error reports that the
// request continues a message that does not exist.
func (t *Turn) Plan(calls peg.ID) (*handler.Plan, error) {
	plan := t.Answer(t.Program(func() peg.ID { return t.Seq(t.header(), t.reasoning(), t.Body(calls), t.TurnEnd()) }))
	return plan, t.Continue(plan)
}

// Program returns the program that root builds. If the request asks for no parsing, the whole
// output is content.
func (t *Turn) Program(root func() peg.ID) *peg.Program {
	if t.Request.PureContent {
		return t.Build(t.Seq(t.Prompt(), t.Tag(peg.Content, t.Rest()), t.End()))
	}
	return t.Build(t.Seq(root(), t.End()))
}

// Answer returns a plan with the given program, the constraint that the request needs, and the
// properties of the format. triggers, if any, replace those of the program.
func (t *Turn) Answer(program *peg.Program, triggers ...grammar.Trigger) *handler.Plan {
	plan := &handler.Plan{
		Program: program, Grammar: t.Mode(), PreservedTokens: t.Preserved,
		SupportsThinking: t.ThinkStart != "", ThinkingStart: t.ThinkStart,
	}
	if t.ThinkEnd != "" {
		plan.ThinkingEnds = []string{t.ThinkEnd}
	}
	if plan.Grammar != grammar.Free {
		plan.Triggers = triggers
	}
	return plan
}

// TurnEnd matches the end of the turn, which may be missing.
func (t *Turn) TurnEnd() peg.ID {
	if len(t.Ends) == 0 {
		return t.Space()
	}
	return t.Seq(t.Space(), t.Optional(t.OneOf(t.Ends...), t.Space()))
}

// header matches the generation prompt up to the beginning of the answer in it.
func (t *Turn) header() peg.ID {
	return t.Prompt(slices.DeleteFunc([]string{t.ThinkStart, t.NoThought}, func(s string) bool { return s == "" })...)
}

// MustCall reports whether the request requires a call.
func (t *Turn) MustCall() bool {
	mode := t.Request.ToolChoice.Mode
	return len(t.Tools) > 0 && (mode == chat.ToolRequired || mode == chat.ToolNamed)
}

// AnswerSchema returns the JSON Schema that the answer must follow; zero if there is none, or if a
// call is required instead.
func (t *Turn) AnswerSchema() jsonschema.Schema {
	if t.MustCall() {
		return jsonschema.Schema{}
	}
	return t.Request.JSONSchema
}

// Mode returns Strict if only certain answers are acceptable, and Lazy if there may be calls.
func (t *Turn) Mode() grammar.Mode {
	switch {
	case !t.Request.JSONSchema.IsZero() || t.MustCall():
		return grammar.Strict
	case len(t.Tools) > 0:
		return grammar.Lazy
	}
	return grammar.Free
}
