package autoparser_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files from what the code says now")

// TestExplanations compares explanations with archives in testdata. An archive contains a template,
// optionally workarounds, and then the sections of the explanation as printed.
func TestExplanations(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %d archives: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			golden, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			given, want := divide(golden)
			got := explain(t, strings.TrimSuffix(filepath.Base(path), ".txtar"), given)
			if *update {
				rewrite(t, path, golden.Comment, given, got)
				return
			}
			if d := cmp.Diff(text(want), text(got)); d != "" {
				t.Errorf("-golden +now\n%s", d)
			}
		})
	}
}

// divide separates the input of an archive from the expected sections.
func divide(a *txtar.Archive) (given, expected []txtar.File) {
	isGiven := func(f txtar.File) bool { return f.Name == "template.jinja" || f.Name == "workarounds.yaml" }
	for _, f := range a.Files {
		if isGiven(f) {
			given = append(given, f)
		} else {
			expected = append(expected, f)
		}
	}
	return given, expected
}

// explain explains a template and returns the sections as printed.
func explain(t *testing.T, name string, given []txtar.File) []txtar.File {
	t.Helper()
	source := fileNamed(given, "template.jinja")
	var rules *workaround.Set
	if yaml := fileNamed(given, "workarounds.yaml"); yaml != "" {
		var err error
		if rules, err = workaround.Parse("workarounds.yaml", []byte(yaml)); err != nil {
			t.Fatal(err)
		}
	}
	learned := learnSource(t, name, source, "<s>", "</s>", rules)
	return txtar.Parse([]byte(learned.Explain(context.Background()).String())).Files
}

func fileNamed(files []txtar.File, name string) string {
	i := slices.IndexFunc(files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return ""
	}
	return string(files[i].Data)
}

func text(files []txtar.File) string { return string(txtar.Format(&txtar.Archive{Files: files})) }

func rewrite(t *testing.T, path string, comment []byte, given, explained []txtar.File) {
	t.Helper()
	data := txtar.Format(&txtar.Archive{Comment: comment, Files: append(given, explained...)})
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
