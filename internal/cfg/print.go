package cfg

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/work"
)

// Print returns the rules reachable from root in GBNF, root first. Its work is counted by m.
func Print(m *work.Meter, root *Rule) string {
	p := Printer{Any: ".", Work: m}
	return p.Grammar(root)
}

// Printer prints grammars in GBNF or a dialect of it.
type Printer struct {
	strings.Builder
	Any   string                  // the notation of any character
	Code  string                  // the format of a character's code; empty: two hexadecimal digits
	Class func(charset.Set) *Expr // the replacement of a class, or nil to print it as it is
	Work  *work.Meter             // counts what is printed, since rules share expressions; nil: unbounded
}

// ClassText returns the notation of s in GBNF.
func ClassText(s charset.Set) string {
	p := Printer{Any: "."}
	p.set(s)
	return p.String()
}

// Grammar prints the rules reachable from root, root first, one per line.
func (p *Printer) Grammar(root *Rule) string {
	for _, r := range Reachable(root) {
		p.WriteString(r.Name)
		p.WriteString(" ::= ")
		p.expr(r.Body, InNothing)
		p.WriteByte('\n')
	}
	return p.String()
}

// Binding is the context of an expression, which decides whether it needs parentheses.
type Binding uint8

// The contexts, from the loosest binding to the tightest.
const (
	InNothing  Binding = iota // no context, or a choice
	InSequence                // within a sequence
	InRepeat                  // within a repetition
)

func (p *Printer) expr(e *Expr, around Binding) {
	p.Work.Spend(1 + len(e.Text)>>3 + len(e.Set))
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

// oneOf prints a class, or its replacement.
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

// repeat puts a repetition of a repetition in parentheses: two quantifiers in a row are hard to
// read.
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

// Quantifier returns the notation of a repetition.
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

// set prints a class; one that includes the last code point is printed by its complement, which is
// shorter.
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

// char prints one character of a literal or class, in which the characters of escaped need a
// backslash.
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
