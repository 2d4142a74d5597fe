package grammar

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// xgrammar does not know GBNF's dot, or triggers beside a grammar. What it takes instead is made of the constraint itself,
// so that all engines hold to the same grammar.

// structuralTag is xgrammar's way to say which parts of an output follow which grammar.
type structuralTag struct {
	Type   string `json:"type"` // structural_tag
	Format format `json:"format"`
}

// format is one part; which fields it has depends on Type.
type format struct {
	Type           string   `json:"type"`
	Grammar        string   `json:"grammar,omitempty"`
	Triggers       []string `json:"triggers,omitempty"`
	Tags           []tag    `json:"tags,omitempty"`
	StopAfterFirst bool     `json:"stop_after_first,omitempty"`
}

type tag struct {
	Type    string `json:"type"` // tag
	Begin   string `json:"begin"`
	Content format `json:"content"`
	End     string `json:"end"`
}

// structuralTag is the constraint as a structural tag, the JSON that vLLM and SGLang take as "structural_tag". A lazy one
// lets any text pass until a trigger word.
func (tr *translation) structuralTag(c *Constraint) (string, error) {
	out := structuralTag{Type: "structural_tag"}
	if c.Lazy {
		f, err := tr.triggered(c.Triggers)
		if err != nil {
			return "", err
		}
		out.Format = f
	} else {
		out.Format = format{Type: "grammar", Grammar: tr.print(tr.grammar.root)}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(out)
	return string(bytes.TrimSpace(b.Bytes())), err
}

// triggered is free text, and the grammar from the first trigger to the end. What begins a tag is no part of its content.
func (tr *translation) triggered(triggers []Trigger) (format, error) {
	words, err := tr.triggerWords(triggers)
	if err != nil {
		return format{}, err
	}
	f := format{Type: "triggered_tags", Triggers: words, StopAfterFirst: true}
	for _, w := range words {
		rest, err := tr.behind(w)
		if err != nil {
			return format{}, err
		}
		content := format{Type: "grammar", Grammar: tr.print(tr.grammar.beginning(rest))}
		f.Tags = append(f.Tags, tag{Type: "tag", Begin: w, Content: content})
	}
	return f, nil
}

// ebnf is the constraint as one grammar for the whole output: what SGLang takes as "ebnf" and vLLM as "grammar". A lazy one
// begins with text that contains no trigger word.
func (tr *translation) ebnf(c *Constraint) (string, error) {
	g := tr.grammar
	if !c.Lazy {
		return tr.print(g.root), nil
	}
	words, err := tr.triggerWords(c.Triggers)
	if err != nil {
		return "", err
	}
	b := &builder{names: g.names(), untils: newUntils()}
	return tr.print(g.beginning(seq(b.until(words), optional(g.root.call())))), nil
}

// print prints a grammar for xgrammar, which after \x reads as many hexadecimal digits as follow, and after \u four.
func (tr *translation) print(root *rule) string {
	p := printer{dot: `[^\u0000]`, code: `\u%04X`}
	p.class = func(s charset) *expr { return tr.ascii(s) }
	return p.grammar(root)
}

// maxSpelled bounds the characters that are spelled one by one in place of a class.
const maxSpelled = 64

var beyondASCII = charset{{Lo: utf8.RuneSelf, Hi: utf8.MaxRune}}

// ascii is one character of s without a class that names characters beyond ASCII, which xgrammar up to 0.1.27 reads wrongly:
// it takes [à-ü] for nothing, and [^｜] for any character. A few such characters are spelled one by one; a class that leaves
// out a few lets them pass.
func (tr *translation) ascii(s charset) *expr {
	beyond := s.intersect(beyondASCII)
	if len(beyond) == 0 || slices.Equal(beyond, beyondASCII) {
		return &expr{op: class, set: s}
	}
	if size(beyond) > maxSpelled {
		tr.note("characters beyond ASCII are not told apart in %s", clip(classText(s)))
		return &expr{op: class, set: s.union(beyondASCII)}
	}
	kids := []*expr{oneOf(s.minus(beyondASCII))}
	for _, r := range beyond {
		for c := r.Lo; c <= r.Hi; c++ {
			kids = append(kids, chars(peg.Range{Lo: c, Hi: c}))
		}
	}
	return alt(kids...)
}

// size is the number of characters in s.
func size(s charset) int {
	n := 0
	for _, r := range s {
		n += int(r.Hi-r.Lo) + 1
	}
	return n
}
