// Package rules holds the rules that grammars of programs and of JSON Schemas share: white space,
// JSON values and their spellings in Python, characters of strings, and formats that have rules of
// their own.
package rules

import (
	"slices"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/cfg/regular"
	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
)

// Set holds the rules of one grammar under construction, as far as programs and schemas share them:
// names in use, the rules for JSON values, the limits of the engine, and notes.
type Set struct {
	cfg.Names
	engine      string
	repetitions int // the largest bound that the engine accepts
	Space       *cfg.Rule
	Notes       *notes.List
	Work        *work.Meter // of all that is built; nil: unbounded
	values      map[valueKey]*cfg.Rule
	Classes     map[string]*cfg.Expr // the rules for classes of characters in patterns, by quote and set
	states      int                  // the states that products may still have
}

// New returns the rules for an engine with a limit on bounds, named after it in notes.
func New(engine string, repetitions int) *Set {
	b := &Set{
		Names: cfg.Names{"root": 1}, engine: engine, repetitions: repetitions, Notes: notes.New(),
		values: map[valueKey]*cfg.Rule{}, Classes: map[string]*cfg.Expr{}, states: maxProducts,
	}
	b.Space = b.NewRule("space")
	b.Space.Body = cfg.Alt(cfg.Empty, cfg.Text(" "), cfg.Seq(cfg.Times(1, 2, cfg.Text("\n")), cfg.Times(0, 20, cfg.Class(charset.Of(" \t")))))
	return b
}

// stepsOfRule is what a rule costs, from its name to its printing.
const stepsOfRule = 16

// Rule returns the call of a new rule with body e, or e itself if it is as short as a name.
func (b *Set) Rule(name string, e *cfg.Expr) *cfg.Expr {
	b.Work.Spend(stepsOfRule)
	if e.Op == cfg.OpCall || e.Op == cfg.OpNever || e.Op == cfg.OpLiteral {
		return e
	}
	r := b.NewRule(name)
	r.Body = e
	return r.Call()
}

// IsCompound reports whether e is long enough to deserve a rule of its own when used more than
// once.
func IsCompound(e *cfg.Expr) bool {
	switch e.Op {
	case cfg.OpSequence, cfg.OpChoice:
		return true
	case cfg.OpRepeat:
		return IsCompound(e.Kids[0])
	}
	return false
}

// Repeat returns lo to hi repetitions of e, within the limits of the engine; hi < 0 means
// unbounded.
func (b *Set) Repeat(lo, hi int, e *cfg.Expr) *cfg.Expr { return cfg.Times(b.Bounded(lo, hi, e)) }

// Bounded relaxes bounds that the engine rejects, and notes it. A compound item gets a rule of its
// own, because llama.cpp multiplies nested bounds.
func (b *Set) Bounded(lo, hi int, e *cfg.Expr) (least, limit int, item *cfg.Expr) {
	most := b.repetitions
	if hi > most {
		b.Notes.Add("at most %d repetitions cannot be enforced: the limit of %s is %d", hi, b.engine, most)
		hi = -1
	}
	if lo > most {
		b.Notes.Add("at least %d repetitions are enforced only up to %d, the limit of %s", lo, most, b.engine)
		lo = most
	}
	if (lo > 16 || hi > 16) && IsCompound(e) || max(lo, hi) > 1 && counted(e) || repetitions(e) >= manyRepetitions {
		e = b.Rule("item", e)
	}
	return lo, hi, e
}

// manyRepetitions is the number of nested repetitions from which an item gets a rule of its own.
const manyRepetitions = cfg.MaxRepetitions / 4

// repetitions returns the sum of all bounds in e, not looking into rules.
func repetitions(e *cfg.Expr) int {
	n := 0
	if e.Op == cfg.OpRepeat {
		n = max(e.Min, e.Max)
	}
	for _, k := range e.Kids {
		n += repetitions(k)
	}
	return n
}

// counted reports whether e contains a bounded repetition, not looking into rules.
func counted(e *cfg.Expr) bool {
	return e.Op == cfg.OpRepeat && max(e.Min, e.Max) > 1 || slices.ContainsFunc(e.Kids, counted)
}

// maxProducts bounds the states of all products of one program.
const maxProducts = 1 << 14

// MaxProduct bounds the states of one product, each of which becomes a rule.
const MaxProduct = 128

// Intersection returns the texts that match all of exprs and none of except. It returns nil if one
// of them is not regular or too many rules are needed, and cfg.Nothing if there are no such texts.
func (b *Set) Intersection(name string, exprs, except []*cfg.Expr) *cfg.Expr {
	p := regular.NewProduct(exprs, except, MaxProduct, &b.states, b.Work)
	if p == nil {
		return nil
	}
	return p.Rules(name, b.NewRule)
}

// maxSearched bounds the states of a product that is only tested for emptiness.
const maxSearched = 1024

// Includes reports whether every text of one expression is known to be one of the other, too.
func (b *Set) Includes(of, in *cfg.Expr) bool {
	p := regular.NewProduct([]*cfg.Expr{of}, []*cfg.Expr{in}, maxSearched, &b.states, b.Work)
	return p != nil && p.IsEmpty()
}
