package grammar

import (
	"context"
	"errors"
	"fmt"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Options are the options of Build.
type Options struct {
	// Mode: Strict constrains the whole output, Lazy everything from the first trigger on. Free
	// means no constraint.
	Mode Mode
	// Prompt is the generation prompt, which the program reads before the output. A strict grammar
	// covers what may follow it.
	Prompt string
	// Triggers replace those that a lazy constraint derives from the program's Trigger rules.
	Triggers []Trigger
	// Content is a grammar in GBNF that the content of a strict constraint must follow, such as one
	// that the client sent; the reasoning and the markers around the content stay as in the
	// program. It cannot be combined with tool calls.
	Content string
	// Target is the notation of the constraint; empty means GBNF. Bounds that its engine rejects
	// are relaxed.
	Target Target
	// Specials are the model's special tokens, if known. Notations that distinguish a special token
	// from its spelling use them.
	Specials []string
}

// What building one constraint may cost by default: about a second.
const maxWork = 10_000_000

// NewMeter returns the meter of one request's constraints, which ends with ctx.
func NewMeter(ctx context.Context) *work.Meter {
	return work.New(ctx, maxWork, &fault.Error{Code: fault.LimitExceeded, Place: "grammar",
		Message: fmt.Sprintf("the schemas and the tools of the request cost more than %d steps to make a grammar of", maxWork),
		Remedy:  "send fewer tools, or schemas with fewer patterns, alternatives and members"})
}

// Build is BuildWithin with a meter of its own.
func Build(p *peg.Program, o Options) (*Constraint, error) {
	return BuildWithin(NewMeter(context.Background()), p, o)
}

// BuildWithin returns the constraint for a program: its grammar accepts outputs that the program parses,
// and enforces the schemas in it. The constraint is nil if the mode is Free. An error names the
// node or the place in a schema at fault, or says that the program cannot start with the prompt.
// Where the grammar had to accept more than the program or a schema, Constraint.Notes says so. The
// error is that of the meter if the work is too much for it.
func BuildWithin(m *work.Meter, p *peg.Program, o Options) (k *Constraint, err error) {
	defer work.Stopped(&err)
	if o.Mode == Free {
		return nil, nil
	}
	engine, err := o.Target.Limits()
	if err != nil {
		return nil, err
	}
	b, err := newBuilder(m, p.Bind(o.Prompt), engine)
	if err != nil {
		return nil, err
	}
	if err := b.restrictContent(o); err != nil {
		return nil, err
	}
	c := &Constraint{Lazy: o.Mode == Lazy, Triggers: o.Triggers}
	root := &cfg.Rule{Name: "root", Body: b.expr(b.p.Root)}
	if b.err != nil {
		return nil, b.err
	}
	if o.Mode == Lazy {
		root.Body = b.fromTriggers(b.p.Root)
		if c.Triggers == nil {
			c.Triggers = b.triggers()
		}
	}
	m.Check()
	if !cfg.Prune(root) {
		return nil, b.emptyError(o.Mode)
	}
	if o.Mode == Strict {
		if root.Body, err = afterPrompt(m, root.Body, b.Space, o.Prompt); err != nil {
			return nil, err
		}
	}
	rules, _ := cfg.Merge(m, root)
	if r := cfg.LeftRecursive(rules, rules); r != nil {
		return nil, fmt.Errorf("program: left-recursive rule %q", r.Name)
	}
	if c.Triggers == nil {
		c.Triggers = []Trigger{}
	}
	m.Check()
	c.Grammar, c.Notes, c.scans = cfg.Print(m, root), b.Notes.Texts, b.untils.Scans()
	m.Check()
	if err := c.translate(m, o.Target, o.Specials); err != nil {
		return nil, err
	}
	return c, nil
}

// afterPrompt returns the texts that may follow the generation prompt.
func afterPrompt(m *work.Meter, e *cfg.Expr, space *cfg.Rule, prompt string) (*cfg.Expr, error) {
	rest, err := cfg.Quotient(m, e, space, prompt)
	var leaves *cfg.PrefixError
	switch {
	case errors.As(err, &leaves):
		return nil, fmt.Errorf("program: it cannot begin with the generation prompt: byte %d of %q", leaves.Offset, notes.Clip(prompt))
	case err != nil:
		return nil, fmt.Errorf("program: it cannot begin with the generation prompt: %w", err)
	}
	return rest, nil
}

var errNoText = errors.New("program: it matches no text")

func (b *builder) emptyError(m Mode) error {
	if m == Lazy {
		return errors.New("program: no trigger rule is reachable, so a lazy grammar has no start; mark the start of a call as a trigger, or request a strict grammar")
	}
	return errNoText
}
