package algebra

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTheDocumentNamesEveryKeyword(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/constraints.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range slices.Concat(NotHeld, Unevaluated, slices.Collect(maps.Keys(keywordKinds))) {
		if w != Conditioned && !strings.Contains(string(text), "`"+w+"`") {
			t.Errorf("docs/constraints.md does not name %s", w)
		}
	}
}
