package scan

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Class is a set of characters. A byte that is not UTF-8 counts as one character, U+FFFD.
type Class struct {
	Ranges  []peg.Range // in order, with gaps between them
	negated bool
	ASCII   ByteSet // the members below 128, for speed
}

// NewClass returns the class of the characters in ranges, or outside them if negated.
func NewClass(ranges []peg.Range, negated bool) *Class {
	c := &Class{Ranges: merged(ranges), negated: negated}
	for b := range rune(utf8.RuneSelf) {
		if c.Accepts(b) {
			c.ASCII.Add(byte(b))
		}
	}
	return c
}

// Accepts reports whether r is a member.
func (c *Class) Accepts(r rune) bool {
	_, found := slices.BinarySearchFunc(c.Ranges, r, func(in peg.Range, r rune) int {
		switch {
		case in.Hi < r:
			return -1
		case in.Lo > r:
			return 1
		}
		return 0
	})
	return found != c.negated
}

// merged returns the union of ranges, in order. Programs may have as many of them as they like, and texts are looked up in them.
func merged(ranges []peg.Range) []peg.Range {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b peg.Range) int { return cmp.Compare(a.Lo, b.Lo) })
	out := sorted[:0]
	for _, r := range sorted {
		if n := len(out); n > 0 && r.Lo <= out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// Next reports whether b, which is not empty, begins with a member, and how long that is. If last is set, no byte follows b.
func (c *Class) Next(b []byte, last bool) (int, Outcome) {
	if b[0] < utf8.RuneSelf {
		if c.ASCII.Has(b[0]) {
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

// First returns the set of bytes that a member can begin with.
func (c *Class) First() ByteSet {
	s := c.ASCII
	s.AddRange(utf8.RuneSelf, 255)
	return s
}
