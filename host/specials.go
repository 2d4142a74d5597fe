package host

import (
	"regexp"
	"slices"
	"strings"
)

// specials are the special tokens that markers are made of. An engine that tells special tokens from text is believed about
// them: what only spells one is not a marker. So a text must not be among them unless it is a special token for sure, or
// markers that the model writes as ordinary text would never match. Where the model's vocabulary is not known, the shape
// of a marker decides.
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

// shaped matches what nobody writes but as a special token: one word in angle brackets, with a bar inside of at least one.
var shaped = regexp.MustCompile(`^<[|｜][^<>|｜\s]+[|｜]?>$|^<[^<>|｜\s]+[|｜]>$`)
