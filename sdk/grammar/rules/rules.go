package rules

import (
	"slices"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/cfg/regular"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
)

// Set is the rules of a grammar that is being made, as far as programs and schemas share them: their names, those of
// JSON values, what the engine takes, and notes.
type Set struct {
	cfg.Names
	engine      string
	repetitions int // the most that a bound may name
	Space       *cfg.Rule
	Notes       *notes.List
	values      map[valueKey]*cfg.Rule
	Classes     map[string]*cfg.Expr // classes of characters that patterns name, by quote and set
	states      int                  // how many more states products may have
}

func New(engine string, repetitions int) *Set {
	b := &Set{
		Names: cfg.Names{"root": 1}, engine: engine, repetitions: repetitions, Notes: notes.New(),
		values: map[valueKey]*cfg.Rule{}, Classes: map[string]*cfg.Expr{}, states: maxProducts,
	}
	b.Space = b.NewRule("space")
	b.Space.Body = cfg.Alt(cfg.Empty, cfg.Text(" "), cfg.Seq(cfg.Times(1, 2, cfg.Text("\n")), cfg.Times(0, 20, cfg.Class(charset.Of(" \t")))))
	return b
}

// Rule names e, unless a name would be no shorter.
func (b *Set) Rule(name string, e *cfg.Expr) *cfg.Expr {
	if e.Op == cfg.OpCall || e.Op == cfg.OpNever || e.Op == cfg.OpLiteral {
		return e
	}
	r := b.NewRule(name)
	r.Body = e
	return r.Call()
}

// IsCompound says whether e is long enough to be worth a rule where it is used more than once.
func IsCompound(e *cfg.Expr) bool {
	switch e.Op {
	case cfg.OpSequence, cfg.OpChoice:
		return true
	case cfg.OpRepeat:
		return IsCompound(e.Kids[0])
	}
	return false
}

// Repeat repeats e lo to hi times, as far as the engine takes bounds; hi < 0: without bound.
func (b *Set) Repeat(lo, hi int, e *cfg.Expr) *cfg.Expr { return cfg.Times(b.Bounded(lo, hi, e)) }

// Bounded relaxes bounds that the engine refuses. What repeats is named when it is more than one element, because llama.cpp
// multiplies bounds inside each other.
func (b *Set) Bounded(lo, hi int, e *cfg.Expr) (least, limit int, item *cfg.Expr) {
	most := b.repetitions
	if hi > most {
		b.Notes.Add("at most %d repetitions cannot be held to: %s takes no more than %d", hi, b.engine, most)
		hi = -1
	}
	if lo > most {
		b.Notes.Add("at least %d repetitions are only held to up to %d: %s takes no more", lo, most, b.engine)
		lo = most
	}
	if (lo > 16 || hi > 16) && IsCompound(e) || max(lo, hi) > 1 && counted(e) || repetitions(e) >= manyRepetitions {
		e = b.Rule("item", e)
	}
	return lo, hi, e
}

// manyRepetitions is where what repeats within something that repeats itself may come near to what engines take together.
const manyRepetitions = cfg.MaxRepetitions / 4

// repetitions is how often something within e itself may repeat by its bounds, all told.
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

// counted says whether e itself repeats something a certain number of times.
func counted(e *cfg.Expr) bool {
	return e.Op == cfg.OpRepeat && max(e.Min, e.Max) > 1 || slices.ContainsFunc(e.Kids, counted)
}

// maxProducts bounds the states of all products of one program.
const maxProducts = 1 << 14

// MaxProduct bounds the states of what must match several expressions at once, each of which becomes a rule.
const MaxProduct = 128

// Intersection is text that each of exprs matches and none of except; nil where it would take too many rules to say, or where one
// of them is not regular. Nothing matches where no text does.
func (b *Set) Intersection(name string, exprs, except []*cfg.Expr) *cfg.Expr {
	p := regular.NewProduct(exprs, except, MaxProduct, &b.states)
	if p == nil {
		return nil
	}
	return p.Rules(name, b.NewRule)
}

// maxSearched bounds the states in which is searched for a text of one expression that is none of another.
const maxSearched = 1024

// Includes says for certain that every text of one expression is one of the other, too.
func (b *Set) Includes(of, in *cfg.Expr) bool {
	p := regular.NewProduct([]*cfg.Expr{of}, []*cfg.Expr{in}, maxSearched, &b.states)
	return p != nil && p.IsEmpty()
}
