package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// Draft is a handler's answer completed with the rendering of its prompt. The autoparser makes drafts: of its own answers,
// and of those of other handlers.
type Draft struct {
	// Plan is the answer. Its Request and Delimiters are set, and its program is bound to the generation prompt.
	handler.Plan
	// Handler is the name of the handler that answered.
	Handler string
	// Streams parses the output where the answer has no program; nil if the handler cannot.
	Streams handler.StreamHandler
	// Prompt is the whole prompt, and GenerationPrompt its end, which begins the assistant's turn.
	Prompt, GenerationPrompt string
	// ReasoningState is where generation starts.
	ReasoningState handler.ReasoningState
	// Render renders another request as Prompt was rendered; nil where nothing will be.
	Render func(context.Context, *chat.Request) (prompt string, err error)
}

// PlanOptions are the choices of New. The zero value works.
type PlanOptions struct {
	// SpecialTokens are the special tokens of the model's vocabulary; nil if unknown.
	SpecialTokens []string
	// Constraints and Codes share constraints and compiled programs between plans; nil: nothing is shared.
	Constraints *grammar.Cache
	Codes       *match.Cache
	// Specials are the special tokens that markers match as, where it is known which they are: Plan.Specials of an earlier plan. Nil:
	// they follow from the tokens.
	Specials []string
	// ParseOnly builds no constraint and refuses no request, for outputs that exist already.
	ParseOnly bool
}

// Plan is the answer to a request: what an engine needs, and what parses the engine's output. It is immutable and safe for
// concurrent use. The Go client returns this type, too.
//
// Its JSON has the fields that have a name below. Lists in it are never null.
type Plan struct {
	Prompt           string `json:"prompt"`            // the whole prompt
	GenerationPrompt string `json:"generation_prompt"` // its end, which begins the assistant's turn
	// Constraint limits sampling to what the program parses; nil: sampling is free.
	Constraint *grammar.Constraint `json:"constraint"`
	// PreservedTokens are special tokens that the engine must not drop from the text, each a single token.
	PreservedTokens []string `json:"preserved_tokens"`
	// Stops are strings at which the engine should stop, besides its end-of-turn tokens.
	Stops []string `json:"stops"`
	// ThinkingStart opens reasoning; it may be empty. Each of ThinkingEnds closes it.
	ThinkingStart string   `json:"thinking_start"`
	ThinkingEnds  []string `json:"thinking_ends"`
	// Notes are for people, such as what a constraint does not enforce.
	Notes []string `json:"notes,omitempty"`

	SupportsThinking bool                   `json:"-"` // the template knows reasoning
	ReasoningState   handler.ReasoningState `json:"-"` // where generation starts
	Delimiters       []handler.Delimiter    `json:"-"` // the texts that start messages of each role in the prompt
	Handler          string                 `json:"-"` // the handler that answered
	Generation       uint64                 `json:"-"` // the daemon's snapshot that the plan was made on; 0 outside a daemon
	Program          *peg.Program           `json:"-"` // what parses the output; nil where the handler does, or a daemon

	request *chat.Request
	tools   []chat.Tool // of the request, names alone: sessions keep them, and need not keep the request
	code    *match.Code // Program, compiled
	codes   *match.Cache
	markers []string // of the format, some of which are tokens
	special []string // of these, those that match only as special tokens
	render  func(context.Context, *chat.Request) (string, error)
	streams handler.StreamHandler
	token   []byte // for streams

	constraints   *grammar.Cache
	options       grammar.Options // that Constraint was built with
	unconstrained error
}

// New makes a plan of a draft that answers req. The work ends with ctx. The error is a *fault.Error where the request asks for what cannot be
// enforced; any other is the handler's fault.
func New(ctx context.Context, d *Draft, req *chat.Request, o PlanOptions) (*Plan, error) {
	p := &Plan{
		Prompt: d.Prompt, GenerationPrompt: d.GenerationPrompt,
		PreservedTokens: tokens(o.SpecialTokens, d.PreservedTokens), Stops: d.Stops,
		SupportsThinking: d.SupportsThinking, ThinkingStart: d.ThinkingStart, ThinkingEnds: d.ThinkingEnds,
		ReasoningState: d.ReasoningState, Delimiters: d.Delimiters, Notes: slices.Clip(d.Notes), Handler: d.Handler,
		request: req, tools: names(req.Tools), constraints: o.Constraints, codes: o.Codes, markers: d.PreservedTokens, render: d.Render,
	}
	if p.constraints == nil {
		p.constraints = new(grammar.Cache)
	}
	switch {
	case d.Stream != nil && d.Streams == nil:
		return nil, errors.New("the plan is a stream, but the handler parses none")
	case d.Stream != nil:
		p.streams, p.token = d.Streams, d.Stream.Token
		if o.ParseOnly {
			return p, nil
		}
		return p, p.enforced()
	case d.Program == nil:
		return nil, errors.New("the plan has neither a program nor a stream")
	}
	p.Program = d.Program.Sealed()
	special := o.Specials
	if special == nil {
		special = specials(o.SpecialTokens, d.PreservedTokens)
	}
	if err := p.compile(o.Codes, special); err != nil { // before the constraint, which costs more
		return nil, programFault(err)
	}
	if !o.ParseOnly {
		p.options = grammar.Options{Mode: d.Grammar, Prompt: d.GenerationPrompt, Triggers: d.Triggers, Specials: special}
		if err := p.constrain(grammar.NewMeter(ctx)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// programFault returns the error of a program that cannot be compiled: the request's, if it makes the program too large.
func programFault(err error) error {
	var defects peg.Defects
	if errors.As(err, &defects) && slices.ContainsFunc(defects, func(d peg.Defect) bool { return d.Limit }) {
		return &fault.Error{Code: fault.LimitExceeded, Place: "tools", Message: "the tools of the request make too large a program: " + defects[0].What,
			Remedy: "send fewer tools, or tools with fewer arguments", Err: err}
	}
	return fmt.Errorf("invalid program: %w", err)
}

// names returns tools with their names alone.
func names(tools []chat.Tool) []chat.Tool {
	named := make([]chat.Tool, len(tools))
	for i, t := range tools {
		named[i].Name = t.Name
	}
	return named
}

// Specials returns the special tokens that markers match as, and as nothing else, where it is known which bytes of an output are
// special tokens.
func (p *Plan) Specials() []string { return p.special }

func (p *Plan) compile(codes *match.Cache, specials []string) (err error) {
	p.special = specials
	o := match.Options{Specials: specials}
	if codes == nil {
		p.code, err = match.Compile(p.Program, o)
	} else {
		p.code, err = codes.Compile(p.Program, o)
	}
	return err
}

// Unconstrained returns why no constraint could be built, although the handler asked for one; nil if one was built.
func (p *Plan) Unconstrained() error { return p.unconstrained }

// note adds notes to the plan, each once.
func (p *Plan) note(notes ...string) {
	known := map[string]bool{}
	for _, n := range p.Notes {
		known[n] = true
	}
	p.Notes = slices.Clip(p.Notes)
	for _, n := range notes {
		if !known[n] {
			known[n] = true
			p.Notes = append(p.Notes, n)
		}
	}
}
