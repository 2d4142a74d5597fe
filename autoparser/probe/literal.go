package probe

import (
	"iter"
	"strings"
)

// splitLiterals iterates over the string literals that a source splits texts at or searches for: x.split('a') and
// 'a' in x. It does for templates what a regular expression would, in a fraction of the time.
func splitLiterals(source string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for from := 0; ; {
			open := indexQuote(source, from)
			end := indexQuote(source, open+1)
			if open < 0 || end < 0 {
				return
			}
			after := end + 1
			if open+1 == end || !endsInSplit(source[from:open]) && !beginsWithIn(source[end+1:], &after) {
				from = open + 1 // what looked like the end may be the beginning of a literal
				continue
			}
			if from = after; !yield(source[open+1 : end]) {
				return
			}
		}
	}
}

// indexQuote returns the offset of the next quote, or -1.
func indexQuote(source string, from int) int {
	if i := strings.IndexAny(source[from:], `'"`); i >= 0 {
		return from + i
	}
	return -1
}

// endsInSplit reports whether text ends in the call of a method that splits or searches.
func endsInSplit(text string) bool {
	call, ok := strings.CutSuffix(strings.TrimRight(text, spaces), "(")
	if !ok {
		return false
	}
	for _, method := range []string{"split", "partition", "find", "index"} {
		if strings.HasSuffix(call, method) {
			return true
		}
	}
	return false
}

// beginsWithIn reports whether text begins with the operator in or not in, and adds its length to after.
func beginsWithIn(text string, after *int) bool {
	rest := strings.TrimLeft(text, spaces)
	if len(rest) == len(text) {
		return false
	}
	if operand, ok := strings.CutPrefix(rest, "not"); ok {
		if trimmed := strings.TrimLeft(operand, spaces); len(trimmed) < len(operand) {
			rest = trimmed
		}
	}
	operand, ok := strings.CutPrefix(rest, "in")
	if !ok || operand == "" || !strings.Contains(spaces, operand[:1]) {
		return false
	}
	*after += len(text) - len(operand) + 1
	return true
}

// spaces are the white space of regular expressions.
const spaces = "\t\n\f\r "
