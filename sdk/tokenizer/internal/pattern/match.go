package pattern

import (
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/work"
)

// Matcher finds the matches of a pattern in one text.
//
// Whether the rest of the pattern matches from an item and a position on depends on nothing else. So a Matcher that has taken
// many steps notes which of these fail, and tries none twice, neither within a match nor in a later one.
type Matcher struct {
	pattern *Pattern
	text    string
	meter   *work.Meter
	steps   int
	failed  []uint64 // a bit for each position and item with a choice; nil until steps exceeds patience
}

// patience is the number of steps for each byte of a text after which failures are noted. Patterns in use take fewer.
const patience = 64

// Matcher returns a matcher for a text, which must be valid UTF-8. Its steps are counted by a meter, which may be nil.
func (p *Pattern) Matcher(text string, m *work.Meter) Matcher {
	return Matcher{pattern: p, text: text, meter: m}
}

// Find returns the first match that is not empty and begins at or after from; end is negative if there is none.
func (m *Matcher) Find(from int) (start, end int) {
	for from < len(m.text) {
		if end := m.matchAt(from); end > from {
			return from, end
		}
		m.meter.Spend(1)
		if m.text[from] < utf8.RuneSelf {
			from++
		} else {
			_, n := utf8.DecodeRuneInString(m.text[from:])
			from += n
		}
	}
	return -1, -1
}

// matchAt returns the end of the match at a position, or -1.
func (m *Matcher) matchAt(at int) int {
	for i := range m.pattern.alternatives {
		if a := &m.pattern.alternatives[i]; a.canBegin(m.text, at) {
			if end := m.match(a.first, at); end >= 0 {
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

// match returns the end of the match of an item and all that follows it at a position, or -1.
func (m *Matcher) match(it *item, at int) int {
	switch {
	case it == nil:
		return at
	case it.kind == characters:
		return m.repeat(it, at)
	case it.kind == group:
		return m.group(it, at)
	case it.set.follows(m.text, at) != (it.kind == ahead):
		return -1
	}
	return m.match(it.next, at)
}

func (m *Matcher) group(it *item, at int) int {
	if m.hasFailed(it, at) {
		return -1
	}
	m.count(1)
	if it.max > 0 {
		for i := range it.group {
			if end := m.match(it.group[i].first, at); end >= 0 {
				return end
			}
		}
	}
	if it.min == 0 {
		if end := m.match(it.next, at); end >= 0 {
			return end
		}
	}
	m.fail(it, at)
	return -1
}

// checked is the number of characters of one repetition between two looks at the meter.
const checked = 1 << 16

// repeat matches a set as often as it can, and less often until the rest matches.
//
// A failure of an item without a bound is noted where it has matched often enough: there it does not matter where it began.
func (m *Matcher) repeat(it *item, at int) int {
	unbounded := it.unbounded()
	if !unbounded && m.hasFailed(it, at) {
		return -1
	}
	end, n, failed := at, 0, false
	for n < it.max && end < len(m.text) {
		if failed = unbounded && n >= it.min && m.hasFailed(it, end); failed {
			break
		}
		size := it.set.size(m.text, end)
		if size == 0 {
			break
		}
		end += size
		if n++; n%checked == 0 {
			m.meter.Check()
		}
	}
	m.count(n + 1)
	if n < it.min {
		return -1
	}
	for {
		if !failed {
			if e := m.match(it.next, end); e >= 0 {
				return e
			}
		}
		if unbounded {
			m.fail(it, end)
		}
		if n == it.min || it.possessive && m.failed == nil {
			break
		}
		failed = it.possessive
		_, size := utf8.DecodeLastRuneInString(m.text[at:end])
		end -= size
		n--
		m.count(1)
	}
	if !unbounded {
		m.fail(it, at)
	}
	return -1
}

// count counts steps, and begins to note failures when they become many.
func (m *Matcher) count(n int) {
	m.meter.Spend(n)
	if m.steps += n; m.failed == nil && m.steps > patience*(len(m.text)+1) {
		m.failed = make([]uint64, (m.pattern.choices*(len(m.text)+1)+63)/64)
	}
}

// hasFailed reports whether it is noted that nothing matches from an item and a position on.
func (m *Matcher) hasFailed(it *item, at int) bool {
	if m.failed == nil || it.choice < 0 {
		return false
	}
	bit := it.choice*(len(m.text)+1) + at
	return m.failed[bit/64]&(1<<(bit%64)) != 0
}

func (m *Matcher) fail(it *item, at int) {
	if m.failed != nil && it.choice >= 0 {
		bit := it.choice*(len(m.text)+1) + at
		m.failed[bit/64] |= 1 << (bit % 64)
	}
}
