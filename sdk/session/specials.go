package session

import (
	"regexp"
	"slices"
	"strings"
)

// specials returns the special tokens that markers consist of. Where an engine tells special tokens from text, a marker
// matches only as the special token, and its mere spelling is prose. So the list holds nothing that may be ordinary text, or
// markers that the model writes as text would never match. Without a vocabulary, the shape of a marker decides.
func specials(vocabulary, markers []string) []string {
	candidates := vocabulary
	if len(candidates) == 0 {
		candidates = slices.DeleteFunc(slices.Clone(markers), func(m string) bool { return !shaped.MatchString(m) })
	}
	var out []string
	for _, token := range candidates {
		if slices.ContainsFunc(markers, func(m string) bool { return strings.Contains(m, token) }) {
			out = append(out, token)
		}
	}
	return out
}

// shaped matches what is only ever written as a special token: one word in angle brackets, at least one of them with a bar
// inside.
var shaped = regexp.MustCompile(`^<[|｜][^<>|｜\s]+[|｜]?>$|^<[^<>|｜\s]+[|｜]>$`)
