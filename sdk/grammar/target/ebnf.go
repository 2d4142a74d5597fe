package target

import (
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
)

// ebnf returns one grammar for the whole output, which SGLang reads as "ebnf" and vLLM as
// "grammar". If lazy, it begins with text that contains no trigger word.
func (tr *translation) ebnf(c Constraint) (string, error) {
	g := tr.grammar
	if !c.Lazy {
		return tr.print(g.Root), nil
	}
	delims, err := tr.triggerWords(c.Triggers)
	if err != nil {
		return "", err
	}
	b := words.NewWriter(g.Names(), nil)
	b.Work = tr.work
	return tr.print(g.StartingAt(cfg.Seq(b.Until(delims), cfg.Optional(g.Root.Call())))), nil
}

// print prints a grammar for xgrammar, which reads all hexadecimal digits after \x, and four after
// \u.
func (tr *translation) print(root *cfg.Rule) string {
	p := cfg.Printer{Any: `[^\u0000]`, Code: `\u%04X`, Work: tr.work}
	p.Class = func(s charset.Set) *cfg.Expr { return tr.ascii(s) }
	return p.Grammar(root)
}

// maxSpelled bounds the characters of a class that are written one by one.
const maxSpelled = 64

var beyondASCII = charset.Set{{Lo: utf8.RuneSelf, Hi: utf8.MaxRune}}

// ascii returns a replacement for a class with characters beyond ASCII, which xgrammar up to 0.1.27
// reads incorrectly: [à-ü] matches nothing, and [^｜] any character. A few such characters are
// written one by one; a class that excludes a few accepts them instead.
func (tr *translation) ascii(s charset.Set) *cfg.Expr {
	beyond := s.Intersect(beyondASCII)
	if len(beyond) == 0 || slices.Equal(beyond, beyondASCII) {
		return &cfg.Expr{Op: cfg.OpClass, Set: s}
	}
	if beyond.Size() > maxSpelled {
		tr.notes.Add("characters beyond ASCII are not distinguished in %s", notes.Clip(cfg.ClassText(s)))
		return &cfg.Expr{Op: cfg.OpClass, Set: s.Union(beyondASCII)}
	}
	kids := []*cfg.Expr{cfg.Class(s.Minus(beyondASCII))}
	for _, r := range beyond {
		for c := r.Lo; c <= r.Hi; c++ {
			kids = append(kids, cfg.Chars(charset.Range{Lo: c, Hi: c}))
		}
	}
	return cfg.Alt(kids...)
}
