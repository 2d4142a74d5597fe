package grammar

import (
	"fmt"
	"strings"
)

// FromPattern is a grammar in GBNF for the texts that match a regular expression as a whole. An error says what in it a
// grammar has no words for, such as lookarounds.
func FromPattern(pattern string) (string, error) {
	ways, err := parsePattern(pattern)
	if err != nil {
		return "", err
	}
	b := newWriter()
	for i := range ways {
		ways[i].begins, ways[i].ends = true, true
	}
	e := patternWriter{b: b}.anywhere(ways)
	if b.err != nil {
		return "", b.err
	}
	root := &rule{name: "root", body: e}
	if !prune(root) {
		return "", fmt.Errorf("no text matches this regular expression")
	}
	merge(root)
	if len(b.notes) > 0 {
		return "", fmt.Errorf("%s", strings.Join(b.notes, "; "))
	}
	return render(root), nil
}

// FromChoice is a grammar in GBNF for one of texts.
func FromChoice(texts []string) string {
	kids := make([]*expr, len(texts))
	for i, t := range texts {
		kids[i] = text(strings.ToValidUTF8(t, "\uFFFD"))
	}
	return render(&rule{name: "root", body: alt(kids...)})
}

// newWriter is a builder of grammars that are made of no program.
func newWriter() *builder {
	return &builder{
		limits: engines[0], noted: map[string]bool{}, names: map[string]int{"root": 1}, untils: newUntils(),
		values: map[valueKey]*rule{}, classes: map[string]*expr{}, room: maxSchemaWork, states: maxProducts,
	}
}
