package grammar

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// pattern is the inside of a string that matches a regular expression of JSON Schema. Between ^ and $ the expression is
// the whole text; without them it may stand anywhere in it.
func (c *converter) pattern(source string) (func(single bool) *expr, error) {
	ways, err := parsePattern(source)
	if err != nil {
		return nil, err
	}
	return c.standing(ways), nil
}

// standing is the inside of a string in which one of ways stands.
func (c *converter) standing(ways []way) func(single bool) *expr {
	return func(single bool) *expr {
		return c.b.inside(single).anywhere(ways)
	}
}

// parsePattern reads a regular expression as the ways in which it may stand in a text. One that begins with ^ and ends with
// $ is meant to be the whole text, also where an alternation would bind those to its first and last alternative alone.
func parsePattern(source string) ([]way, error) {
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
		ways[i].begins, ways[i].ends = ways[i].begins || whole, ways[i].ends || whole
	}
	return ways, err
}

// contains says whether r may stand somewhere in a text that e matches.
func contains(e *expr, r rune) bool {
	switch e.op {
	case literal:
		return strings.ContainsRune(e.text, r)
	case class:
		return e.set.has(r)
	case call:
		return contains(e.rule.body, r)
	}
	return slices.ContainsFunc(e.kids, func(k *expr) bool { return contains(k, r) })
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

// patternWriter turns a regular expression into an expression over the inside of a string between quotes; without a quote,
// over bare text.
type patternWriter struct {
	b     *builder
	quote rune
}

// inside writes what stands between double quotes, or single ones.
func (b *builder) inside(single bool) patternWriter {
	if single {
		return patternWriter{b: b, quote: '\''}
	}
	return patternWriter{b: b, quote: '"'}
}

// oneOf is one of those values that are strings.
func (p patternWriter) oneOf(values []*value) *expr {
	var kids []*expr
	for _, v := range values {
		switch {
		case v.kind != stringKind:
		case p.quote == 0:
			kids = append(kids, text(v.text))
		default:
			kids = append(kids, text(escape(v.text, p.quote)))
		}
	}
	return alt(kids...)
}

// anywhere is a text in which one of ways stands.
func (p patternWriter) anywhere(ways []way) *expr {
	kids := make([]*expr, len(ways))
	anything := star(p.set(everyChar))
	for i, w := range ways {
		kids[i] = p.expr(w.re)
		if !w.begins {
			kids[i] = seq(anything, kids[i])
		}
		if !w.ends {
			kids[i] = seq(kids[i], anything)
		}
	}
	return alt(kids...)
}

func (p patternWriter) expr(re *syntax.Regexp) *expr {
	switch re.Op {
	case syntax.OpNoMatch:
		return nothing
	case syntax.OpLiteral:
		return p.literal(re)
	case syntax.OpCharClass:
		var ranges []peg.Range
		for i := 0; i < len(re.Rune); i += 2 {
			ranges = append(ranges, peg.Range{Lo: re.Rune[i], Hi: re.Rune[i+1]})
		}
		return p.set(newCharset(ranges...))
	case syntax.OpAnyCharNotNL:
		return p.set(charsOf("\n\r").complement())
	case syntax.OpAnyChar:
		return p.set(everyChar)
	case syntax.OpCapture:
		return p.expr(re.Sub[0])
	case syntax.OpStar:
		return p.b.repeat(0, -1, p.expr(re.Sub[0]))
	case syntax.OpPlus:
		return p.b.repeat(1, -1, p.expr(re.Sub[0]))
	case syntax.OpQuest:
		return p.b.repeat(0, 1, p.expr(re.Sub[0]))
	case syntax.OpRepeat:
		return p.b.repeat(re.Min, re.Max, p.expr(re.Sub[0]))
	case syntax.OpConcat:
		return seq(p.all(re.Sub)...)
	case syntax.OpAlternate:
		return alt(p.all(re.Sub)...)
	}
	return empty
}

func (p patternWriter) all(subs []*syntax.Regexp) []*expr {
	kids := make([]*expr, len(subs))
	for i, s := range subs {
		kids[i] = p.expr(s)
	}
	return kids
}

func (p patternWriter) literal(re *syntax.Regexp) *expr {
	if re.Flags&syntax.FoldCase == 0 && p.quote == 0 {
		return text(string(re.Rune))
	}
	if re.Flags&syntax.FoldCase == 0 {
		return text(escape(string(re.Rune), p.quote))
	}
	var kids []*expr
	for _, r := range re.Rune {
		kids = append(kids, p.set(charsOf(strings.ToLower(string(r))+strings.ToUpper(string(r)))))
	}
	return seq(kids...)
}

// set is one character of s; in quotes, those that cannot stand for themselves are escaped. Control characters without a
// short escape are only allowed where nothing else is: models do not write them.
func (p patternWriter) set(s charset) *expr {
	if p.quote == 0 {
		return oneOf(s)
	}
	if s.every() {
		return p.b.char(p.quote == '\'')
	}
	kids := []*expr{oneOf(s.intersect(stringChars.minus(charsOf(string(p.quote)))))}
	var short charset
	for _, r := range "\b\f\n\r\t\\" + string(p.quote) {
		if s.has(r) {
			short = short.union(charsOf(escapeChar(r, p.quote)[1:]))
		}
	}
	if len(short) > 0 {
		kids = append(kids, seq(text(`\`), oneOf(short)))
	}
	if e := alt(kids...); e.op != never {
		return p.named(s, e)
	}
	for _, r := range s {
		for c := r.Lo; c <= r.Hi; c++ {
			kids = append(kids, text(fmt.Sprintf(`\u%04x`, c)))
		}
	}
	return p.named(s, alt(kids...))
}

// named gives the class s of characters a rule, once, where it is more than a class.
func (p patternWriter) named(s charset, e *expr) *expr {
	if !heavy(e) {
		return e
	}
	key := string(p.quote) + fmt.Sprint(s)
	if p.b.classes[key] == nil {
		p.b.classes[key] = p.b.rule("char-class", e)
	}
	return p.b.classes[key]
}

// matches says whether a regular expression of JSON Schema matches somewhere in a text.
func matches(source, text string) verdict {
	re, err := regexp.Compile(goSyntax(source))
	if err != nil {
		return unknown
	}
	return verdictOf(re.MatchString(text))
}
