package match_test

import (
	"math/rand/v2"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// generator generates random programs, most of them valid, and outputs that resemble what they match.
type generator struct {
	*rand.Rand
	peg.Builder
	words []string // the texts of the program, from which outputs are built
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
}

var alphabet = []string{"<a>", "<b>", "<ab>", "</a>", "<", "x", "ab", " ", "\n", `"`, "{", "}", "1", "é", "[", "<a", "true"}

func (g *generator) word() string {
	w := alphabet[g.IntN(len(alphabet))]
	if g.IntN(4) == 0 {
		w += alphabet[g.IntN(len(alphabet))]
	}
	g.words = append(g.words, w)
	return w
}

func (g *generator) marker() peg.ID { return g.Lit(g.word()) }

// program returns a sequence of speech, calls and other things, up to the end of the input.
func (g *generator) program() *peg.Program {
	kids := []peg.ID{}
	for range 1 + g.IntN(5) {
		kids = append(kids, g.item(3))
	}
	return g.Build(g.Seq(append(kids, g.End())...))
}

// item returns an expression outside calls.
func (g *generator) item(depth int) peg.ID {
	switch g.IntN(9) {
	case 0, 1:
		return g.Tag(peg.Content, g.text())
	case 2:
		return g.Tag(peg.Reasoning, g.text())
	case 3, 4:
		return g.Trigger("call", g.call())
	}
	return g.compound(depth, func() peg.ID { return g.item(depth - 1) })
}

// compound combines expressions returned by sub.
func (g *generator) compound(depth int, sub func() peg.ID) peg.ID {
	if depth <= 0 {
		return g.text()
	}
	switch g.IntN(10) {
	case 0, 1:
		return g.Seq(sub(), sub())
	case 2, 3:
		return g.Choice(sub(), sub(), sub())
	case 4:
		return g.Star(g.marker(), sub())
	case 5:
		return g.Star(sub(), g.marker())
	case 6:
		return g.Optional(sub())
	case 7:
		return g.Seq(g.Not(g.text()), sub())
	case 8:
		return g.Seq(g.Peek(g.text()), sub())
	}
	return g.Atomic(sub())
}

// text returns an expression without a role.
func (g *generator) text() peg.ID {
	switch g.IntN(9) {
	case 0, 1:
		return g.Until(g.word(), g.word())
	case 2:
		return g.Space()
	case 3:
		return g.Chars(g.IntN(3), 3+g.IntN(3), peg.Range{Lo: 'a', Hi: 'z'}, peg.Range{Lo: 'é', Hi: 'é'})
	case 4:
		return g.NotChars(g.IntN(2), -1, peg.Range{Lo: '<', Hi: '<'})
	case 5:
		return g.Value([]peg.Values{peg.AnyJSON, peg.AnyPython, peg.ObjectValue, peg.NumberValue}[g.IntN(4)])
	case 6:
		return g.StringContent(`"`)
	}
	return g.marker()
}

// call returns a call whose name comes first.
func (g *generator) call() peg.ID {
	name := g.Atomic(g.marker(), g.Tag(peg.CallName, g.NotChars(1, 8, peg.Range{Lo: '<', Hi: '<'}, peg.Range{Lo: ' ', Hi: ' '})), g.marker())
	if g.IntN(4) == 0 {
		id := g.Tag(peg.CallID, g.Optional(g.marker()), g.Tag(peg.CallName, g.Chars(1, 3, peg.Range{Lo: 'a', Hi: 'z'})), g.text())
		name = g.Atomic(g.marker(), id, g.marker())
	}
	if g.IntN(3) == 0 {
		return g.Tag(peg.Call, name, g.Tag(peg.Arguments, g.Value(peg.ObjectValue)), g.marker())
	}
	value := func() peg.ID {
		switch g.IntN(3) {
		case 0:
			return g.Tag(peg.String, g.text())
		case 1:
			return g.Tag(peg.QuotedString, g.StringContent(`"`))
		}
		return g.Tag(peg.Scalar, g.Value(peg.AnyPython))
	}
	key := g.Atomic(g.marker(), g.Tag(peg.Key, g.text()), g.marker())
	argument := g.Seq(key, g.compound(1, value), g.marker())
	return g.Tag(peg.Call, name, g.Star(argument), g.marker())
}

// output returns a random text of up to n words, most of them from the program.
func (g *generator) output(n int) string {
	var b strings.Builder
	for range g.IntN(n + 1) {
		if len(g.words) > 0 && g.IntN(5) > 0 {
			b.WriteString(g.words[g.IntN(len(g.words))])
		} else {
			b.WriteString(alphabet[g.IntN(len(alphabet))])
		}
	}
	return b.String()
}
