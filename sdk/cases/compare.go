package cases

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Compare describes how found differs from expected, one difference per paragraph; "" if it does not.
func Compare(expected, found Message) string {
	var d differences
	d.text("content", strings.TrimSpace(expected.Content), strings.TrimSpace(found.Content))
	d.text("reasoning_content", strings.TrimSpace(expected.ReasoningContent), strings.TrimSpace(found.ReasoningContent))
	if len(expected.ToolCalls) != len(found.ToolCalls) {
		d.add("tool_calls: expected %s, found %s", count(expected.ToolCalls), count(found.ToolCalls))
	}
	for i := range min(len(expected.ToolCalls), len(found.ToolCalls)) {
		want, got := expected.ToolCalls[i], found.ToolCalls[i]
		path := fmt.Sprintf("tool_calls[%d].", i)
		d.text(path+"name", want.Name, got.Name)
		d.text(path+"id", want.ID, got.ID)
		if !sameArguments(want.Arguments, got.Arguments) {
			d.text(path+"arguments", want.Arguments, got.Arguments)
		}
	}
	return d.String()
}

// Difference describes where two texts differ; "" if they are equal.
func Difference(what, expected, found string) string {
	var d differences
	d.text(what, expected, found)
	return d.String()
}

// differences are descriptions of differences, one paragraph each.
type differences []string

func (d *differences) add(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

func (d differences) String() string { return strings.Join(d, "\n") }

// text adds the difference of two texts, if any.
func (d *differences) text(what, expected, found string) {
	if expected == found {
		return
	}
	at := commonPrefix(expected, found)
	d.add("%s: differs at byte %d\n  expected %s\n  found    %s", what, at, excerpt(expected, at), excerpt(found, at))
}

// excerpt quotes the text around byte at, with ellipses for what it omits.
func excerpt(text string, at int) string {
	const before, after = 60, 120
	start, end := max(0, at-before), min(len(text), at+after)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	quoted := fmt.Sprintf("%q", text[start:end])
	if start > 0 {
		quoted = "…" + quoted
	}
	if end < len(text) {
		quoted += "…"
	}
	return quoted
}

// commonPrefix returns the length of the common prefix of two texts, in whole characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// count returns the number of calls and their names, for messages.
func count(calls []Call) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Name)
	}
	switch len(calls) {
	case 0:
		return "no call"
	case 1:
		return "1 call (" + names[0] + ")"
	}
	return fmt.Sprintf("%d calls (%s)", len(calls), strings.Join(names, ", "))
}
