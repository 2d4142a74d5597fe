package probe

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
)

// splitPattern is what splitLiterals finds, as a regular expression.
var splitPattern = regexp.MustCompile(`(?:split|partition|find|index)\(\s*['"]([^'"]+)['"]|['"]([^'"]+)['"]\s+(?:not\s+)?in\s`)

func matched(source string) (all []string) {
	for _, m := range splitPattern.FindAllStringSubmatch(source, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}

func TestLiteralsAreThoseOfThePattern(t *testing.T) {
	var paths []string
	for _, dir := range []string{"../../templates", shared.Dir(t, "templates")} {
		found, err := filepath.Glob(filepath.Join(dir, "*.jinja"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Collect(splitLiterals(string(source)))
		if want := matched(string(source)); !slices.Equal(got, want) {
			t.Errorf("%s: found %q, expected %q", path, got, want)
		}
	}
}

func FuzzLiterals(f *testing.F) {
	for _, source := range []string{
		"x.split('a')", "x.split( \"</think>\\n\")[0]", "'a' in x", `"a" not in x`, "'a'  not  in\tx", "split('')'a' in b", "split('a'in b'c' in d",
		"'a' inx", "x.index('a', 'b') in 'c' in ", "find('a\" in ", "'a' not 'b' not in c", "'a' notin b",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if got, want := slices.Collect(splitLiterals(source)), matched(source); !slices.Equal(got, want) {
			t.Errorf("%q: found %q, expected %q", source, got, want)
		}
	})
}
