package autoparser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
)

// TestTheSelfCheckPasses runs the self-check of every template that needs no handler of its own.
func TestTheSelfCheckPasses(t *testing.T) {
	special := handled(t)
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "templates"), "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	rules := shippedRules(t)
	for _, file := range files {
		name := filepath.Base(file)
		if special[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var told strings.Builder
			for _, row := range learnSource(t, name, string(source), "", "", rules).SelfCheck().Failures() {
				told.WriteString(row.ID + ": " + row.Failed + "\n" + row.Output + "\n")
			}
			if told.Len() > 0 {
				t.Error(told.String())
			}
		})
	}
}
