package autoparser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/internal/shared"
	"golang.org/x/tools/txtar"
)

// TestTheShippedRulesAreNeeded checks every shipped rule against the recorded templates and those
// of testdata/unseen: a rule that applies to none of them, or changes nothing, has to be removed.
func TestTheShippedRulesAreNeeded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "templates"), "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	facts := styleFacts(t)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := autoparser.Open(strings.TrimSuffix(filepath.Base(file), ".jinja"), string(source), "", "", autoparser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		learned, err := autoparser.Learn(t.Context(), opened, shippedRules(t))
		if err != nil {
			t.Fatal(err)
		}
		facts = append(facts, learned.LintFacts())
	}
	if faults := shippedRules(t).Lint(facts); len(faults) > 0 {
		t.Error(faults)
	}
}

// styleFacts returns the facts of the templates in testdata/unseen.
func styleFacts(t *testing.T) []workaround.Facts {
	t.Helper()
	paths, err := filepath.Glob("testdata/unseen/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var facts []workaround.Facts
	for _, path := range paths {
		style, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		facts = append(facts, learnSource(t, name, fileNamed(style.Files, "template.jinja"), "<s>", "</s>", shippedRules(t)).LintFacts())
	}
	return facts
}
