package match_test

import (
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// TestChunkingDoesNotMatter runs random programs over outputs that more or less follow them, cut in every way.
func TestChunkingDoesNotMatter(t *testing.T) {
	shared.Slow(t)
	for seed := range uint64(400) {
		g := newGenerator(seed)
		p := g.program()
		code := compile(t, p)
		for range 4 {
			everySplit(t, code, output{text: g.output(12), truncated: g.IntN(2) == 0})
			everySplit(t, code, output{text: g.mutate(g.sample(p)), truncated: g.IntN(2) == 0})
		}
	}
}

// FuzzChunks feeds any output, cut anywhere, to one of the programs of the tests. Only programs that begin with a prompt get
// one: the others would deliver it.
func FuzzChunks(f *testing.F) {
	names := []string{"json calls", "tagged calls", "python calls", "nested calls", "late names", "the rest"}
	var codes []*match.Code
	var prompts []string
	for _, name := range names {
		p, prompt := programs()[name], ""
		if slices.ContainsFunc(p.Nodes, func(n peg.Node) bool { return n.Op == peg.Prompt }) {
			prompt = "<a>"
		}
		codes, prompts = append(codes, compile(f, p.Bind(prompt))), append(prompts, prompt)
	}
	f.Add(uint8(0), "<think>hm</think>a<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>", uint64(1))
	f.Add(uint8(1), "<tool_call><function=f><parameter=a>1</parameter></function></tool_call>", uint64(2))
	f.Add(uint8(2), "<calls>[f(a=1, b='x')]</calls>", uint64(3))
	f.Add(uint8(3), "<call f><k>a</k><l><s>x</s><v>1</v></l></call>", uint64(4))
	f.Add(uint8(4), "<call>#1 {\"a\": 1} to f</call>", uint64(5))
	f.Add(uint8(5), "a <b>\n", uint64(6))
	f.Fuzz(func(t *testing.T, program uint8, text string, cuts uint64) {
		if len(text) > 4096 {
			return
		}
		n := int(program) % len(codes)
		o, code := output{prompt: prompts[n], text: text}, codes[n]
		want, _ := parse(t, code, o, nil)
		var at []int
		for i := 1; i < len(text); i++ {
			if cuts>>(i%61)&1 == 1 {
				at = append(at, i)
			}
		}
		if got, _ := parse(t, code, o, at); got.String() != want.String() {
			t.Fatalf("cut at %v:\n got %v\nwant %v", at, got, want)
		}
	})
}

// FuzzPrograms generates programs and outputs from a seed.
func FuzzPrograms(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := newGenerator(seed)
		p := g.program()
		everySplit(t, compile(t, p), output{text: g.mutate(g.sample(p)), truncated: g.IntN(2) == 0})
	})
}

// FuzzCompile takes any bytes for a program. It is refused or runs, and does no harm.
func FuzzCompile(f *testing.F) {
	f.Add([]byte{byte(peg.Sequence), 2, 1, 2, byte(peg.Literal), 3, byte(peg.End)}, "abc")
	f.Add([]byte{byte(peg.Repeat), 0, 1, byte(peg.Choice), 2, 2, 0, byte(peg.End)}, "")
	f.Add([]byte{byte(peg.Rule), 1, 0}, "x")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		p := decode(data)
		if p.String() == "" {
			t.Error("nothing printed")
		}
		code, err := match.Compile(p, match.Options{})
		if (p.Validate() == nil) != (err == nil) {
			return // too large
		}
		if err == nil && len(text) < 256 {
			findings(t, p)
			everySplit(t, code, output{text: text})
		}
	})
}

// decode decodes any bytes as a program: for each node its kind, and then its fields.
func decode(data []byte) *peg.Program {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	p := &peg.Program{Root: peg.ID(next() % 4)}
	for len(data) > 0 && len(p.Nodes) < 64 {
		n := peg.Node{Op: peg.Op(next() % int(peg.Prompt+2))}
		text := alphabet[next()%len(alphabet)]
		switch n.Op {
		case peg.Literal, peg.Rule, peg.Trigger, peg.StringContent:
			n.Text = text
		case peg.Until, peg.Prompt:
			n.Delims = []string{text, alphabet[next()%len(alphabet)]}[:next()%3]
		case peg.Chars:
			n.Ranges, n.Negated = []peg.Range{{Lo: 'a', Hi: rune('a' + next()%20)}}, next()%2 == 0
		case peg.Value:
			n.Values = peg.Values(next())
		case peg.Tag:
			n.Role = peg.Role(next() % int(peg.Scalar+2))
		}
		if n.Op == peg.Chars || n.Op == peg.Repeat {
			n.Min, n.Max = next()%4, next()%6-1
		}
		for range next() % 4 {
			n.Kids = append(n.Kids, peg.ID(next()%32-1))
		}
		p.Nodes = append(p.Nodes, n)
	}
	return p
}
