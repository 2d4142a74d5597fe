package grammar

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTheDocumentNamesEveryKeywordAndFormat(t *testing.T) {
	text, err := os.ReadFile("../../docs/constraints.md")
	if err != nil {
		t.Fatal(err)
	}
	words := slices.Concat(notHeld, unevaluated, slices.Collect(maps.Keys(keywordKinds)), slices.Collect(maps.Keys(patternFormats)), slices.Collect(maps.Keys(ruleSpans)))
	for _, w := range words {
		if w != conditioned && !strings.Contains(string(text), "`"+w+"`") {
			t.Errorf("docs/constraints.md does not name %s", w)
		}
	}
}

func TestFormatsAreRegularExpressionsThatAreUnderstood(t *testing.T) {
	for name := range patternFormats {
		if _, err := parsePattern("^(?:" + patternFormats[name] + ")$"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
