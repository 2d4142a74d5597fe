package match_test

import (
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// TestSoundProgramsParseAsPEGs compares the machine with a parser that sees the whole text before it decides anything.
// On programs without findings they agree: whatever the one matches, the other matches and understands the same way.
// Only output that ends within the format is a matter of its own: there the machine keeps what it has.
func TestSoundProgramsParseAsPEGs(t *testing.T) {
	sound, matched := 0, 0
	for seed := range uint64(800) {
		g := newGenerator(seed)
		p := g.program()
		code := compile(t, p)
		if len(match.Check(code)) > 0 {
			continue
		}
		sound++
		for range 8 {
			text := g.mutate(g.sample(p))
			var want transcript
			ok := match.PlainPEG(p, text, want.sink)
			got, report := parse(t, code, output{text: text}, nil)
			if ok {
				matched++
			}
			if ok && report.Status == chat.Truncated {
				continue
			}
			if ok != (report.Status == chat.Complete) || ok && !slices.Equal(got, want) {
				t.Fatalf("seed %d, %q:\n got %v, %+v\nwant %v, %v\n%s", seed, text, got, report, want, ok, p)
			}
		}
	}
	if sound < 300 || matched < 300 {
		t.Errorf("only %d programs without findings, %d matches", sound, matched)
	}
}
