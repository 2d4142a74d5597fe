// Package spelling finds the known names that a misspelt one probably means.
package spelling

import (
	"slices"
	"strings"
)

// Alike reports whether two names differ by one letter that is missing, added, replaced, or swapped with its neighbour. Case
// and word separators do not matter. Names of up to three letters resemble too many others to tell.
func Alike(name, meant string) bool {
	a, b := letters(name), letters(meant)
	if len(b) < 4 {
		return false
	}
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return swapped || len(a) <= 1 && len(b) <= 1
}

// most is how many names Nearest returns.
const most = 3

// Nearest returns the known names that an unknown one probably means, at most three: those that are alike, otherwise those that
// contain it, otherwise those that it contains.
func Nearest(name string, known []string) []string {
	within := func(a, b string) bool { return len(letters(b)) >= 3 && strings.Contains(letters(a), letters(b)) }
	for _, means := range []func(string) bool{
		func(k string) bool { return Alike(name, k) },
		func(k string) bool { return within(k, name) },
		func(k string) bool { return within(name, k) },
	} {
		if found := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !means(k) }); len(found) > 0 {
			return found[:min(len(found), most)]
		}
	}
	return nil
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "", "/", "")

// letters returns a name in lower case, without separators.
func letters(name string) string { return separators.Replace(strings.ToLower(name)) }
