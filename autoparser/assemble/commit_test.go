package assemble_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/peg/sound"
)

// TestCommitmentsAreMeant checks the commitments that drop an alternative that could still match.
// Only two kinds may:
//
//   - a complete header of a call or of an argument: what follows is parsed as its arguments or is
//     malformed, and is never reconsidered as prose;
//   - the first byte of an object or array: the value is one, and neither text nor missing.
func TestCommitmentsAreMeant(t *testing.T) {
	shared.Slow(t)
	for _, name := range []string{"JSON with the name as key", "JSON in a function tag", "tags for name and value"} {
		findings, err := sound.Check(assemble.Assemble(named(t, name).input()).Program)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Header || f.Unsure {
				continue
			}
			if last := f.Witness[len(f.Witness)-1]; last != '{' && last != '[' {
				t.Errorf("%s: %v", name, f)
			}
		}
	}
}
