// Package pattern turns the regular expressions and the formats of JSON Schema into expressions of
// a grammar.
//
// Parse splits a regular expression into ways of matching, which are free of anchors; ParseAhead
// also separates its lookaheads. A Writer then writes the texts in which one of the ways matches:
// as raw text, or as the inside of a JSON string, where some characters are escaped. A Span bounds
// the length of the texts, so that lengths a pattern implies need no rules.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Parse parses a regular expression into the ways it matches within a text. Between ^ and $ it
// applies to the whole text, even where an alternation would bind the anchors to its first and last
// alternative only.
func Parse(source string) ([]Way, error) {
	inner, begins := strings.CutPrefix(source, "^")
	whole := begins && strings.HasSuffix(inner, "$") && !strings.HasSuffix(inner, `\$`)
	if whole {
		source = strings.TrimSuffix(inner, "$")
	}
	if tooLarge(source) {
		return nil, fmt.Errorf("unsupported regular expression of %d bytes: it is too long, or has too many classes", len(source))
	}
	re, err := syntax.Parse(goSyntax(source), syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("unsupported regular expression: %w", err)
	}
	ways, err := waysOf(re)
	for i := range ways {
		ways[i].Begins, ways[i].Ends = ways[i].Begins || whole, ways[i].Ends || whole
	}
	return ways, err
}

// spelledOtherwise matches what JavaScript and Python spell differently from Go, and all other
// escapes.
var spelledOtherwise = regexp.MustCompile(
	`\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]+)\}|\\c([a-zA-Z])|\\(?s:.)`)

// goSyntax rewrites what other languages spell differently: \uNNNN, including surrogate pairs,
// \u{N}, \cX and \Z.
func goSyntax(source string) string {
	return spelledOtherwise.ReplaceAllStringFunc(source, func(found string) string {
		m := spelledOtherwise.FindStringSubmatch(found)
		switch {
		case m[1] != "":
			return fmt.Sprintf(`\x{%X}`, utf16.DecodeRune(hexRune(m[1]), hexRune(m[2])))
		case m[3]+m[4] != "":
			return `\x{` + m[3] + m[4] + `}`
		case m[5] != "":
			return fmt.Sprintf(`\x%02X`, m[5][0]&0x1F)
		case found == `\Z`:
			return `\z`
		}
		return found
	})
}

func hexRune(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 32) // only digits matched
	return rune(n)
}

// Compile returns a regular expression of JSON Schema; nil if it is not supported.
func Compile(source string) *regexp.Regexp {
	if tooLarge(source) {
		return nil
	}
	re, err := regexp.Compile(goSyntax(source))
	if err != nil {
		return nil
	}
	return re
}

// What parts of a regular expression cost, compared with a character.
const (
	stepsOfProperty = 2000   // \p{L} has hundreds of ranges
	stepsOfFolding  = 20_000 // each character of a class is folded
)

// Cost returns about how many steps parsing a regular expression takes.
func Cost(source string) int {
	n := len(source) + stepsOfProperty*(strings.Count(source, `\p`)+strings.Count(source, `\P`))
	if strings.Contains(source, "(?i") || strings.Contains(source, "i:") || strings.Contains(source, "i)") {
		n += stepsOfFolding * strings.Count(source, "[")
	}
	return n
}

// What one regular expression may be. Parsing it cannot be stopped, and takes some 20 milliseconds for so many bytes, or 100 for so
// many steps.
const (
	maxBytes = 100_000
	maxCost  = 1_000_000
)

func tooLarge(source string) bool { return len(source) > maxBytes || Cost(source) > maxCost }
