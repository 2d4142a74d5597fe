package pattern

import (
	"errors"
	"strings"
)

// A grammar has no lookarounds, but what a pattern looks ahead for at the beginning of the text is something else that the
// whole text must match, or must not: ^(?!x)(?=y)z.

// lookahead is what a text must begin with, or must not.
type lookahead struct {
	Ways []Way
	Not  bool
}

// ParseAhead reads a regular expression as parsePattern does, and what it looks ahead for at the beginning of the text.
func ParseAhead(source string) (ways []Way, ahead []lookahead, err error) {
	rest, begins := strings.CutPrefix(source, "^")
	for begins && (strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!")) {
		end := groupEnd(rest)
		if end < 0 {
			break // parsePattern says so
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
		return nil, nil, errors.New("not all of its alternatives look ahead")
	}
	ways, err = Parse("^" + rest)
	return ways, ahead, err
}

// Both is a regular expression for the texts that match two; empty if that cannot be said. One of them is looked for
// ahead of the other, which may look ahead itself.
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

// anywhereIn is a regular expression for the texts in which another matches somewhere, from their beginning on.
func anywhereIn(source string) string {
	if inner, begins := strings.CutPrefix(source, "^"); begins && strings.HasSuffix(inner, "$") && !strings.HasSuffix(inner, `\\$`) {
		return "(?:" + strings.TrimSuffix(inner, "$") + ")$"
	}
	return `[\s\S]*(?:` + source + ")"
}

// groupEnd is where the group ends with which source begins; -1 if it does not end.
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

// alternates says whether there is an alternation outside of all groups of source.
func alternates(source string) bool {
	found := false
	unnested(source, func(at, depth int) bool {
		found = found || depth == 0 && source[at] == '|'
		return !found
	})
	return found
}

// unnested goes through what of a regular expression is neither escaped nor in a class, and says within how many groups each
// byte leaves it, until do returns false.
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
