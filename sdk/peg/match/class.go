package match

import (
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// class is a set of characters. A byte that is not UTF-8 counts as one character, U+FFFD.
type class struct {
	ranges  []peg.Range
	negated bool
	ascii   byteSet // the members below 128, for speed
}

func newClass(ranges []peg.Range, negated bool) *class {
	c := &class{ranges: ranges, negated: negated}
	for b := range rune(utf8.RuneSelf) {
		if c.accepts(b) {
			c.ascii.add(byte(b))
		}
	}
	return c
}

func (c *class) accepts(r rune) bool {
	for _, g := range c.ranges {
		if r >= g.Lo && r <= g.Hi {
			return !c.negated
		}
	}
	return c.negated
}

// next says whether b, not empty, begins with a member, and how long that is. last says that no byte follows b.
func (c *class) next(b []byte, last bool) (int, outcome) {
	if b[0] < utf8.RuneSelf {
		if c.ascii.has(b[0]) {
			return 1, matched
		}
		return 0, failed
	}
	if !last && !utf8.FullRune(b) {
		return 0, hungry
	}
	if r, n := utf8.DecodeRune(b); c.accepts(r) {
		return n, matched
	}
	return 0, failed
}

// first is the set of bytes that a member can begin with.
func (c *class) first() byteSet {
	s := c.ascii
	s.addRange(utf8.RuneSelf, 255)
	return s
}
