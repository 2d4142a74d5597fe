package dragoman

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// core are the packages whose exported types are words that a reader of the code must know.
var core = []string{"sdk/handler", "sdk/peg", "sdk/peg/match", "autoparser", "autoparser/dialect", "host"}

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
	notTest := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	pkgs, err := parser.ParseDir(token.NewFileSet(), dir, notTest, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range pkgs {
		for _, file := range pkg.Files {
			for _, decl := range file.Decls {
				g, ok := decl.(*ast.GenDecl)
				if !ok || g.Tok != token.TYPE {
					continue
				}
				for _, spec := range g.Specs {
					if s := spec.(*ast.TypeSpec); s.Name.IsExported() {
						names = append(names, s.Name.Name)
					}
				}
			}
		}
	}
	return names
}
