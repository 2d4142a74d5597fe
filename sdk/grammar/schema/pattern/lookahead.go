package pattern

import (
	"errors"
	"strings"
)

// A grammar has no lookarounds, but a lookahead at the beginning of a pattern, as in ^(?!x)(?=y)z,
// is another condition on the whole text.

// lookahead is what a text must begin with, or must not.
type lookahead struct {
	Ways []Way
	Not  bool
}

// ParseAhead is like Parse, and also returns the lookaheads at the beginning of the text.
func ParseAhead(source string) (ways []Way, ahead []lookahead, err error) {
	rest, begins := strings.CutPrefix(source, "^")
	for begins && (strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!")) {
		end := groupEnd(rest)
		if end < 0 {
			break // Parse reports it
		}
		inner, err := Parse("^(?:" + rest[len("(?="):end-1] + ")")
		if err != nil {
			return nil, nil, err
		}
		ahead = append(ahead, lookahead{inner, rest[2] == '!'})
		rest = rest[end:]
	}
	if len(ahead) == 0 {
		ways, err = Parse(source)
		return ways, nil, err
	}
	if strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "{") || alternates(rest) && !strings.HasSuffix(rest, "$") {
		return nil, nil, errors.New("a lookahead in some of the alternatives is not supported")
	}
	ways, err = Parse("^" + rest)
	return ways, ahead, err
}

// Both returns a regular expression for the texts that match both a and b, using a lookahead; empty
// if there is none.
func Both(a, b string) string {
	looksAhead := func(p string) bool { return strings.HasPrefix(p, "^(?=") || strings.HasPrefix(p, "^(?!") }
	switch {
	case a == b:
		return a
	case looksAhead(a):
		a, b = b, a
	}
	rest := anywhereIn(b)
	if looksAhead(b) {
		rest = b[1:]
	}
	both := "^(?=" + anywhereIn(a) + ")" + rest
	if _, _, err := ParseAhead(both); err != nil {
		return ""
	}
	return both
}

// anywhereIn returns a regular expression, to be matched from the beginning, for texts in which
// source matches.
func anywhereIn(source string) string {
	if inner, begins := strings.CutPrefix(source, "^"); begins && strings.HasSuffix(inner, "$") && !strings.HasSuffix(inner, `\\$`) {
		return "(?:" + strings.TrimSuffix(inner, "$") + ")$"
	}
	return `[\s\S]*(?:` + source + ")"
}

// groupEnd returns the end of the group that source begins with; -1 if it is not closed.
func groupEnd(source string) int {
	end := -1
	unnested(source, func(at, depth int) bool {
		if depth == 0 {
			end = at + 1
		}
		return depth > 0
	})
	return end
}

// alternates reports whether source contains an alternation outside of all groups.
func alternates(source string) bool {
	found := false
	unnested(source, func(at, depth int) bool {
		found = found || depth == 0 && source[at] == '|'
		return !found
	})
	return found
}

// unnested calls do with the group depth after each byte of source that is neither escaped nor
// within a class, until do returns false.
func unnested(source string, do func(at, depth int) bool) {
	depth, class := 0, false
	for at := 0; at < len(source); at++ {
		switch c := source[at]; {
		case c == '\\':
			at++
			continue
		case class:
			class = c != ']'
			continue
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if !do(at, depth) {
			return
		}
	}
}
