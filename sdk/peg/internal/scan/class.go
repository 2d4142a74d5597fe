package scan

import (
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// class is a set of characters. A byte that is not UTF-8 counts as one character, U+FFFD.
type Class struct {
	Ranges  []peg.Range
	negated bool
	Ascii   ByteSet // the members below 128, for speed
}

func NewClass(ranges []peg.Range, negated bool) *Class {
	c := &Class{Ranges: ranges, negated: negated}
	for b := range rune(utf8.RuneSelf) {
		if c.Accepts(b) {
			c.Ascii.Add(byte(b))
		}
	}
	return c
}

func (c *Class) Accepts(r rune) bool {
	for _, g := range c.Ranges {
		if r >= g.Lo && r <= g.Hi {
			return !c.negated
		}
	}
	return c.negated
}

// next says whether b, not empty, begins with a member, and how long that is. last says that no byte follows b.
func (c *Class) Next(b []byte, last bool) (int, Outcome) {
	if b[0] < utf8.RuneSelf {
		if c.Ascii.Has(b[0]) {
			return 1, Matched
		}
		return 0, Failed
	}
	if !last && !utf8.FullRune(b) {
		return 0, Hungry
	}
	if r, n := utf8.DecodeRune(b); c.Accepts(r) {
		return n, Matched
	}
	return 0, Failed
}

// first is the set of bytes that a member can begin with.
func (c *Class) First() ByteSet {
	s := c.Ascii
	s.AddRange(utf8.RuneSelf, 255)
	return s
}
