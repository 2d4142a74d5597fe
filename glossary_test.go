package dragoman

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// core lists the packages whose exported types a reader of the code must know.
var core = []string{".", "sdk/handler", "sdk/session", "sdk/peg", "sdk/peg/match", "autoparser", "autoparser/dialect", "host", "host/state", "host/trial"}

func TestTheGlossaryNamesEveryTypeOfTheCore(t *testing.T) {
	glossary, err := os.ReadFile("docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range core {
		for _, name := range exportedTypes(t, dir) {
			if !strings.Contains(string(glossary), "`"+name+"`") {
				t.Errorf("%s.%s is missing in docs/glossary.md: name it in backticks beside its word", dir, name)
			}
		}
	}
}

// exportedTypes lists the exported types of a package, tests excluded.
func exportedTypes(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s (%v)", dir, err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() {
				names = append(names, s.Name.Name)
			}
			_, inFunc := n.(*ast.FuncDecl)
			return !inFunc
		})
	}
	return names
}
