package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/diff"
)

// blank says that a text is white space, or nothing.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// trimLeft and trimRight take white space off an end.
func trimLeft(text string) string  { return strings.TrimLeft(text, " \t\r\n") }
func trimRight(text string) string { return strings.TrimRight(text, " \t\r\n") }

// withSpace is how far the white space reaches that follows text[:end].
func withSpace(text string, end int) int { return len(text) - len(trimLeft(text[end:])) }

// leadingMarker is the marker that a text begins with, white space around it included, and the rest. Without one it is "".
func leadingMarker(text string) (marker, rest string) {
	start, end := diff.FirstMarker(text)
	if start == end || !blank(text[:start]) {
		return "", text
	}
	end = withSpace(text, end)
	return text[:end], text[end:]
}

// throughMarker is a text up to and including its first marker and the white space behind; the whole without one.
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
