package lark

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// regex prints an expression without calls as a regular expression of Rust and Go, between slashes.
func regex(e *cfg.Expr) string {
	var w regexWriter
	w.WriteByte('/')
	w.expr(e, cfg.InNothing)
	w.WriteByte('/')
	return w.String()
}

type regexWriter struct{ strings.Builder }

func (w *regexWriter) expr(e *cfg.Expr, around cfg.Binding) {
	switch e.Op {
	case cfg.OpLiteral:
		w.text(e.Text, around)
	case cfg.OpClass:
		w.set(e.Set)
	case cfg.OpSequence:
		w.kids(e.Kids, "", cfg.InSequence, around > cfg.InSequence)
	case cfg.OpChoice:
		w.kids(e.Kids, "|", cfg.InSequence, around > cfg.InNothing)
	case cfg.OpRepeat:
		w.grouped(around == cfg.InRepeat, func() {
			w.expr(e.Kids[0], cfg.InRepeat)
			w.WriteString(cfg.Quantifier(e.Min, e.Max))
		})
	}
}

func (w *regexWriter) grouped(parens bool, body func()) {
	if parens {
		w.WriteString("(?:")
		defer w.WriteByte(')')
	}
	body()
}

func (w *regexWriter) kids(kids []*cfg.Expr, between string, around cfg.Binding, parens bool) {
	w.grouped(parens, func() {
		for i, k := range kids {
			if i > 0 {
				w.WriteString(between)
			}
			w.expr(k, around)
		}
	})
}

func (w *regexWriter) text(s string, around cfg.Binding) {
	w.grouped(around == cfg.InRepeat && utf8.RuneCountInString(s) != 1, func() {
		for _, r := range s {
			w.char(r)
		}
	})
}

// surrogates are code points that do not occur in text and that classes in Rust cannot contain.
var surrogates = charset.Set{{Lo: 0xD800, Hi: 0xDFFF}}

func (w *regexWriter) set(s charset.Set) {
	if s.IsAll() {
		w.WriteString("(?s:.)")
		return
	}
	w.WriteByte('[')
	if s[len(s)-1].Hi == utf8.MaxRune {
		w.WriteByte('^')
		s = s.Complement()
	}
	if len(s.Intersect(surrogates)) > 0 {
		s = s.Minus(surrogates)
	}
	for _, r := range s {
		w.char(r.Lo)
		if r.Hi > r.Lo+1 {
			w.WriteByte('-')
		}
		if r.Hi > r.Lo {
			w.char(r.Hi)
		}
	}
	w.WriteByte(']')
}

// char prints a character that stands for itself, also within a class.
func (w *regexWriter) char(r rune) {
	switch {
	case r == '\n':
		w.WriteString(`\n`)
	case r == '\t':
		w.WriteString(`\t`)
	case r == '\r':
		w.WriteString(`\r`)
	case strings.ContainsRune(`\/.+*?()|[]{}^$-&~#`, r):
		w.WriteByte('\\')
		w.WriteRune(r)
	case r < ' ' || r >= 0x7F && r < 0xA0 || r == utf8.RuneError || r == utf8.MaxRune:
		fmt.Fprintf(w, `\x{%X}`, r)
	default:
		w.WriteRune(r)
	}
}
