package assemble_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/sdk/peg/sound"
)

// A commitment may drop an alternative that could still match in two cases only:
//
//   - the closed header of a call or of an argument decides: what follows is parsed as its arguments,
//     or is malformed, and is not taken for prose again;
//   - the first byte of an object or array decides that the value is one, not text, and not missing.
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
