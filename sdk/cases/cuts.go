package cases

import (
	"fmt"
	"iter"
	"math/rand/v2"
)

// Cut is a way to cut an output into pieces.
type Cut struct {
	// Name is "whole", "byte by byte", or for example "random cut 3 of seed 7".
	Name string
	// next returns a function that returns the lengths of successive pieces; nil for one piece.
	next func() func() int
}

// Cuts returns the cuts with which a case must be tried: whole, byte by byte, and a number of random ones, which the seed
// determines.
func Cuts(random int, seed uint64) []Cut {
	cuts := []Cut{
		{Name: "whole"},
		{Name: "byte by byte", next: func() func() int { return func() int { return 1 } }},
	}
	for i := range random {
		cuts = append(cuts, Cut{
			Name: fmt.Sprintf("random cut %d of seed %d", i+1, seed),
			next: func() func() int { return lengths(rand.New(rand.NewPCG(seed, uint64(i)))) },
		})
	}
	return cuts
}

// lengths returns a function that draws lengths of pieces as engines send them: mostly a few bytes, sometimes many.
func lengths(source *rand.Rand) func() int {
	return func() int {
		if source.IntN(8) == 0 {
			return 1 + source.IntN(64)
		}
		return 1 + source.IntN(6)
	}
}

// Pieces iterates over the pieces of the output, which are parts of it, not copies.
func (c Cut) Pieces(output []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		length := func() int { return len(output) }
		if c.next != nil {
			length = c.next()
		}
		for len(output) > 0 {
			n := min(length(), len(output))
			if !yield(output[:n]) {
				return
			}
			output = output[n:]
		}
	}
}
