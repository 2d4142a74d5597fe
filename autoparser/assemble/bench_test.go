package assemble_test

import (
	"fmt"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// BenchmarkPlan measures the cost of a request before its first token, by the number of its tools.
func BenchmarkPlan(b *testing.B) {
	const parameters = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"boolean"},` +
		`"d":{"type":"array","items":{"type":"string"}},"e":{"type":["string","null"]}},"required":["a","b"]}`
	for _, name := range []string{"JSON in tags", "tags with lines"} {
		for _, n := range []int{1, 20, 200} {
			in := named(b, name).input(func(r *chat.Request) {
				r.Tools = nil
				for i := range n {
					r.Tools = append(r.Tools, chat.Tool{Name: fmt.Sprintf("tool_%d", i), Parameters: jsonschema.MustParse(parameters)})
				}
			})
			b.Run(fmt.Sprintf("%s/%d/assemble", name, n), func(b *testing.B) {
				nodes := 0
				for b.Loop() {
					a := assemble.Assemble(in)
					nodes = len(a.Program.Nodes)
				}
				b.ReportMetric(float64(nodes), "nodes")
			})
			a := assemble.Assemble(in)
			b.Run(fmt.Sprintf("%s/%d/compile", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := match.Compile(a.Program, match.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/%d/constrain", name, n), func(b *testing.B) {
				size := 0
				for b.Loop() {
					c, err := grammar.Build(a.Program, grammar.Options{Mode: a.Grammar, Prompt: in.GenerationPrompt})
					if err != nil {
						b.Fatal(err)
					}
					size = len(c.Grammar)
				}
				b.ReportMetric(float64(size), "bytes")
			})
		}
	}
}
