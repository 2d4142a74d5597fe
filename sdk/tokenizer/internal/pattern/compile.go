package pattern

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of patterns. Those in use have up to 20 alternatives with two choices in each.
const (
	maxBytes   = 16 << 10
	maxItems   = 512
	maxNesting = 8
	maxChoices = 128  // groups and quantifiers: so many bits are noted for a byte of a text
	maxRepeat  = 1000 // the bounds of all quantifiers together
)

// Compile compiles a pattern. The error names the place at fault by its byte.
func Compile(source string) (*Pattern, error) {
	c := &compiler{source: source}
	if len(source) > maxBytes {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", maxBytes)
	}
	all := c.alternatives(0)
	if c.err == nil && c.more() {
		c.fail("a parenthesis is closed that was not opened")
	}
	if c.err != nil {
		return nil, c.err
	}
	p := &Pattern{alternatives: all}
	if p.link(all, nil); p.choices > maxChoices {
		return nil, fmt.Errorf("the pattern has %d groups and quantifiers; expected at most %d", p.choices, maxChoices)
	}
	return p, nil
}

// MustCompile is Compile for patterns that are part of the program.
func MustCompile(source string) *Pattern {
	p, err := Compile(source)
	if err != nil {
		panic(err)
	}
	return p
}

// compiler reads a pattern. After an error, which it keeps, everything reads as the end of the source.
type compiler struct {
	source string
	at     int
	folded bool
	items  int
	bounds int // of quantifiers, together
	err    error
}

func (c *compiler) more() bool { return c.err == nil && c.at < len(c.source) }

// next returns the next byte, or 0 at the end.
func (c *compiler) next() byte {
	if !c.more() {
		return 0
	}
	return c.source[c.at]
}

func (c *compiler) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("byte %d: %s", c.at, fmt.Sprintf(format, args...))
	}
}

func (c *compiler) accept(text string) bool {
	ok := c.err == nil && strings.HasPrefix(c.source[c.at:], text)
	if ok {
		c.at += len(text)
	}
	return ok
}

func (c *compiler) alternatives(depth int) (all []sequence) {
	if depth > maxNesting {
		c.fail("groups nested deeper than %d", maxNesting)
	}
	for {
		var items []item
		for c.more() && c.next() != '|' && c.next() != ')' {
			items = append(items, c.quantified(c.atom(depth)))
			if c.items++; c.items > maxItems {
				c.fail("the pattern has more than %d parts", maxItems)
			}
		}
		if c.err != nil {
			return nil
		}
		all = append(all, newSequence(items))
		if !c.accept("|") {
			return all
		}
	}
}

// quantified reads the quantifier of an item.
func (c *compiler) quantified(it item) item {
	start := c.at
	switch {
	case c.accept("?"):
		it.min, it.max = 0, 1
	case c.accept("*"):
		it.min, it.max = 0, math.MaxInt
	case c.accept("+"):
		it.min, it.max = 1, math.MaxInt
	case c.accept("{"):
		it.min, it.max = c.bound()
		if c.next() == '+' || c.next() == '?' {
			c.fail("%q behind a bound is not supported", c.next())
		}
	default:
		return it
	}
	switch {
	case c.source[c.at-1] != '}' && c.accept("+"):
		it.possessive = true
	case c.next() == '?':
		c.fail("lazy quantifiers are not supported")
	case c.next() == '*', c.next() == '{':
		c.fail("quantifiers of quantifiers are not supported")
	}
	if it.kind != characters && (it.kind != group || it.max > 1 || it.possessive) {
		c.at = start
		c.fail("groups and lookaheads cannot be repeated")
	}
	return it
}

// bound reads the rest of {n}, {n,} or {n,m}.
func (c *compiler) bound() (least, most int) {
	inner, _, ok := strings.Cut(c.source[c.at:], "}")
	from, to, ranged := strings.Cut(inner, ",")
	least, err := strconv.Atoi(from)
	most = least
	if ranged {
		most = math.MaxInt
		if to != "" && err == nil {
			most, err = strconv.Atoi(to)
		}
	}
	if !ok || err != nil || least < 0 || most < least || least > maxRepeat || most > maxRepeat && most < math.MaxInt {
		c.fail("expected {n}, {n,} or {n,m} with numbers up to %d", maxRepeat)
		return 0, 0
	}
	c.at += len(inner) + 1
	if c.bounds += least; most < math.MaxInt {
		c.bounds += most - least
	}
	if c.bounds > maxRepeat {
		c.fail("the bounds of quantifiers add up to more than %d", maxRepeat)
	}
	return least, most
}

