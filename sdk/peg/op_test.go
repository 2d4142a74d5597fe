package peg_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

func TestEachKindHasANameOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for op := peg.Empty; op <= peg.Prompt; op++ {
		if name := op.String(); name == "" || seen[name] {
			t.Errorf("kind %d is named %q", op, name)
		}
		seen[op.String()] = true
	}
	if unknown := peg.Prompt + 1; unknown.String() != "20" || unknown.Shape() != peg.Leaf {
		t.Errorf("the first unknown kind is %s, of shape %d", unknown, unknown.Shape())
	}
}

// TestNoWordBeginsAnother: values are recognised byte by byte, and a word ends with its last one.
func TestNoWordBeginsAnother(t *testing.T) {
	words := peg.AllNotations.Notation().Words
	for i, w := range words {
		for j, other := range words {
			if i != j && strings.HasPrefix(other.Text, w.Text) {
				t.Errorf("%s begins %s", w.Text, other.Text)
			}
		}
	}
}
