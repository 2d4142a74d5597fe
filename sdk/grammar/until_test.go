package grammar_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// word returns a random text over three characters, one of them not ASCII.
func word(random *rand.Rand, length int) string {
	var b strings.Builder
	for range length {
		b.WriteRune([]rune("ab｜")[random.IntN(3)])
	}
	return b.String()
}

func TestTextUpToDelimitersContainsNoneOfThem(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		var delims []string
		for range random.IntN(3) + 1 {
			delims = append(delims, word(random, random.IntN(4)+1))
		}
		var b peg.Builder
		g, c := build(t, b.Build(b.Until(delims...)), grammar.Options{Mode: grammar.Strict})
		for range 50 {
			text := word(random, random.IntN(9))
			free := !slices.ContainsFunc(delims, func(d string) bool { return strings.Contains(text, d) })
			if accepted := g.Match(text).Status == grammar.Accepted; accepted != free {
				t.Fatalf("up to %q: %q: accepted %v\n%s", delims, text, accepted, c.Grammar)
			}
		}
	}
}

func TestTextEndsAtTheFirstDelimiter(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		delim := word(random, random.IntN(4)+1)
		var b peg.Builder
		g, c := build(t, b.Build(b.Seq(b.Until(delim), b.Lit(delim+"!"))), grammar.Options{Mode: grammar.Strict})
		for range 50 {
			text := word(random, random.IntN(6)) + delim
			first := strings.Index(text, delim) == len(text)-len(delim)
			if accepted := g.Match(text+"!").Status == grammar.Accepted; accepted != first {
				t.Fatalf("up to %q: %q: accepted %v\n%s", delim, text, accepted, c.Grammar)
			}
		}
	}
}
