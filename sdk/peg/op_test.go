package peg_test

import (
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

// TestWordsAreKnownByTheirFirstByte: values are recognised byte by byte, without going back.
func TestWordsAreKnownByTheirFirstByte(t *testing.T) {
	seen := map[byte]string{}
	for _, w := range peg.AllNotations.Notation().Words {
		if other, ok := seen[w.Text[0]]; ok {
			t.Errorf("%s and %s begin alike", w.Text, other)
		}
		seen[w.Text[0]] = w.Text
	}
}
