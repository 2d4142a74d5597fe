package grammar

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// render writes the rules reachable from root as GBNF, root first.
func render(root *rule) string {
	var b strings.Builder
	for _, r := range reachable(root) {
		b.WriteString(r.name)
		b.WriteString(" ::= ")
		printExpr(&b, r.body, looseChoice)
		b.WriteByte('\n')
	}
	return b.String()
}

// binding says what surrounds an expression, and so whether it needs parentheses.
type binding uint8

const (
	looseChoice   binding = iota // nothing
	looseSequence                // a sequence
	tight                        // a repetition
)

func printExpr(b *strings.Builder, e *expr, around binding) {
	switch e.op {
	case never:
		b.WriteString("[]")
	case literal:
		printText(b, e.text)
	case class:
		printSet(b, e.set)
	case call:
		b.WriteString(e.rule.name)
	case sequence:
		printKids(b, e.kids, " ", looseSequence, around > looseSequence)
	case choice:
		printKids(b, e.kids, " | ", looseSequence, around > looseChoice)
	case repeat:
		printRepeat(b, e, around)
	}
}

// printRepeat sets a repetition of a repetition in parentheses: two quantifiers in a row are hard to read.
func printRepeat(b *strings.Builder, e *expr, around binding) {
	if around == tight {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	printExpr(b, e.kids[0], tight)
	b.WriteString(quantifier(e.min, e.max))
}

func printKids(b *strings.Builder, kids []*expr, between string, around binding, parens bool) {
	if parens {
		b.WriteByte('(')
	}
	for i, k := range kids {
		if i > 0 {
			b.WriteString(between)
		}
		printExpr(b, k, around)
	}
	if parens {
		b.WriteByte(')')
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

func printText(b *strings.Builder, s string) {
	b.WriteByte('"')
	for _, r := range s {
		printChar(b, r, `"\`)
	}
	b.WriteByte('"')
}

// printSet writes a class; one that reaches the last code point is shorter by what it lacks.
func printSet(b *strings.Builder, s charset) {
	if s.every() {
		b.WriteByte('.')
		return
	}
	b.WriteByte('[')
	if s[len(s)-1].Hi == utf8.MaxRune {
		b.WriteByte('^')
		s = s.complement()
	}
	for _, r := range s {
		printChar(b, r.Lo, `[]\`)
		if r.Hi > r.Lo {
			if r.Hi > r.Lo+1 {
				b.WriteByte('-')
			}
			printChar(b, r.Hi, `[]\`)
		}
	}
	b.WriteByte(']')
}

// printChar writes one character of a literal or class; escaped lists those that take a backslash there.
func printChar(b *strings.Builder, r rune, escaped string) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case strings.ContainsRune(escaped, r):
		b.WriteByte('\\')
		b.WriteRune(r)
	case r < ' ' || r == 0x7F || escaped[0] == '[' && (r == '-' || r == '^'):
		fmt.Fprintf(b, `\x%02X`, r)
	case r == utf8.MaxRune || r == utf8.RuneError || !utf8.ValidRune(r) || r >= 0x80 && r < 0xA0:
		fmt.Fprintf(b, `\U%08X`, r)
	default:
		b.WriteRune(r)
	}
}
