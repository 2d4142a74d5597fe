// Package pattern matches the patterns by which tokenizers split texts: regular expressions with lookaheads, in the notation of
// Oniguruma, as far as published tokenizers use it.
//
// A Pattern is alternatives of sequences; an item of a sequence is a set of characters with a quantifier, a group, or a
// lookahead at one character. The first alternative that matches wins, quantifiers are greedy. That is less than a library for
// regular expressions offers, for three reasons: sets follow the version of Unicode that the models were trained with, not that
// of the Go release; matches are byte ranges of a string, which costs no conversion; and no pattern that compiles can
// backtrack further than the limits of Compile allow. What the notation has beyond that is refused by Compile.
package pattern

import "unicode/utf8"

// Pattern is a compiled pattern. It is immutable.
type Pattern struct {
	alternatives []sequence
}

// sequence is a list of items that match one after the other.
type sequence struct {
	items []item
	// begins holds the ASCII characters that a match can begin with; others is whether it can begin with one beyond, or be empty.
	begins [2]uint64
	others bool
}

// item is a part of a sequence.
type item struct {
	kind       kind
	set        *set
	min, max   int // how often the set matches; a group is optional if min is 0
	possessive bool
	group      []sequence
}

type kind uint8

const (
	characters kind = iota
	group
	ahead    // a lookahead: the next character is in the set
	notAhead // a lookahead: there is no next character, or it is not in the set
)

// Find returns the first match that is not empty and begins at or after from; end is negative if there is none.
func (p *Pattern) Find(text string, from int) (start, end int) {
	for from < len(text) {
		if end := p.matchAt(text, from); end > from {
			return from, end
		}
		if text[from] < utf8.RuneSelf {
			from++
		} else {
			_, n := utf8.DecodeRuneInString(text[from:])
			from += n
		}
	}
	return -1, -1
}

// matchAt returns the end of the match at a position, or -1.
func (p *Pattern) matchAt(text string, at int) int {
	return firstOf(p.alternatives, text, at)
}

func firstOf(alternatives []sequence, text string, at int) int {
	for i := range alternatives {
		if a := &alternatives[i]; a.canBegin(text, at) {
			if end := match(a.items, text, at); end >= 0 {
				return end
			}
		}
	}
	return -1
}

// canBegin reports whether a sequence could match here; it decides by one byte.
func (s *sequence) canBegin(text string, at int) bool {
	if at >= len(text) || text[at] >= utf8.RuneSelf {
		return s.others
	}
	return s.begins[text[at]>>6]&(1<<(text[at]&63)) != 0
}

// match returns the end of the match of items at a position, or -1.
func match(items []item, text string, at int) int {
	if len(items) == 0 {
		return at
	}
	switch it, rest := &items[0], items[1:]; it.kind {
	case ahead, notAhead:
		if it.set.follows(text, at) != (it.kind == ahead) {
			return -1
		}
		return match(rest, text, at)
	case group:
		for i := range it.group {
			if end := match(it.group[i].items, text, at); end >= 0 {
				if end = match(rest, text, end); end >= 0 {
					return end
				}
			}
		}
		if it.min == 0 {
			return match(rest, text, at)
		}
		return -1
	default:
		return repeat(it, rest, text, at)
	}
}

// repeat matches a set as often as it can, and less often until the rest matches.
func repeat(it *item, rest []item, text string, at int) int {
	end, n := at, 0
	for n < it.max && end < len(text) {
		size := it.set.size(text, end)
		if size == 0 {
			break
		}
		end += size
		n++
	}
	if n < it.min {
		return -1
	}
	if len(rest) == 0 {
		return end
	}
	for {
		if e := match(rest, text, end); e >= 0 {
			return e
		}
		if n == it.min || it.possessive {
			return -1
		}
		_, size := utf8.DecodeLastRuneInString(text[at:end])
		end -= size
		n--
	}
}
