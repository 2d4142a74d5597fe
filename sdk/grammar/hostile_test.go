package grammar

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// texts returns the numbers from 0 to n-1 in a format.
func texts(n int, format string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, i)
	}
	return out
}

// hostile are programs that try to cost more than their size.
var hostile = map[string]func(b *peg.Builder, n int) peg.ID{
	"delimiters": func(b *peg.Builder, n int) peg.ID {
		return b.Seq(b.Until(texts(n, "<tag-%07d>")...), b.End())
	},
	"delimiters that overlap": func(b *peg.Builder, n int) peg.ID {
		return b.Seq(b.Until(texts(n, "aa%da")...), b.Lit("x"), b.End())
	},
	"delimiters of other letters": func(b *peg.Builder, n int) peg.ID {
		var all []string
		for i := range n {
			all = append(all, string(rune(0x4E00+i))+"abcdefghijklmnop")
		}
		return b.Seq(b.Until(all...), b.End())
	},
	"a long delimiter": func(b *peg.Builder, n int) peg.ID {
		return b.Seq(b.Until(strings.Repeat("a", 5*n)+"b"), b.End())
	},
	"until after until": func(b *peg.Builder, n int) peg.ID {
		var kids []peg.ID
		for i := range n {
			kids = append(kids, b.Until(fmt.Sprintf("a%da", i)), b.Star(b.Lit("b")))
		}
		return b.Seq(append(kids, b.End())...)
	},
	"ranges": func(b *peg.Builder, n int) peg.ID {
		var ranges []peg.Range
		for i := range n {
			ranges = append(ranges, peg.Range{Lo: rune(0x100 + 2*i), Hi: rune(0x100 + 2*i)})
		}
		class := b.Chars(1, -1, ranges...)
		kids := []peg.ID{}
		for i := range n {
			kids = append(kids, b.Seq(b.Lit(fmt.Sprint(i)), class))
		}
		return b.Seq(b.Choice(kids...), b.End())
	},
	"a long literal in many places": func(b *peg.Builder, n int) peg.ID {
		long := b.Lit(strings.Repeat("long", n))
		kids := []peg.ID{}
		for i := range n {
			kids = append(kids, b.Seq(long, b.Chars(1, 1, peg.Range{Lo: rune(0x100 + i), Hi: rune(0x102 + i)})))
		}
		return b.Seq(b.Choice(kids...), b.End())
	},
	"triggers in a row": func(b *peg.Builder, n int) peg.ID {
		var kids []peg.ID
		for i := range n {
			kids = append(kids, b.Trigger(fmt.Sprint("t", i), b.Lit(fmt.Sprintf("<%d>", i))), b.Space())
		}
		return b.Seq(append(kids, b.End())...)
	},
	"optional triggers nested": func(b *peg.Builder, n int) peg.ID {
		at := b.Lit("x")
		for i := range n {
			at = b.Seq(b.Optional(b.Trigger(fmt.Sprint("t", i), b.Lit(fmt.Sprintf("<%d>", i)))), b.Optional(at))
		}
		return b.Seq(at, b.End())
	},
	"doubling of nothing": func(b *peg.Builder, n int) peg.ID {
		at := b.Empty()
		for range min(n/40, 22) {
			at = b.Seq(at, at)
		}
		return b.Seq(at, b.End())
	},
	"doubling": func(b *peg.Builder, n int) peg.ID {
		at := b.Choice(b.Lit("a"), b.Lit("b"))
		for range n {
			at = b.Seq(at, at)
		}
		return b.Seq(at, b.End())
	},
	"choices nested to the left": func(b *peg.Builder, n int) peg.ID {
		at := b.Lit("a")
		for i := range n {
			at = b.Choice(at, b.Lit(fmt.Sprint("b", i)))
		}
		return b.Seq(at, b.End())
	},
	"choices nested to the right": func(b *peg.Builder, n int) peg.ID {
		at := b.Lit("a")
		for i := range n {
			at = b.Choice(b.Lit(fmt.Sprint("b", i)), b.Seq(b.Lit("c"), at))
		}
		return b.Seq(at, b.End())
	},
	"optional in a row": func(b *peg.Builder, n int) peg.ID {
		var kids []peg.ID
		for i := range n {
			kids = append(kids, b.Optional(b.Lit(fmt.Sprint("b", i))))
		}
		return b.Seq(append(kids, b.End())...)
	},
	"stars nested": func(b *peg.Builder, n int) peg.ID {
		at := b.Lit("x")
		for i := range n {
			at = b.Seq(b.Lit(fmt.Sprint(i)), b.Optional(b.Star(b.Seq(b.Lit("y"), at))))
		}
		return b.Seq(at, b.End())
	},
	"calls that share a beginning": func(b *peg.Builder, n int) peg.ID {
		var blanks, calls []peg.ID
		for range n {
			blanks = append(blanks, b.Star(b.Lit("-")))
		}
		shared := b.Seq(blanks...)
		for i := range n {
			calls = append(calls, b.Tag(peg.Call, b.Seq(b.Lit(fmt.Sprintf("<%d>", i)), b.Rule("shared", shared), b.Tag(peg.CallName, b.Lit("f")), b.Lit("!"))))
		}
		return b.Seq(b.Choice(calls...), b.End())
	},
	"triggers deep in choices": func(b *peg.Builder, n int) peg.ID {
		at := b.Lit("x")
		for i := range n {
			at = b.Choice(b.Seq(b.Trigger(fmt.Sprint("t", i), b.Any()), at), b.Lit("y"))
		}
		return b.Seq(at, b.End())
	},
	"punctuation": func(b *peg.Builder, n int) peg.ID {
		var kids []peg.ID
		for range n {
			kids = append(kids, b.Choice(b.Lit(strings.Repeat("{", 100)), b.Lit(strings.Repeat("[", 100))))
		}
		return b.Seq(b.Trigger("t", b.Seq(kids...)), b.End())
	},
	"mutual rules": func(b *peg.Builder, n int) peg.ID {
		rules := make([]peg.ID, n)
		at := b.Lit("z")
		for i := range rules {
			at = b.Rule(fmt.Sprint("r", i), b.Seq(b.Lit(fmt.Sprint(i)), b.Until("<"), b.Optional(at), b.Lit("<")))
		}
		return b.Seq(at, b.End())
	},
}