func (c *compiler) atom(depth int) item {
	switch {
	case c.accept("(?i:"):
		before := c.folded
		c.folded = true
		all := c.alternatives(depth + 1)
		c.folded = before
		return c.closed(item{kind: group, group: all})
	case c.accept("(?:"):
		return c.closed(item{kind: group, group: c.alternatives(depth + 1)})
	case c.accept("(?="):
		return c.lookahead(ahead, depth)
	case c.accept("(?!"):
		return c.lookahead(notAhead, depth)
	case c.accept("(?"):
		c.fail("this kind of group is not supported; expected (?i:…), (?:…), (?=…) or (?!…)")
		return item{}
	case c.accept("("):
		return c.closed(item{kind: group, group: c.alternatives(depth + 1)})
	case c.accept("["):
		return item{kind: characters, set: c.class(), min: 1, max: 1}
	}
	gather := &collector{folded: c.folded}
	switch b := c.next(); {
	case b == '\\':
		c.escape(gather)
	case b == '.':
		c.at++
		gather.addAll([]span{{'\n', '\n'}}, true)
	case strings.IndexByte("^$*+?{", b) >= 0:
		c.fail("%q is not supported here", b)
	default:
		r := c.character()
		gather.add(r, r)
	}
	return item{kind: characters, set: gather.set(false), min: 1, max: 1}
}

func (c *compiler) lookahead(k kind, depth int) item {
	all := c.alternatives(depth + 1)
	if len(all) != 1 || len(all[0].items) != 1 || all[0].items[0].kind != characters || all[0].items[0].min != 1 || all[0].items[0].max != 1 {
		c.fail("lookaheads at more than one character are not supported")
		return item{}
	}
	return c.closed(item{kind: k, set: all[0].items[0].set})
}

func (c *compiler) closed(it item) item {
	if !c.accept(")") {
		c.fail("expected a closing parenthesis")
	}
	it.min, it.max = 1, 1
	return it
}

// character reads a literal character.
func (c *compiler) character() rune {
	if !c.more() {
		c.fail("the pattern ends where a character was expected")
		return 0
	}
	r, n := utf8.DecodeRuneInString(c.source[c.at:])
	c.at += n
	return r
}

// The escapes that stand for one character.
var controls = map[byte]rune{'r': '\r', 'n': '\n', 't': '\t', 'v': '\v', 'f': '\f', 'a': '\a', 'e': 0x1B}

// escape adds what an escape stands for. If that is one character, it returns the character.
func (c *compiler) escape(to *collector) (r rune, single bool) {
	c.at++
	b := c.next()
	switch {
	case controls[b] != 0:
		c.at++
		to.add(controls[b], controls[b])
		return controls[b], true
	case strings.IndexByte("sSdDpP", b) >= 0 && b != 0:
		c.at++
		to.addAll(c.property(b), b < 'a')
		return 0, false
	case b == 'x':
		c.at++
		return c.hexadecimal(to), true
	case b == 0 || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z':
		c.fail("the escape \\%c is not supported", b)
		return 0, false
	}
	r = c.character()
	to.add(r, r)
	return r, true
}

// hexadecimal reads the rest of \xHH or \x{H…}.
func (c *compiler) hexadecimal(to *collector) rune {
	digits, rest := "", c.source[c.at:]
	if inner, after, ok := strings.Cut(rest, "}"); ok && strings.HasPrefix(inner, "{") {
		digits, rest = inner[1:], after
	} else if len(rest) >= 2 {
		digits, rest = rest[:2], rest[2:]
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n > utf8.MaxRune {
		c.fail(`expected \xHH or \x{H…}`)
		return 0
	}
	c.at = len(c.source) - len(rest)
	to.add(rune(n), rune(n))
	return rune(n)
}

// property returns the characters of an escape such as \s or \p{L}.
func (c *compiler) property(escape byte) []span {
	name := ""
	switch escape {
	case 's', 'S':
		name = "White_Space"
	case 'd', 'D':
		name = "Nd"
	default:
		inner, _, ok := strings.Cut(c.source[c.at:], "}")
		switch {
		case ok && strings.HasPrefix(inner, "{"):
			name = inner[1:]
			c.at += len(inner) + 1
		case c.more():
			name = string(c.character())
		}
	}
	spans, ok := propertySpans(name)
	if !ok {
		c.fail("the property %q is not supported", name)
	}
	return spans
}

// class reads the rest of a class in brackets.
func (c *compiler) class() *set {
	gather := &collector{folded: c.folded}
	negated := c.accept("^")
	for first := true; c.more() && (c.next() != ']' || first); first = false {
		if c.next() == '[' || strings.HasPrefix(c.source[c.at:], "&&") {
			c.fail("classes within classes are not supported")
			break
		}
		from, single := c.member(gather)
		if !single || c.next() != '-' || strings.HasPrefix(c.source[c.at:], "-]") {
			continue
		}
		c.at++
		to, single := c.member(gather)
		if !single || to < from {
			c.fail("expected a range of characters in order")
			break
		}
		gather.add(from, to)
	}
	if !c.accept("]") {
		c.fail("expected a closing bracket")
	}
	return gather.set(negated)
}

// member reads a character or an escape of a class, and adds it.
func (c *compiler) member(to *collector) (r rune, single bool) {
	if c.next() == '\\' {
		return c.escape(to)
	}
	r = c.character()
	to.add(r, r)
	return r, true
}
