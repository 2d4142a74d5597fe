package grammar

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// charset is a set of code points: ranges in order, apart from each other.
type charset []peg.Range

var everyChar = charset{{Lo: 0, Hi: utf8.MaxRune}}

// newCharset is the union of ranges; reversed and negative ones are left out.
func newCharset(ranges ...peg.Range) charset {
	sorted := make([]peg.Range, 0, len(ranges))
	for _, r := range ranges {
		r.Lo, r.Hi = max(r.Lo, 0), min(r.Hi, utf8.MaxRune)
		if r.Lo <= r.Hi {
			sorted = append(sorted, r)
		}
	}
	slices.SortFunc(sorted, func(a, b peg.Range) int { return cmp.Compare(a.Lo, b.Lo) })
	var set charset
	for _, r := range sorted {
		if n := len(set); n > 0 && r.Lo <= set[n-1].Hi+1 {
			set[n-1].Hi = max(set[n-1].Hi, r.Hi)
			continue
		}
		set = append(set, r)
	}
	return set
}

// charsOf is the set of the characters of s.
func charsOf(s string) charset {
	var ranges []peg.Range
	for _, r := range s {
		ranges = append(ranges, peg.Range{Lo: r, Hi: r})
	}
	return newCharset(ranges...)
}

// complement is every character that s lacks.
func (s charset) complement() charset {
	var out charset
	next := rune(0)
	for _, r := range s {
		if r.Lo > next {
			out = append(out, peg.Range{Lo: next, Hi: r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, peg.Range{Lo: next, Hi: utf8.MaxRune})
	}
	return out
}

func (s charset) minus(t charset) charset {
	return newCharset(append(slices.Clone(s.complement()), t...)...).complement()
}

func (s charset) union(t charset) charset { return newCharset(slices.Concat(s, t)...) }

func (s charset) intersect(t charset) charset { return s.minus(t.complement()) }

func (s charset) has(r rune) bool {
	i, found := slices.BinarySearchFunc(s, r, func(in peg.Range, r rune) int {
		switch {
		case in.Hi < r:
			return -1
		case in.Lo > r:
			return 1
		}
		return 0
	})
	return found && i >= 0
}

func (s charset) every() bool { return len(s) == 1 && s[0] == everyChar[0] }