// TestHostileProgramsCostWhatIsCounted compares the steps that are counted, which are bounded, with allocations: what grows faster than
// the program is refused in the end, rather than done beside the count.
func TestHostileProgramsCostWhatIsCounted(t *testing.T) {
	for name, program := range hostile {
		t.Run(name, func(t *testing.T) {
			var b peg.Builder
			p := b.Build(program(&b, 80))
			mode := Strict
			if slices.ContainsFunc(p.Nodes, func(n peg.Node) bool { return n.Op == peg.Trigger }) {
				mode = Lazy
			}
			for _, target := range []Target{TargetGBNF, TargetLark, TargetStructuralTag, TargetEBNF} {
				var steps int
				allocations := testing.AllocsPerRun(1, func() {
					m := NewMeter(t.Context())
					_, _ = BuildWithin(m, p, Options{Mode: mode, Target: target}) // it may be refused
					steps = m.Spent()
				})
				if most := 2*steps + 40*len(p.Nodes); int(allocations) > most {
					t.Errorf("%s: %.0f allocations at %d steps for %d nodes, want at most %d", target, allocations, steps, len(p.Nodes), most)
				}
			}
		})
	}
}

func TestNodesWithinEachOtherAreLimited(t *testing.T) {
	for _, tt := range []struct {
		depth int
		want  string
	}{{400, ""}, {1000, "program: node 3: more than 1000 nodes within each other; make rules of the inner ones"}} {
		var b peg.Builder
		_, err := Build(b.Build(hostile["doubling"](&b, tt.depth)), Options{Mode: Strict})
		if err != nil && err.Error() != tt.want || err == nil && tt.want != "" {
			t.Errorf("%d: error %v, want %q", tt.depth, err, tt.want)
		}
	}
}

// BenchmarkHostilePrograms reports what is allocated until a program is translated or refused.
func BenchmarkHostilePrograms(b *testing.B) {
	for name, program := range hostile {
		var builder peg.Builder
		p := builder.Build(program(&builder, 2000))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Build(p, Options{Mode: Strict, Target: TargetLark}) // it may be refused
			}
		})
	}
}
