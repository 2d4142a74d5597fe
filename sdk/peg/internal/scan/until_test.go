package scan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// TestManyDelimitersAreFoundLikeFew looks for more delimiters than are compared one after the other, and for the same few at a time.
func TestManyDelimitersAreFoundLikeFew(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab\xff"[random.IntN(3)]
		}
		return string(b)
	}
	specials := NewSpecials([]string{"aab", "bb"})
	for range 300 {
		var delims []string
		for range maxCompared + 1 + random.IntN(20) {
			delims = append(delims, letters(3+random.IntN(5)))
		}
		many := NewUntil(delims, &specials)
		b := []byte(letters(random.IntN(12)))
		var tokens Tokens
		if len(b) > 4 && random.IntN(2) == 0 {
			tokens.Add(0, len(b), []Range{{1, 3}})
		}
		for i := range b {
			want := Failed
			for _, d := range delims {
				if o := NewUntil([]string{d}, &specials).match(b[i:], i, &tokens); o == Matched || o == Hungry && want == Failed {
					want = o
				}
			}
			if got := many.match(b[i:], i, &tokens); got != want && (want != Failed || many.first[b[i]]) {
				t.Fatalf("%q at %d of %q: %v, want %v", delims, i, b, got, want)
			}
		}
	}
}

func TestAClassHasTheCharactersOfItsRanges(t *testing.T) {
	t.Parallel()
	ranges := []peg.Range{{Lo: 'x', Hi: 'z'}, {Lo: 'a', Hi: 'm'}, {Lo: 'c', Hi: 'd'}, {Lo: 'é', Hi: 'é'}, {Lo: 'k', Hi: 'n'}}
	for _, negated := range []bool{false, true} {
		c := NewClass(ranges, negated)
		for r := range rune(0x200) {
			in := negated
			for _, g := range ranges {
				if r >= g.Lo && r <= g.Hi {
					in = !negated
				}
			}
			if c.Accepts(r) != in {
				t.Errorf("negated %v: %q: %v", negated, r, !in)
			}
		}
	}
}

// BenchmarkUntilOfManyDelimiters looks for delimiters that all begin like the text.
func BenchmarkUntilOfManyDelimiters(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		var delims []string
		for i := range n {
			delims = append(delims, fmt.Sprintf("aaaa%d", i))
		}
		var none Specials
		u, text := NewUntil(delims, &none), make([]byte, 1000)
		for i := range text {
			text[i] = 'a'
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				u.Find(text, 0, new(Tokens))
			}
		})
	}
}
