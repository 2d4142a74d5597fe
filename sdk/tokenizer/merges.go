package tokenizer

import "github.com/dragoman-project/dragoman/internal/work"

// merges is the table of pairs of tokens that are merged into one, with their ranks: open addressing by the pair.
type merges struct {
	slots []merge
	used  int
}

type merge struct {
	pair pair // 0 is an empty slot
	to   ranked
}

// pair is two ids, the left one in the upper half; the left one is increased by one, so that no pair is 0.
type pair uint64

func pairOf(left, right ID) pair { return pair(left+1)<<32 | pair(right) }

// ranked is the rank of a merge in the upper half, and the id that it yields: the lower rank is merged first.
type ranked uint64

// unmerged is for pairs that are not merged; all ranks are lower.
const unmerged = ^ranked(0)

func (r ranked) id() ID { return ID(r) }

func newMerges(n int) *merges {
	size := 1 << 10
	for size < n+n/2 {
		size *= 2
	}
	return &merges{slots: make([]merge, size)}
}

func (m *merges) slot(p pair) int {
	const phi = 0x9E3779B97F4A7C15 // spreads neighbouring pairs
	h := uint64(p) * phi
	mask := len(m.slots) - 1
	for i := int(h^h>>29) & mask; ; i = (i + 1) & mask {
		if at := m.slots[i].pair; at == p || at == 0 {
			return i
		}
	}
}

// put adds a merge, in place of an earlier one of the same pair.
func (m *merges) put(left, right ID, rank int, id ID) {
	if m.used*4 >= len(m.slots)*3 {
		old := m.slots
		m.slots = make([]merge, 2*len(old))
		for _, e := range old {
			if e.pair != 0 {
				m.slots[m.slot(e.pair)] = e
			}
		}
	}
	p := pairOf(left, right)
	i := m.slot(p)
	if m.slots[i].pair == 0 {
		m.used++
	}
	m.slots[i] = merge{p, ranked(rank)<<32 | ranked(id)}
}

func (m *merges) of(left, right ID) ranked {
	if s := &m.slots[m.slot(pairOf(left, right))]; s.pair != 0 {
		return s.to
	}
	return unmerged
}

// scanned is the number of symbols from which a heap is faster than looking for the lowest rank each time.
const scanned = 48

// merge merges symbols in place, the lowest rank first and the leftmost of equals, and returns those that remain.
func (m *merges) merge(symbols []ID, w *workspace) []ID {
	if len(symbols) < scanned {
		return m.mergeFew(symbols, w)
	}
	return m.mergeMany(symbols, w)
}

func (m *merges) mergeFew(s []ID, w *workspace) []ID {
	ranks := w.ranks[:0]
	for i := 0; i+1 < len(s); i++ {
		ranks = append(ranks, m.of(s[i], s[i+1]))
	}
	for {
		best, at := unmerged, -1
		for i, r := range ranks {
			if r < best && (at < 0 || r>>32 < best>>32) {
				best, at = r, i
			}
		}
		if at < 0 {
			break
		}
		s[at] = best.id()
		s = append(s[:at+1], s[at+2:]...)
		ranks = append(ranks[:at], ranks[at+1:]...)
		if at > 0 {
			ranks[at-1] = m.of(s[at-1], s[at])
		}
		if at < len(ranks) {
			ranks[at] = m.of(s[at], s[at+1])
		}
	}
	w.ranks = ranks
	return s
}

// candidate is a merge of the symbol at a position with the next one. It may be out of date.
type candidate struct {
	to ranked
	at int32
}

func (c candidate) before(d candidate) bool {
	return c.to>>32 < d.to>>32 || c.to>>32 == d.to>>32 && c.at < d.at
}

// gone marks a symbol that was merged into the one before it. No token has this id.
const gone = ^ID(0)

// mergeMany keeps the candidates in a heap and the symbols that remain in a doubly linked list.
func (m *merges) mergeMany(s []ID, w *workspace) []ID {
	n := len(s)
	w.heap, w.next, w.prev = w.heap[:0], w.next[:0], w.prev[:0]
	for i := range n {
		w.meter.Spend(1)
		w.next, w.prev = append(w.next, int32(i+1)), append(w.prev, int32(i-1))
		if i+1 < n {
			if r := m.of(s[i], s[i+1]); r != unmerged {
				w.heap = append(w.heap, candidate{r, int32(i)})
			}
		}
	}
	w.heap.order(w.meter)
	for len(w.heap) > 0 {
		w.meter.Spend(1)
		c := w.heap.pop()
		w.taken++
		i := c.at
		if s[i] == gone {
			continue
		}
		j := w.next[i]
		if int(j) >= n || m.of(s[i], s[j]) != c.to {
			continue
		}
		s[i], s[j] = c.to.id(), gone
		after, before := w.next[j], w.prev[i]
		w.next[i] = after
		if int(after) < n {
			w.prev[after] = i
			if r := m.of(s[i], s[after]); r != unmerged {
				w.heap.push(candidate{r, i})
			}
		}
		if before >= 0 {
			if r := m.of(s[before], s[i]); r != unmerged {
				w.heap.push(candidate{r, before})
			}
		}
	}
	left := s[:0]
	for _, id := range s {
		if id != gone {
			left = append(left, id)
		}
	}
	return left
}

// candidates is a heap, the first one on top. Package container/heap would allocate for each candidate.
type candidates []candidate

func (h candidates) order(m *work.Meter) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		m.Spend(1)
		h.sink(i)
	}
}

func (h *candidates) push(c candidate) {
	*h = append(*h, c)
	all := *h
	for i := len(all) - 1; i > 0; {
		up := (i - 1) / 2
		if !all[i].before(all[up]) {
			return
		}
		all[i], all[up] = all[up], all[i]
		i = up
	}
}

func (h *candidates) pop() candidate {
	all := *h
	first, last := all[0], len(all)-1
	all[0] = all[last]
	*h = all[:last]
	h.sink(0)
	return first
}

func (h candidates) sink(i int) {
	for {
		down := 2*i + 1
		if down >= len(h) {
			return
		}
		if down+1 < len(h) && h[down+1].before(h[down]) {
			down++
		}
		if !h[down].before(h[i]) {
			return
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}
