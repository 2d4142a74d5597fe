package assemble_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/sdk/peg/sound"
)

// A commitment that drops an alternative which could still match is meant in two cases, and there are no others:
//
//   - the closed header of a call or of an argument decides: what follows is read as its arguments, or is at fault, and
//     is not taken for prose again;
//   - the first byte of an object or array decides that the value is one, and not text, nor missing.
func TestCommitmentsAreMeant(t *testing.T) {
	for _, name := range []string{"JSON with the name as key", "JSON in a function tag", "tags for name and value"} {
		findings, err := sound.Check(assemble.Assemble(named(t, name).input()).Program)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			last := f.Witness[len(f.Witness)-1]
			if !f.Header && !f.Unsure && last != '{' && last != '[' {
				t.Errorf("%s: %v", name, f)
			}
		}
	}
}
