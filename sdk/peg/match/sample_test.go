package match_test

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// sample returns a random output that program p is likely to match: it follows the program and chooses at random.
func (g *generator) sample(p *peg.Program) string {
	var b strings.Builder
	g.write(&b, p, p.Root, 0)
	return b.String()
}

func (g *generator) write(b *strings.Builder, p *peg.Program, id peg.ID, depth int) {
	n := &p.Nodes[id]
	if depth > 40 {
		return
	}
	switch n.Op.Shape() {
	case peg.Chain:
		for _, k := range n.Kids {
			g.write(b, p, k, depth+1)
		}
	case peg.Alternatives:
		g.write(b, p, n.Kids[g.IntN(len(n.Kids))], depth+1)
	case peg.Loop:
		times := n.Min + g.IntN(3)
		if n.Max >= 0 {
			times = min(times, n.Max)
		}
		for range times {
			g.write(b, p, n.Kids[0], depth+1)
		}
	case peg.Wrapper:
		g.write(b, p, n.Kids[0], depth+1)
	case peg.Lookahead:
	default:
		b.WriteString(g.leaf(n))
	}
}

var (
	sampleTexts  = []string{"", "x", "ab", "hello", " a\n", "é", "<", "a <b", "{", `say "hi"`, "</a", "\n"}
	sampleValues = []struct {
		kind  peg.Values
		texts []string
	}{
		{peg.ObjectValue, []string{`{}`, `{"a": 1}`, "{\n\"a\": [true, null, \"x\\\"<a>\"], \"b\": {\"c\": -1.5e3}}"}},
		{peg.ArrayValue, []string{`[]`, `[1, "a"]`}},
		{peg.StringValue, []string{`""`, `"a b"`, `"\u00e9\n"`}},
		{peg.NumberValue, []string{"0", "-12.5", "1e3"}},
		{peg.BoolValue, []string{"true", "false"}},
		{peg.NullValue, []string{"null"}},
		{peg.PythonLiterals, []string{"True", "False", "None", "[None, True]"}},
		{peg.PythonQuotes, []string{"'it'", `{'a': 'say "b"'}`}},
	}
)

// leaf returns a text that a leaf matches, or nearly.
func (g *generator) leaf(n *peg.Node) string {
	switch n.Op {
	case peg.Literal:
		return n.Text
	case peg.Space:
		return []string{"", " ", "\n", " \n\t"}[g.IntN(4)]
	case peg.Any:
		return []string{"x", "é", "<"}[g.IntN(3)]
	case peg.Chars:
		return strings.Repeat("a", n.Min+g.IntN(3))
	case peg.Until, peg.StringContent:
		return sampleTexts[g.IntN(len(sampleTexts))]
	case peg.Value:
		var all []string
		for _, sample := range sampleValues {
			if n.Values&sample.kind != 0 {
				all = append(all, sample.texts...)
			}
		}
		return all[g.IntN(len(all))]
	}
	return ""
}

// mutate damages a text in a few places.
func (g *generator) mutate(t string) string {
	for range g.IntN(4) {
		at := g.IntN(len(t) + 1)
		end := min(len(t), at+g.IntN(6))
		switch g.IntN(4) {
		case 0:
			t = t[:at] + t[end:]
		case 1:
			t = t[:at] + t[at:end] + t[at:]
		case 2:
			t = t[:at] + alphabet[g.IntN(len(alphabet))] + t[at:]
		case 3:
			t = t[:at]
		}
	}
	return t
}
