package cfg

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// Print writes the rules reachable from root as GBNF.
func Print(root *Rule) string {
	p := Printer{Any: "."}
	return p.Grammar(root)
}

// Printer writes grammars.
type Printer struct {
	strings.Builder
	Any   string                  // any character
	Code  string                  // how a character is written by its number; empty: with two digits
	Class func(charset.Set) *Expr // what to write in place of a class; nil: the class
}

// ClassText is one character of s, in GBNF.
func ClassText(s charset.Set) string {
	p := Printer{Any: "."}
	p.set(s)
	return p.String()
}

// Grammar is the rules reachable from root, root first, one on a line.
func (p *Printer) Grammar(root *Rule) string {
	for _, r := range Reachable(root) {
		p.WriteString(r.Name)
		p.WriteString(" ::= ")
		p.expr(r.Body, InNothing)
		p.WriteByte('\n')
	}
	return p.String()
}

// Binding says what surrounds an expression, and so whether it needs parentheses.
type Binding uint8

const (
	InNothing  Binding = iota // nothing
	InSequence                // a sequence
	InRepeat                  // a repetition
)

func (p *Printer) expr(e *Expr, around Binding) {
	switch e.Op {
	case OpNever:
		p.WriteString("[]")
	case OpLiteral:
		p.text(e.Text)
	case OpClass:
		p.oneOf(e, around)
	case OpCall:
		p.WriteString(e.Rule.Name)
	case OpSequence:
		p.kids(e.Kids, " ", InSequence, around > InSequence)
	case OpChoice:
		p.kids(e.Kids, " | ", InSequence, around > InNothing)
	case OpRepeat:
		p.repeat(e, around)
	}
}

// oneOf writes a class, or what stands in its place.
func (p *Printer) oneOf(e *Expr, around Binding) {
	if p.Class == nil {
		p.set(e.Set)
		return
	}
	other := p.Class(e.Set)
	if other.Op == OpClass {
		p.set(other.Set)
		return
	}
	q := Printer{Any: p.Any, Code: p.Code}
	q.expr(other, around)
	p.WriteString(q.String())
}

// repeat sets a repetition of a repetition in parentheses: two quantifiers in a row are hard to read.
func (p *Printer) repeat(e *Expr, around Binding) {
	if around == InRepeat {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	p.expr(e.Kids[0], InRepeat)
	p.WriteString(Quantifier(e.Min, e.Max))
}

func (p *Printer) kids(kids []*Expr, between string, around Binding, parens bool) {
	if parens {
		p.WriteByte('(')
	}
	for i, k := range kids {
		if i > 0 {
			p.WriteString(between)
		}
		p.expr(k, around)
	}
	if parens {
		p.WriteByte(')')
	}
}

func Quantifier(lo, hi int) string {
	switch {
	case lo == 0 && hi < 0:
		return "*"
	case lo == 1 && hi < 0:
		return "+"
	case lo == 0 && hi == 1:
		return "?"
	case hi < 0:
		return fmt.Sprintf("{%d,}", lo)
	case lo == hi:
		return fmt.Sprintf("{%d}", lo)
	}
	return fmt.Sprintf("{%d,%d}", lo, hi)
}

func (p *Printer) text(s string) {
	p.WriteByte('"')
	for _, r := range s {
		p.char(r, `"\`)
	}
	p.WriteByte('"')
}

// set writes a class; one that reaches the last code point is shorter by what it lacks.
func (p *Printer) set(s charset.Set) {
	if s.IsAll() {
		p.WriteString(p.Any)
		return
	}
	p.WriteByte('[')
	if s[len(s)-1].Hi == utf8.MaxRune {
		p.WriteByte('^')
		s = s.Complement()
	}
	for _, r := range s {
		p.char(r.Lo, `[]\`)
		if r.Hi > r.Lo {
			if r.Hi > r.Lo+1 {
				p.WriteByte('-')
			}
			p.char(r.Hi, `[]\`)
		}
	}
	p.WriteByte(']')
}

// char writes one character of a literal or class; escaped lists those that take a backslash there.
func (p *Printer) char(r rune, escaped string) {
	switch {
	case r == '\n':
		p.WriteString(`\n`)
	case r == '\t':
		p.WriteString(`\t`)
	case r == '\r':
		p.WriteString(`\r`)
	case strings.ContainsRune(escaped, r):
		p.WriteByte('\\')
		p.WriteRune(r)
	case r < ' ' || r == 0x7F || escaped[0] == '[' && (r == '-' || r == '^'):
		fmt.Fprintf(p, cmp.Or(p.Code, `\x%02X`), r)
	case r == utf8.MaxRune || r == utf8.RuneError || !utf8.ValidRune(r) || r >= 0x80 && r < 0xA0:
		fmt.Fprintf(p, `\U%08X`, r)
	default:
		p.WriteRune(r)
	}
}
