package pattern

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTheDocumentNamesEveryFormat(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/constraints.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range slices.Concat(slices.Collect(maps.Keys(patternFormats)), slices.Collect(maps.Keys(ruleSpans))) {
		if !strings.Contains(string(text), "`"+w+"`") {
			t.Errorf("docs/constraints.md does not name %s", w)
		}
	}
}

func TestTheRegularExpressionsOfFormatsAreSupported(t *testing.T) {
	for name := range patternFormats {
		if _, err := Parse("^(?:" + patternFormats[name] + ")$"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
