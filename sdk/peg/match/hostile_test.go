package match_test

import (
	"fmt"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// TestCompilingEndsWhateverIsShared compiles programs of few nodes whose unrolling would take for ever.
func TestCompilingEndsWhateverIsShared(t *testing.T) {
	t.Parallel()
	double := func(b *peg.Builder, leaf peg.ID) peg.ID {
		for range 60 {
			leaf = b.Seq(leaf, leaf)
		}
		return leaf
	}
	for name, program := range map[string]func(*peg.Builder) peg.ID{
		"texts":        func(b *peg.Builder) peg.ID { return double(b, b.Lit("a")) },
		"nothing":      func(b *peg.Builder) peg.ID { return double(b, b.Empty()) },
		"repetitions":  func(b *peg.Builder) peg.ID { return double(b, b.Repeat(peg.MaxRepeat, peg.MaxRepeat, b.Empty())) },
		"alternatives": func(b *peg.Builder) peg.ID { return double(b, b.Choice(b.Lit("a"), b.Lit("b"))) },
	} {
		var b peg.Builder
		_, err := match.Compile(b.Build(b.Seq(program(&b), b.End())), match.Options{})
		if err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

// BenchmarkHostileCode compiles programs near the limits of the validator; each takes time in proportion to its nodes.
func BenchmarkHostileCode(b *testing.B) {
	for name, program := range map[string]func(*peg.Builder, int) peg.ID{
		"choices nested to the left": func(b *peg.Builder, n int) peg.ID {
			at := b.Lit("a")
			for i := range n {
				at = b.Choice(at, b.Lit(fmt.Sprint(i)))
			}
			return at
		},
		"triggers deep in choices": func(b *peg.Builder, n int) peg.ID {
			at := b.Lit("x")
			for i := range n {
				at = b.Choice(b.Seq(b.Trigger(fmt.Sprint("t", i), b.Lit("y")), at), b.Lit("z"))
			}
			return at
		},
		"calls that share a beginning": func(b *peg.Builder, n int) peg.ID {
			var blanks, calls []peg.ID
			for range n {
				blanks = append(blanks, b.Space())
			}
			shared := b.Rule("shared", b.Seq(blanks...))
			for range n {
				calls = append(calls, b.Tag(peg.Call, b.Seq(shared, b.Tag(peg.CallName, b.Lit("f")))))
			}
			return b.Choice(calls...)
		},
	} {
		for _, n := range []int{4_000, 8_000, 16_000} {
			var builder peg.Builder
			p := builder.Build(builder.Seq(program(&builder, n), builder.End()))
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				for b.Loop() {
					if _, err := match.Compile(p, match.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
