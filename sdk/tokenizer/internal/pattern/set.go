package pattern

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// set is a set of characters: a bitmap for the characters below 65536, and sorted ranges beyond.
type set struct {
	low  [low / 64]uint64
	high []span // sorted, disjoint
}

// low is where the bitmap of a set ends.
const low = 1 << 16

// span is a range of characters, both ends included.
type span struct{ first, last rune }

// has reports whether a character is in the set.
func (s *set) has(r rune) bool {
	if r < low {
		return s.low[r>>6]&(1<<(r&63)) != 0
	}
	_, found := slices.BinarySearchFunc(s.high, r, func(in span, r rune) int {
		switch {
		case in.last < r:
			return -1
		case in.first > r:
			return 1
		}
		return 0
	})
	return found
}

// size returns the number of bytes of the character at a position, or 0 if it is not in the set.
func (s *set) size(text string, at int) int {
	r, n := rune(text[at]), 1
	if r >= utf8.RuneSelf {
		r, n = utf8.DecodeRuneInString(text[at:])
	}
	if !s.has(r) {
		return 0
	}
	return n
}

// follows reports whether the next character is in the set.
func (s *set) follows(text string, at int) bool { return at < len(text) && s.size(text, at) > 0 }

// lastCased is the last character with an upper and a lower case.
var lastCased = rune(unicode.CaseRanges[len(unicode.CaseRanges)-1].Hi)

// collector gathers the ranges of a set.
type collector struct {
	spans  []span
	folded bool // letters stand for both cases
}

func (c *collector) add(first, last rune) {
	c.spans = append(c.spans, span{first, last})
	if !c.folded {
		return
	}
	for r := first; r <= min(last, lastCased); r++ {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			c.spans = append(c.spans, span{f, f})
		}
	}
}

// addAll adds ranges, or what is not in them. They are sorted and disjoint.
func (c *collector) addAll(spans []span, negated bool) {
	if negated {
		spans = complement(spans)
	}
	c.spans = append(c.spans, spans...)
}

// set returns what was gathered, or the complement of that.
func (c *collector) set(negated bool) *set {
	spans := merged(c.spans)
	if negated {
		spans = complement(spans)
	}
	s := &set{}
	for _, in := range spans {
		for r := in.first; r <= in.last && r < low; r++ {
			s.low[r>>6] |= 1 << (r & 63)
		}
		if in.last >= low {
			s.high = append(s.high, span{max(in.first, low), in.last})
		}
	}
	return s
}

// merged returns ranges as sorted and disjoint ones.
func merged(spans []span) []span {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return int(a.first - b.first) })
	out := spans[:0]
	for _, in := range spans {
		if n := len(out); n > 0 && in.first <= out[n-1].last+1 {
			out[n-1].last = max(out[n-1].last, in.last)
		} else {
			out = append(out, in)
		}
	}
	return out
}

// complement returns the characters that are not in sorted, disjoint ranges.
func complement(spans []span) []span {
	var out []span
	next := rune(0)
	for _, in := range spans {
		if in.first > next {
			out = append(out, span{next, in.first - 1})
		}
		next = in.last + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}
