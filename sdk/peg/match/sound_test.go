package match_test

import (
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/sound"
)

func findings(t testing.TB, p *peg.Program) []sound.Finding {
	t.Helper()
	found, err := sound.Check(p)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSoundProgramsParseAsPEGs compares the machine with a parser that sees the whole text before it decides anything.
// On programs without findings they agree: whatever the one matches, the other matches and understands the same way. Output
// that ends within the format is the exception: there the machine delivers what it has.
func TestSoundProgramsParseAsPEGs(t *testing.T) {
	shared.Slow(t)
	sound, matched := 0, 0
	for seed := range uint64(800) {
		g := newGenerator(seed)
		p := g.program()
		code := compile(t, p)
		if len(findings(t, p)) > 0 {
			continue
		}
		sound++
		for range 8 {
			text := g.mutate(g.sample(p))
			var want transcript
			ok := plainPEG(p, text, want.sink)
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

// TestWitnessesShowTheDifference follows a witness: a program with a finding answers differently from a parser that
// decides at the end, and one without does not.
func TestWitnessesShowTheDifference(t *testing.T) {
	var b peg.Builder
	p := b.Build(b.Seq(b.Choice(
		b.Seq(b.Tag(peg.Content, b.Until("<a>", "<b>")), b.Lit("<a>")),
		b.Seq(b.Tag(peg.Content, b.Until("<b>")), b.Lit("<b>"))), b.End()))
	code := compile(t, p)
	found := findings(t, p)
	if len(found) != 1 {
		t.Fatal(found)
	}
	text := found[0].Witness + "<b>"
	var all transcript
	if !plainPEG(p, text, all.sink) {
		t.Errorf("%q does not match", text)
	}
	if _, r := everySplit(t, code, output{text: text}); r.Status != chat.Malformed {
		t.Errorf("%q: %s", text, r.Status)
	}
}

// TestProgramsOfTheTestsCommitSoundly checks the programs of the other tests.
func TestProgramsOfTheTestsCommitSoundly(t *testing.T) {
	for name, p := range programs() {
		if found := findings(t, p.Bind("")); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}
