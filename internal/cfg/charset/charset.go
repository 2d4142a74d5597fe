// Package charset holds sets of characters: unions of ranges of code points.
package charset

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Range is the characters from Lo to Hi.
type Range struct{ Lo, Hi rune }

// Set is a set of code points: sorted ranges with gaps between them.
type Set []Range

// Blanks is the white space.
var Blanks = Of(" \t\n\v\f\r")

// All is the set of all characters.
var All = Set{{Lo: 0, Hi: utf8.MaxRune}}

// New returns the union of ranges, ignoring reversed and negative ones.
func New(ranges ...Range) Set {
	sorted := make([]Range, 0, len(ranges))
	for _, r := range ranges {
		r.Lo, r.Hi = max(r.Lo, 0), min(r.Hi, utf8.MaxRune)
		if r.Lo <= r.Hi {
			sorted = append(sorted, r)
		}
	}
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.Lo, b.Lo) })
	var set Set
	for _, r := range sorted {
		if n := len(set); n > 0 && r.Lo <= set[n-1].Hi+1 {
			set[n-1].Hi = max(set[n-1].Hi, r.Hi)
			continue
		}
		set = append(set, r)
	}
	return set
}

// Of returns the set of the characters of s.
func Of(s string) Set {
	var ranges []Range
	for _, r := range s {
		ranges = append(ranges, Range{Lo: r, Hi: r})
	}
	return New(ranges...)
}

// Complement returns the characters not in s.
func (s Set) Complement() Set {
	var out Set
	next := rune(0)
	for _, r := range s {
		if r.Lo > next {
			out = append(out, Range{Lo: next, Hi: r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, Range{Lo: next, Hi: utf8.MaxRune})
	}
	return out
}

// Minus returns the characters of s that are not in t.
func (s Set) Minus(t Set) Set {
	return New(append(slices.Clone(s.Complement()), t...)...).Complement()
}

// Union returns the characters of s and t.
func (s Set) Union(t Set) Set { return New(slices.Concat(s, t)...) }

// Intersect returns the characters that are in both s and t.
func (s Set) Intersect(t Set) Set { return s.Minus(t.Complement()) }

// Has reports whether r is in s.
func (s Set) Has(r rune) bool {
	i, found := slices.BinarySearchFunc(s, r, func(in Range, r rune) int {
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

// IsAll reports whether s holds all characters.
func (s Set) IsAll() bool { return len(s) == 1 && s[0] == All[0] }

// Cut returns the ranges of s, split before each of cuts.
func (s Set) Cut(cuts []rune) []Range {
	var out []Range
	for _, r := range s {
		lo := r.Lo
		for _, cut := range cuts {
			if cut > lo && cut <= r.Hi {
				out = append(out, Range{Lo: lo, Hi: cut - 1})
				lo = cut
			}
		}
		out = append(out, Range{Lo: lo, Hi: r.Hi})
	}
	return out
}

// Size returns the number of characters in s.
func (s Set) Size() int {
	n := 0
	for _, r := range s {
		n += int(r.Hi-r.Lo) + 1
	}
	return n
}
