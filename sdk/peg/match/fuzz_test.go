package match_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// TestChunkingDoesNotMatter runs random programs over random outputs, cut in every way.
func TestChunkingDoesNotMatter(t *testing.T) {
	valid := 0
	for seed := range uint64(3000) {
		g := newGenerator(seed)
		p := g.program()
		code, err := match.Compile(p, match.Options{})
		if err != nil {
			continue
		}
		valid++
		for range 8 {
			everySplit(t, code, output{text: g.output(20)})
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if valid < 1000 {
		t.Errorf("only %d of the programs are valid", valid)
	}
}
