package pattern

import "unicode/utf8"

// newSequence returns a sequence with the characters that it can begin with.
func newSequence(items []item) sequence {
	s := sequence{items: items}
	for b := range rune(utf8.RuneSelf) {
		if can(items, func(in *set) bool { return in.has(b) }) {
			s.begins[b>>6] |= 1 << (b & 63)
		}
	}
	s.others = can(items, func(*set) bool { return true })
	return s
}

// can reports whether items can match from a character on, as far as a test of sets tells.
func can(items []item, has func(*set) bool) bool {
	for i := range items {
		switch it := &items[i]; it.kind {
		case ahead, notAhead: // it restricts what follows; leaving it out only finds more
		case group:
			for _, g := range it.group {
				if can(g.items, has) {
					return true
				}
			}
			if it.min > 0 && !nullable(it.group) {
				return false
			}
		default:
			if has(it.set) {
				return true
			}
			if it.min > 0 {
				return false
			}
		}
	}
	return true // it may match without consuming anything
}

// MatchesEmpty reports whether the pattern could match without consuming anything. Find does not find such matches.
func (p *Pattern) MatchesEmpty() bool { return nullable(p.alternatives) }

func nullable(all []sequence) bool {
	for _, s := range all {
		if can(s.items, func(*set) bool { return false }) {
			return true
		}
	}
	return false
}
