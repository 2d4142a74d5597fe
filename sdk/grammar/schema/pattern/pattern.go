package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Parse reads a regular expression as the ways in which it may stand in a text. One that begins with ^ and ends with
// $ is meant to be the whole text, also where an alternation would bind those to its first and last alternative alone.
func Parse(source string) ([]Way, error) {
	inner, begins := strings.CutPrefix(source, "^")
	whole := begins && strings.HasSuffix(inner, "$") && !strings.HasSuffix(inner, `\$`)
	if whole {
		source = strings.TrimSuffix(inner, "$")
	}
	re, err := syntax.Parse(goSyntax(source), syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("this regular expression is not understood: %w", err)
	}
	ways, err := waysOf(re)
	for i := range ways {
		ways[i].Begins, ways[i].Ends = ways[i].Begins || whole, ways[i].Ends || whole
	}
	return ways, err
}

// spelledOtherwise is what JavaScript and Python spell in another way than Go, and all other escapes.
var spelledOtherwise = regexp.MustCompile(
	`\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]+)\}|\\c([a-zA-Z])|\\(?s:.)`)

// goSyntax rewrites what other languages spell differently: \uNNNN, also in pairs of surrogates, \u{N}, \cX and \Z.
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
	n, _ := strconv.ParseUint(digits, 16, 32) // it has matched as digits
	return rune(n)
}

// Match says whether a regular expression of JSON Schema matches somewhere in a text; it is not ok where that is not
// known.
func Match(source, text string) (matches, ok bool) {
	re, err := regexp.Compile(goSyntax(source))
	if err != nil {
		return false, false
	}
	return re.MatchString(text), true
}
