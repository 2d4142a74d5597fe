package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/diff"
)

// blank reports whether a text is white space or empty.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// nonblank returns texts without the white space at their edges, if anything is left.
func nonblank(texts ...string) []string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// trimLeft and trimRight trim white space at one end.
func trimLeft(text string) string  { return strings.TrimLeft(text, " \t\r\n") }
func trimRight(text string) string { return strings.TrimRight(text, " \t\r\n") }

// withSpace returns the end of the white space after text[:end].
func withSpace(text string, end int) int { return len(text) - len(trimLeft(text[end:])) }

// leadingMarker splits a text after the marker that it begins with, including white space around
// it; marker is "" if there is none.
func leadingMarker(text string) (marker, rest string) {
	start, end := diff.FirstMarker(text)
	if start == end || !blank(text[:start]) {
		return "", text
	}
	end = withSpace(text, end)
	return text[:end], text[end:]
}

// throughMarker returns a text up to and including its first marker and the white space after it;
// the whole text if there is none.
func throughMarker(text string) string {
	_, end := diff.FirstMarker(text)
	return text[:withSpace(text, end)]
}

// markers counts the markers of a text.
func markers(text string) int {
	n := 0
	for _, s := range diff.Segments(text) {
		if s.Marker {
			n++
		}
	}
	return n
}
