package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// idBetween learns the id from the text between a name and its arguments (T7), and returns what
// ends the name. The last marker before the id belongs to the id. second is the same text of a
// second call: if the two differ only in a number, that counts the calls, and is an id that the
// model makes up.
func (d *detective) idBetween(text, second string) string {
	before, after, ok := strings.Cut(text, probe.ID)
	if !ok {
		before, after, ok = ordinal(text, second)
	}
	if !ok {
		return text
	}
	start, end := diff.LastMarker(before)
	if start == end {
		start = 0
	}
	d.identified(dialect.CallIDBetweenNameAndArgs, before[start:], after)
	return before[:start]
}

// ordinal splits a text at the number in which it differs from another.
func ordinal(text, other string) (before, after string, ok bool) {
	s := diff.Texts(text, other)
	return s.Prefix, s.Suffix, isNumber(s.Left) && isNumber(s.Right)
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// idBefore learns the id from the text before a name, and returns what opens the call and what
// begins the name.
func (d *detective) idBefore(open string) (start, namePrefix string) {
	before, after, ok := strings.Cut(open, probe.ID)
	start, prefix := leadingMarker(before)
	if !ok {
		return start, prefix
	}
	suffix, namePrefix := endOfName(prefix, after)
	d.identified(dialect.CallIDBeforeName, prefix, suffix)
	return start, namePrefix
}

// idBehind learns the id from the text after the arguments, and returns the rest.
func (d *detective) idBehind(text string) string {
	before, after, ok := strings.Cut(text, probe.ID)
	if !ok {
		return text
	}
	start, end := diff.LastMarker(before)
	if start == end {
		start = 0
	}
	suffix, rest := endOfName(before[start:], after)
	d.identified(dialect.CallIDAfterArgs, before[start:], suffix)
	return before[:start] + rest
}

// identified learns where the id of a call is.
func (d *detective) identified(at dialect.CallIDPosition, prefix, suffix string) {
	id := &d.Dialect.Tools.CallID
	seen := prefix + probe.ID + suffix
	learn(d, &id.Position, at, from("T7", seen))
	learn(d, &id.Prefix, prefix, from("T7", seen))
	learn(d, &id.Suffix, suffix, from("T7", seen))
}
