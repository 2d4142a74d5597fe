package grammar

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// pattern is the inside of a string that matches a regular expression of JSON Schema. Between ^ and $ the expression is
// the whole text; without them it may stand anywhere in it.
func (c *converter) pattern(source string) (func(single bool) *expr, error) {
	re, before, after, err := parsePattern(source)
	if err != nil {
		return nil, err
	}
	return func(single bool) *expr {
		p := patternWriter{b: c.b, quote: '"'}
		if single {
			p.quote = '\''
		}
		e := p.expr(re)
		anything := star(p.set(everyChar))
		if !before {
			e = seq(anything, e)
		}
		if !after {
			e = seq(e, anything)
		}
		return e
	}, nil
}

// parsePattern reads a regular expression, and whether it is bound to what is before it, and to what is after it.
func parsePattern(source string) (re *syntax.Regexp, before, after bool, err error) {
	source, before = strings.CutPrefix(source, "^")
	after = strings.HasSuffix(source, "$") && !strings.HasSuffix(source, `\$`)
	if after {
		source = strings.TrimSuffix(source, "$")
	}
	if re, err = syntax.Parse(goSyntax(source), syntax.Perl); err != nil {
		return nil, before, after, fmt.Errorf("this regular expression is not understood: %w", err)
	}
	return re, before, after, supported(re)
}

// rawPattern is bare text that matches a regular expression.
func (c *converter) rawPattern(source string) (*expr, error) {
	re, before, after, err := parsePattern(source)
	if err != nil {
		return nil, err
	}
	e := patternWriter{b: c.b}.expr(re)
	anything := star(oneOf(everyChar))
	if !before {
		e = seq(anything, e)
	}
	if !after {
		e = seq(e, anything)
	}
	return e, nil
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

var unicodeEscape = regexp.MustCompile(`\\u([0-9a-fA-F]{4})`)

// goSyntax rewrites what JavaScript spells differently.
func goSyntax(source string) string {
	return unicodeEscape.ReplaceAllString(source, `\x{$1}`)
}

// supported refuses what a grammar has no words for.
func supported(re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return fmt.Errorf("it looks for the boundaries of words")
	}
	for _, sub := range re.Sub {
		if err := supported(sub); err != nil {
			return err
		}
	}
	return nil
}

// patternWriter turns a regular expression into an expression over the inside of a string between quotes; without a quote,
// over bare text.
type patternWriter struct {
	b     *builder
	quote rune
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
		return times(0, -1, p.expr(re.Sub[0]))
	case syntax.OpPlus:
		return times(1, -1, p.expr(re.Sub[0]))
	case syntax.OpQuest:
		return times(0, 1, p.expr(re.Sub[0]))
	case syntax.OpRepeat:
		return p.b.repeat(re.Min, re.Max, p.expr(re.Sub[0]))
	case syntax.OpConcat:
		return seq(p.all(re.Sub)...)
	case syntax.OpAlternate:
		return alt(p.all(re.Sub)...)
	}
	return empty // anchors
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
