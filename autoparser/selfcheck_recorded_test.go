package autoparser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
)

// TestTheSelfCheckPasses runs the self-check of every template that needs no dedicated handler.
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
			check := learnSource(t, name, string(source), "", "", rules).SelfCheck()
			for _, row := range check.Failures() {
				told.WriteString(row.ID + ": " + row.Failed + "\n" + row.Output + "\n")
			}
			for _, p := range check.Unproven() {
				told.WriteString(p.String() + "\n")
			}
			switch because, listed := unread[name]; {
			case told.Len() > 0 && !listed:
				t.Error(told.String())
			case listed && told.Len() == 0 && check.Passed > 0:
				t.Errorf("parsed correctly now: remove it from the list of templates that are not (%s)", because)
			}
		})
	}
}
