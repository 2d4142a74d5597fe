// Package pattern matches the patterns by which tokenizers split texts: regular expressions with lookaheads, in the notation of
// Oniguruma, as far as published tokenizers use it.
//
// A Pattern is alternatives of sequences; an item of a sequence is a set of characters with a quantifier, a group, or a
// lookahead at one character. The first alternative that matches wins, quantifiers are greedy. That is less than a library for
// regular expressions offers, for three reasons: sets follow the version of Unicode that the models were trained with, not that
// of the Go release; matches are byte ranges of a string, which costs no conversion; and splitting a text takes time linear in
// its length, whatever the pattern. What the notation has beyond that is refused by Compile.
package pattern

import "math"

// Pattern is a compiled pattern. It is immutable.
type Pattern struct {
	alternatives []sequence
	choices      int // the number of items with a choice
}

// sequence is a list of items that match one after the other.
type sequence struct {
	items []item
	first *item // where a match begins; what follows the sequence, if it has no items
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
	next       *item // what must match behind it, also outside of its group; nil at the end of the pattern
	choice     int   // the number of the item among those with a choice, or -1
}

type kind uint8

const (
	characters kind = iota
	group
	ahead    // a lookahead: the next character is in the set
	notAhead // a lookahead: there is no next character, or it is not in the set
)

// unbounded reports whether the number of characters has no upper limit.
func (it *item) unbounded() bool { return it.kind == characters && it.max == math.MaxInt }

// link connects the items of alternatives with what follows them, and numbers those with a choice.
func (p *Pattern) link(alternatives []sequence, next *item) {
	for i := range alternatives {
		after := next
		items := alternatives[i].items
		for j := len(items) - 1; j >= 0; j-- {
			it := &items[j]
			it.next, it.choice = after, -1
			if it.kind == group || it.kind == characters && it.max != 1 || it.min != 1 {
				it.choice = p.choices
				p.choices++
			}
			p.link(it.group, after)
			after = it
		}
		alternatives[i].first = after
	}
}
