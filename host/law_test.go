package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host/check"
	"github.com/dragoman-project/dragoman/internal/llamacpp"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// TestWhatTheGrammarOfAStyleAllowsIsRead is TestWhatTheGrammarOfATemplateAllowsIsRead over the
// templates in the autoparser's test data, which represent the styles that models share.
func TestWhatTheGrammarOfAStyleAllowsIsRead(t *testing.T) {
	shared.Slow(t)
	s, names := styles(t)
	drawn := 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, members := range []string{`, "tool_choice": "required"`, `, "parallel_tool_calls": true`} {
				if c, planned := constraint(t, s, name, members); c != nil {
					drawnAreRead(t, planned, c)
					drawn++
				}
			}
		})
	}
	if drawn < len(names) {
		t.Errorf("%d constraints for %d templates", drawn, len(names))
	}
}

// constraint returns the constraint and the plan of a request with tools, and checks that
// llama.cpp's own reader accepts the grammar. The constraint is nil if the template refuses the
// request or sampling is unconstrained.
func constraint(t *testing.T, s *Subject, name, members string) (*grammar.Constraint, check.Planned) {
	t.Helper()
	planned, err := s.Plan(t.Context(), check.Template{Name: name, Handler: autoparser.HandlerName}, asked(t, lawTools+members))
	if err != nil {
		t.Logf("the template refuses the request: %v", err)
		return nil, nil
	}
	c := planned.Plan().Constraint
	if c == nil {
		return nil, nil
	}
	if err := llamacpp.CheckGrammar(c.Grammar); err != nil {
		t.Errorf("llama.cpp refuses the grammar: %v\n%s", err, c.Grammar)
	}
	return c, planned
}

// styles returns a host without plugins over the templates in the autoparser's test data, and their
// names.
func styles(t *testing.T) (*Subject, []string) {
	t.Helper()
	archives, err := filepath.Glob("../autoparser/testdata/unseen/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives: %v", len(archives), err)
	}
	dir := t.TempDir()
	var names []string
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar") + ".jinja"
		for _, f := range archive.Files {
			if f.Name != "template.jinja" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
	}
	return aHost(t).Subject(dir), names
}
