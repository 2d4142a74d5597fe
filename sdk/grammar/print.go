package grammar

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// render writes the rules reachable from root as GBNF.
func render(root *rule) string {
	p := printer{dot: "."}
	return p.grammar(root)
}

// printer writes grammars.
type printer struct {
	strings.Builder
	dot   string              // any character
	code  string              // how a character is written by its number; empty: with two digits
	class func(charset) *expr // what to write in place of a class; nil: the class
}

// classText is one character of s, in GBNF.
func classText(s charset) string {
	p := printer{dot: "."}
	p.set(s)
	return p.String()
}

// grammar is the rules reachable from root, root first, one on a line.
func (p *printer) grammar(root *rule) string {
	for _, r := range reachable(root) {
		p.WriteString(r.name)
		p.WriteString(" ::= ")
		p.expr(r.body, looseChoice)
		p.WriteByte('\n')
	}
	return p.String()
}

// binding says what surrounds an expression, and so whether it needs parentheses.
type binding uint8

const (
	looseChoice   binding = iota // nothing
	looseSequence                // a sequence
	tight                        // a repetition
)

func (p *printer) expr(e *expr, around binding) {
	switch e.op {
	case never:
		p.WriteString("[]")
	case literal:
		p.text(e.text)
	case class:
		p.oneOf(e, around)
	case call:
		p.WriteString(e.rule.name)
	case sequence:
		p.kids(e.kids, " ", looseSequence, around > looseSequence)
	case choice:
		p.kids(e.kids, " | ", looseSequence, around > looseChoice)
	case repeat:
		p.repeat(e, around)
	}
}

// oneOf writes a class, or what stands in its place.
func (p *printer) oneOf(e *expr, around binding) {
	if p.class == nil {
		p.set(e.set)
		return
	}
	other := p.class(e.set)
	if other.op == class {
		p.set(other.set)
		return
	}
	q := printer{dot: p.dot, code: p.code}
	q.expr(other, around)
	p.WriteString(q.String())
}

// repeat sets a repetition of a repetition in parentheses: two quantifiers in a row are hard to read.
func (p *printer) repeat(e *expr, around binding) {
	if around == tight {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	p.expr(e.kids[0], tight)
	p.WriteString(quantifier(e.min, e.max))
}

func (p *printer) kids(kids []*expr, between string, around binding, parens bool) {
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

func quantifier(lo, hi int) string {
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

func (p *printer) text(s string) {
	p.WriteByte('"')
	for _, r := range s {
		p.char(r, `"\`)
	}
	p.WriteByte('"')
}

// set writes a class; one that reaches the last code point is shorter by what it lacks.
func (p *printer) set(s charset) {
	if s.every() {
		p.WriteString(p.dot)
		return
	}
	p.WriteByte('[')
	if s[len(s)-1].Hi == utf8.MaxRune {
		p.WriteByte('^')
		s = s.complement()
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
func (p *printer) char(r rune, escaped string) {
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
		fmt.Fprintf(p, cmp.Or(p.code, `\x%02X`), r)
	case r == utf8.MaxRune || r == utf8.RuneError || !utf8.ValidRune(r) || r >= 0x80 && r < 0xA0:
		fmt.Fprintf(p, `\U%08X`, r)
	default:
		p.WriteRune(r)
	}
}
