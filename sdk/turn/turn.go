package turn

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Format is what is particular to a format, calls aside.
type Format struct {
	// ThinkStart and ThinkEnd surround reasoning. Empty: there is none.
	ThinkStart string
	ThinkEnd   string
	// Opened and Closed are ThinkStart and ThinkEnd as the template writes them, with the white space around them; empty: they
	// alone. A message to be continued is written so.
	Opened string
	Closed string
	// NoThought stands in place of reasoning in an answer that has none; empty: nothing does.
	NoThought string
	// Openers are the texts at which calls may begin.
	Openers []string
	// Promoters are the openers at which a call may end reasoning; empty: all of them. Those that are no special tokens are better
	// held to the beginning of a line.
	Promoters []string
	// CallEnds are the special tokens that end calls, where there may be some that end none: behind a call that is at fault they
	// are no text.
	CallEnds []string
	// Ends are the texts that end a turn, where the engine lets them through; none of them begins like another.
	Ends []string
	// ThoughtEnds are those of Ends that end reasoning, too, with the output behind them; nil: all.
	ThoughtEnds []string
	// FreeLines lets grammars have any number of line ends behind reasoning, rather than white space as elsewhere.
	FreeLines bool
	// Preserved are special tokens that the engine must not drop.
	Preserved []string
	// ReportMissing has the report count the markers that a model leaves out.
	ReportMissing bool
	// Spellings returns the other spellings of a marker that the parser reads; nil: there are none.
	Spellings func(marker string) []string
}

// Turn is a program being built for a request.
type Turn struct {
	peg.Builder
	Format
	Request *chat.Request
	Tools   []Tool // that may be called; none where the request forbids calls

	ahead    peg.ID // a call that ends reasoning,
	promotes bool   // if calls do

	fresh    int                  // how many names Fresh returned
	names    map[string]int       // how often a name was used
	rules    map[[2]string]peg.ID // by name and key
	literals map[string]peg.ID
	space    *peg.ID // nil: not used yet
}

// Tool is a function that the model may call.
type Tool struct {
	chat.Tool
	Allowed bool // by the request's tool choice; another one is read all the same
}

// New begins the program that answers a request.
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

// Plan completes the program and answers the request. calls matches calls from an opener on, and contains Trigger rules; it
// is not looked at without tools. The error says that the request asks to continue a message that is not there.
func (t *Turn) Plan(calls peg.ID) (*handler.Plan, error) {
	plan := t.Answer(t.Program(func() peg.ID { return t.Seq(t.header(), t.reasoning(), t.Body(calls), t.TurnEnd()) }))
	return plan, t.Continue(plan)
}

// Program is the program that reads what root makes, up to its end; all of an output is content where the request wants that.
func (t *Turn) Program(root func() peg.ID) *peg.Program {
	if t.Request.PureContent {
		return t.Build(t.Seq(t.Prompt(), t.Tag(peg.Content, t.Rest()), t.End()))
	}
	return t.Build(t.Seq(root(), t.End()))
}

// Answer is a plan with a program, the constraint that the request needs, and what the format says. Triggers, if there are
// any, replace those of the program.
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

// TurnEnd is the end of the turn, as far as it is told.
func (t *Turn) TurnEnd() peg.ID {
	if len(t.Ends) == 0 {
		return t.Space()
	}
	return t.Seq(t.Space(), t.Optional(t.OneOf(t.Ends...), t.Space()))
}

// header is the generation prompt up to where it has begun the answer.
func (t *Turn) header() peg.ID {
	return t.Prompt(slices.DeleteFunc([]string{t.ThinkStart, t.NoThought}, func(s string) bool { return s == "" })...)
}

// MustCall says that the request insists on a call.
func (t *Turn) MustCall() bool {
	mode := t.Request.ToolChoice.Mode
	return len(t.Tools) > 0 && (mode == chat.ToolRequired || mode == chat.ToolNamed)
}

// AnswerSchema is the JSON Schema that the answer must follow; the zero value where there is none, or a call is wanted instead.
func (t *Turn) AnswerSchema() jsonschema.Schema {
	if t.MustCall() {
		return jsonschema.Schema{}
	}
	return t.Request.JSONSchema
}

// Mode is strict where only certain answers will do, and lazy where there may be calls.
func (t *Turn) Mode() grammar.Mode {
	switch {
	case !t.Request.JSONSchema.IsZero() || t.MustCall():
		return grammar.Strict
	case len(t.Tools) > 0:
		return grammar.Lazy
	}
	return grammar.Free
}
