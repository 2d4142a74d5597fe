package cfg

import (
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// Op is the kind of an expr.
type Op uint8

const (
	OpNever    Op = iota // no text at all
	OpLiteral            // text; the empty text is the empty expression
	OpClass              // one character of set
	OpSequence           // kids, one after the other
	OpChoice             // one of kids; order is the program's preference and means nothing to an engine
	OpRepeat             // kids[0], min to max times; max < 0: without bound
	OpCall               // rule
	OpToken              // the special token text, which is no text; only on the way to Lark
)

// Expr is the right side of a rule, or a part of it. An expr never changes once made and may have several parents.
type Expr struct {
	Op       Op
	Text     string
	Set      charset.Set
	Kids     []*Expr
	Min, Max int
	Rule     *Rule
}

// Rule is a named expr. Its body is set once, possibly after calls of the rule were made.
type Rule struct {
	Name   string
	Body   *Expr
	called *Expr // the call of it, made once
}

var (
	Nothing = &Expr{Op: OpNever}
	Empty   = &Expr{Op: OpLiteral}
)

// letters are the literals of one ASCII character, of which grammars have many.
var letters = func() (out [utf8.RuneSelf]*Expr) {
	for r := range out {
		out[r] = &Expr{Op: OpLiteral, Text: string(rune(r))}
	}
	return out
}()

func Text(s string) *Expr {
	switch {
	case s == "":
		return Empty
	case len(s) == 1 && s[0] < utf8.RuneSelf:
		return letters[s[0]]
	}
	return &Expr{Op: OpLiteral, Text: s}
}

func Chars(ranges ...charset.Range) *Expr { return Class(charset.New(ranges...)) }

func Class(s charset.Set) *Expr {
	switch {
	case len(s) == 0:
		return Nothing
	case len(s) == 1 && s[0].Lo == s[0].Hi && utf8.ValidRune(s[0].Lo):
		return Text(string(s[0].Lo))
	}
	return &Expr{Op: OpClass, Set: s}
}

func (r *Rule) Call() *Expr {
	if r.called == nil {
		r.called = &Expr{Op: OpCall, Rule: r}
	}
	return r.called
}

// Seq joins kids: nested sequences are flattened, neighbouring literals merged, and nothing in it leaves nothing.
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

// Alt offers kids: nested choices are flattened, equal alternatives said once, and nothing left out.
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

// maxCompared bounds the alternatives that are compared with each other; among more only equal literals are found.
const maxCompared = 64

// distinct leaves out alternatives that were there before. It uses the room of kids.
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

// Equal says whether a and b are written the same.
func Equal(a, b *Expr) bool {
	if a == b {
		return true
	}
	if a.Op != b.Op || a.Text != b.Text || a.Rule != b.Rule || a.Min != b.Min || a.Max != b.Max {
		return false
	}
	return slices.Equal(a.Set, b.Set) && slices.EqualFunc(a.Kids, b.Kids, Equal)
}

// Times repeats e; hi < 0 means without bound.
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

func Optional(kids ...*Expr) *Expr { return Times(0, 1, Seq(kids...)) }

func Star(e *Expr) *Expr { return Times(0, -1, e) }
