// Package cfg holds context-free grammars: named rules whose bodies are expressions.
//
// # The model
//
// An Expr is a literal, a class of characters, a sequence, a choice, a repetition with bounds, or
// the call of a Rule. It is immutable, and built by constructors (Text, Class, Seq, Alt, Times)
// which simplify as they go: Nothing, the empty language, disappears from choices and absorbs
// sequences; Empty, the empty text, disappears from sequences. A grammar is the set of rules
// reachable from its root.
//
//	Parse, Print     GBNF, the notation of llama.cpp
//	Prune            removes what can never match
//	Merge            unifies rules with equal bodies
//	Nullable         finds expressions that match the empty text
//	LeftRecursive    finds rules that call themselves before consuming anything
//	Quotient         returns what remains of a language after a prefix
//
// The packages below build on this one: charset has the sets of characters, automaton compiles
// grammars and matches texts, sample draws texts at random, regular finds rules that are regular
// and intersects them, and words writes rules for text in which certain words do not occur.
//
// # Words
//
// A *language* is a set of texts. The *root* is the rule that a grammar starts from. A rule is
// *nullable* if it matches the empty text, and *productive* if it matches any text. The *quotient*
// of a language by a prefix is the set of texts that may follow the prefix.
package cfg

import (
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// Op is the kind of an Expr.
type Op uint8

// The kinds of expressions.
const (
	OpNever    Op = iota // the empty language: no text at all
	OpLiteral            // Text; the empty text is the empty expression
	OpClass              // one character of Set
	OpSequence           // Kids, one after the other
	OpChoice             // one of Kids; their order is a preference that engines ignore
	OpRepeat             // Kids[0], Min to Max times; Max < 0: unbounded
	OpCall               // a call of Rule
	OpToken              // the special token Text, which no text spells; used for Lark only
)

// Expr is the right-hand side of a rule, or a part of one. An Expr is immutable and may have
// several parents.
type Expr struct {
	Op       Op
	Text     string
	Set      charset.Set
	Kids     []*Expr
	Min, Max int
	Rule     *Rule
}

// Rule is a named expression. Its body is set once, possibly after the rule has been called.
type Rule struct {
	Name   string
	Body   *Expr
	called *Expr // the call of the rule, created once
}

// Nothing matches no text, Empty the empty text.
var (
	Nothing = &Expr{Op: OpNever}
	Empty   = &Expr{Op: OpLiteral}
)

// letters holds the literals of one ASCII character, which are frequent.
var letters = func() (out [utf8.RuneSelf]*Expr) {
	for r := range out {
		out[r] = &Expr{Op: OpLiteral, Text: string(rune(r))}
	}
	return out
}()

// Text returns the literal s.
func Text(s string) *Expr {
	switch {
	case s == "":
		return Empty
	case len(s) == 1 && s[0] < utf8.RuneSelf:
		return letters[s[0]]
	}
	return &Expr{Op: OpLiteral, Text: s}
}

// Chars returns one character of ranges.
func Chars(ranges ...charset.Range) *Expr { return Class(charset.New(ranges...)) }

// Class returns one character of s; a literal if s has one character only.
func Class(s charset.Set) *Expr {
	switch {
	case len(s) == 0:
		return Nothing
	case len(s) == 1 && s[0].Lo == s[0].Hi && utf8.ValidRune(s[0].Lo):
		return Text(string(s[0].Lo))
	}
	return &Expr{Op: OpClass, Set: s}
}

// Call returns the expression that calls r.
func (r *Rule) Call() *Expr {
	if r.called == nil {
		r.called = &Expr{Op: OpCall, Rule: r}
	}
	return r.called
}

// Seq returns the concatenation of kids: nested sequences are flattened, adjacent literals are
// joined, and the result is Nothing if one of kids is.
func Seq(kids ...*Expr) *Expr {
	if len(kids) == 1 {
		return kids[0]
	}
	flat := make([]*Expr, 0, len(kids))
	for _, k := range kids {
		switch {
		case k.Op == OpNever:
			return Nothing
		case k.Op == OpSequence:
			for _, inner := range k.Kids {
				flat = appendKid(flat, inner)
			}
		default:
			flat = appendKid(flat, k)
		}
	}
	switch len(flat) {
	case 0:
		return Empty
	case 1:
		return flat[0]
	}
	return &Expr{Op: OpSequence, Kids: flat}
}

func appendKid(flat []*Expr, k *Expr) []*Expr {
	if k.Op != OpLiteral {
		return append(flat, k)
	}
	if k.Text == "" {
		return flat
	}
	if n := len(flat); n > 0 && flat[n-1].Op == OpLiteral {
		flat[n-1] = Text(flat[n-1].Text + k.Text)
		return flat
	}
	return append(flat, k)
}

// Alt returns the union of kids: nested choices are flattened, duplicates and Nothing are dropped.
func Alt(kids ...*Expr) *Expr {
	flat := make([]*Expr, 0, len(kids))
	for _, k := range kids {
		switch k.Op {
		case OpNever:
		case OpChoice:
			flat = append(flat, k.Kids...)
		default:
			flat = append(flat, k)
		}
	}
	flat = distinct(flat)
	switch len(flat) {
	case 0:
		return Nothing
	case 1:
		return flat[0]
	}
	return &Expr{Op: OpChoice, Kids: flat}
}

// maxCompared is how many alternatives are compared with each other; beyond it only duplicate
// literals are found.
const maxCompared = 64

// distinct drops duplicates, reusing the array of kids.
func distinct(kids []*Expr) []*Expr {
	var texts map[string]bool
	if len(kids) > maxCompared {
		texts = make(map[string]bool, len(kids))
	}
	out := kids[:0]
	for _, k := range kids {
		switch {
		case texts == nil && slices.ContainsFunc(out, func(o *Expr) bool { return Equal(o, k) }), texts[k.Text] && k.Op == OpLiteral:
			continue
		case texts != nil && k.Op == OpLiteral:
			texts[k.Text] = true
		}
		out = append(out, k)
	}
	return out
}

// Equal reports whether a and b are structurally equal; calls are equal if they call the same rule.
func Equal(a, b *Expr) bool {
	if a == b {
		return true
	}
	if a.Op != b.Op || a.Text != b.Text || a.Rule != b.Rule || a.Min != b.Min || a.Max != b.Max {
		return false
	}
	return slices.Equal(a.Set, b.Set) && slices.EqualFunc(a.Kids, b.Kids, Equal)
}

// Times returns lo to hi repetitions of e; hi < 0 means unbounded.
func Times(lo, hi int, e *Expr) *Expr {
	switch {
	case hi == 0 || e == Empty:
		return Empty
	case e.Op == OpNever && lo == 0:
		return Empty
	case e.Op == OpNever:
		return Nothing
	case lo == 1 && hi == 1:
		return e
	case e.Op == OpRepeat && e.Min == 0 && e.Max < 0 && lo <= 1:
		return e
	}
	if hi < 0 && mayBeEmpty(e) {
		lo, e = 0, NonEmpty(e)
	}
	return &Expr{Op: OpRepeat, Min: lo, Max: hi, Kids: []*Expr{e}}
}

// Optional returns the sequence of kids, or nothing.
func Optional(kids ...*Expr) *Expr { return Times(0, 1, Seq(kids...)) }

// Star returns any number of repetitions of e.
func Star(e *Expr) *Expr { return Times(0, -1, e) }
