package target

import (
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
)

// ebnf is the constraint as one grammar for the whole output: what SGLang takes as "ebnf" and vLLM as "grammar". A lazy one
// begins with text that contains no trigger word.
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
	return tr.print(g.StartingAt(cfg.Seq(b.Until(delims), cfg.Optional(g.Root.Call())))), nil
}

// print prints a grammar for xgrammar, which after \x reads as many hexadecimal digits as follow, and after \u four.
func (tr *translation) print(root *cfg.Rule) string {
	p := cfg.Printer{Any: `[^\u0000]`, Code: `\u%04X`}
	p.Class = func(s charset.Set) *cfg.Expr { return tr.ascii(s) }
	return p.Grammar(root)
}

// maxSpelled bounds the characters that are spelled one by one in place of a class.
const maxSpelled = 64

var beyondASCII = charset.Set{{Lo: utf8.RuneSelf, Hi: utf8.MaxRune}}

// ascii is one character of s without a class that names characters beyond ASCII, which xgrammar up to 0.1.27 reads wrongly:
// it takes [à-ü] for nothing, and [^｜] for any character. A few such characters are spelled one by one; a class that leaves
// out a few lets them pass.
func (tr *translation) ascii(s charset.Set) *cfg.Expr {
	beyond := s.Intersect(beyondASCII)
	if len(beyond) == 0 || slices.Equal(beyond, beyondASCII) {
		return &cfg.Expr{Op: cfg.OpClass, Set: s}
	}
	if beyond.Size() > maxSpelled {
		tr.notes.Add("characters beyond ASCII are not told apart in %s", notes.Clip(cfg.ClassText(s)))
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
