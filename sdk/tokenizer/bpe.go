package tokenizer

import (
	"sync/atomic"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/work"
)

// none is no token. No vocabulary has this id.
const none = ^ID(0)

// bpe is a model of byte pair encoding: a piece of text becomes symbols, which are bytes or characters, and these are merged.
//
// Symbols that no merge joins separate what can be merged on their left from what can be on their right. There long pieces are
// cut, which keeps the parts short where a tokenizer does not split texts at all.
type bpe struct {
	words        *vocabulary // for byte-level models by the bytes that tokens stand for
	merges       *merges
	byteLevel    bool
	ignoreMerges bool // pieces that are a token are not merged
	fuseUnknown  bool
	unknown      ID      // or none
	bytes        [256]ID // the tokens of single bytes, or none: all symbols at byte level, and those of unknown characters
	ascii        [128]ID // the tokens of these characters, or none; not at byte level
	joined       pairSet // symbols that can come to lie side by side in a merge
	longest      int     // bytes of a token
	whole        []atomic.Uint32
}

// workspace is the memory of an encoding, for reuse.
type workspace struct {
	meter      *work.Meter
	symbols    []ID
	starts     []int32 // where the symbols begin in the piece
	holes      []hole
	ranks      []ranked
	heap       candidates
	next, prev []int32
	taken      int // candidates that were taken from the heap, in all
}

// hole is a part of a piece without a token of its own: it is unknown, or skipped if the model has no token for that.
type hole struct {
	at, size int32
	skipped  bool
}

// encode appends the tokens of a piece.
func (m *bpe) encode(e *encoder, piece string, at int) {
	if m.ignoreMerges && len(piece) <= m.longest {
		if id, ok := m.words.id(piece); ok {
			e.add(id, at, at+len(piece))
			return
		}
	}
	if m.encodeWhole(e, piece, at) {
		return
	}
	w := e.workspace
	m.symbolize(piece, w)
	if len(w.symbols) < scanned/2 {
		m.encodePart(e, piece, at, 0, len(w.symbols))
		return
	}
	from := 0
	for i := 1; i <= len(w.symbols); i++ {
		if i == len(w.symbols) || !m.joined.has(w.symbols[i-1], w.symbols[i]) {
			m.encodePart(e, piece, at, from, i)
			from = i
		}
	}
}

// encodeWhole appends the token that a text is known to become, and reports whether there is one.
func (m *bpe) encodeWhole(e *encoder, text string, at int) bool {
	if len(text) > m.longest {
		return false
	}
	id, ok := m.words.id(text)
	if ok = ok && m.state(id) == isWhole; ok {
		e.add(id, at, at+len(text))
	}
	return ok
}

// encodePart appends the tokens of some of the symbols of a piece.
func (m *bpe) encodePart(e *encoder, piece string, at, from, to int) {
	if from == to {
		return
	}
	w := e.workspace
	w.meter.Spend(to - from)
	start, end := int(w.starts[from]), len(piece)
	if to < len(w.starts) {
		end = int(w.starts[to])
	}
	symbols := w.symbols[from:to:to]
	if len(symbols) > 1 {
		text := piece[start:end]
		if to-from < len(w.symbols) && len(w.holes) == 0 && m.encodeWhole(e, text, at+start) {
			return
		}
		symbols = m.merges.merge(symbols, w)
		if len(w.holes) == 0 {
			m.learn(text, symbols)
		}
	}
	for _, id := range symbols {
		size := len(m.words.text(id))
		if m.isFallback(id) {
			size = 1
		}
		for len(w.holes) > 0 && int(w.holes[0].at) <= start {
			h := w.holes[0]
			w.holes = w.holes[1:]
			if int(h.at) == start && h.skipped {
				start += int(h.size)
			} else if int(h.at) == start {
				size = int(h.size)
				break
			}
		}
		e.add(id, at+start, at+start+size)
		start += size
	}
}

// symbolize fills the workspace with the symbols of a piece.
func (m *bpe) symbolize(piece string, w *workspace) {
	w.symbols, w.starts, w.holes = w.symbols[:0], w.starts[:0], w.holes[:0]
	if m.byteLevel {
		for i := range len(piece) {
			w.meter.Spend(1)
			m.symbol(m.bytes[piece[i]], i, 1, w)
		}
		return
	}
	for i := 0; i < len(piece); {
		w.meter.Spend(1)
		if b := piece[i]; b < utf8.RuneSelf {
			if id := m.ascii[b]; id != none {
				w.symbols, w.starts = append(w.symbols, id), append(w.starts, int32(i))
			} else {
				m.fallback(piece[i:i+1], i, w)
			}
			i++
			continue
		}
		_, n := utf8.DecodeRuneInString(piece[i:])
		if id, ok := m.words.id(piece[i : i+n]); ok {
			w.symbols, w.starts = append(w.symbols, id), append(w.starts, int32(i))
		} else {
			m.fallback(piece[i:i+n], i, w)
		}
		i += n
	}
}

// fallback adds a character that is no token: its bytes, if the model has tokens for them.
func (m *bpe) fallback(char string, at int, w *workspace) {
	if m.bytes[char[0]] == none {
		m.symbol(none, at, len(char), w)
		return
	}
	for i := range len(char) {
		w.symbols, w.starts = append(w.symbols, m.bytes[char[i]]), append(w.starts, int32(at+i))
	}
}

// symbol adds a symbol, or the unknown one.
func (m *bpe) symbol(id ID, at, size int, w *workspace) {
	if id == none {
		h := hole{int32(at), int32(size), m.unknown == none}
		if n := len(w.holes); m.fuseUnknown && n > 0 && w.holes[n-1].at+w.holes[n-1].size == h.at && !h.skipped {
			w.holes[n-1].size += h.size
			return
		}
		w.holes = append(w.holes, h)
		if id = m.unknown; id == none {
			return
		}
	}
	w.symbols, w.starts = append(w.symbols, id), append(w.starts, int32(at))
}

// isFallback reports whether a token stands for a byte of a character that is no token.
func (m *bpe) isFallback(id ID) bool {
	if m.byteLevel {
		return false
	}
	b, ok := spelledByte(m.words.text(id))
	return ok && m.bytes[b] == id
}

// spelledByte returns the byte that a token such as <0x0A> stands for.
func spelledByte(text []byte) (b byte, ok bool) {
	if len(text) != len("<0x00>") || string(text[:3]) != "<0x" || text[5] != '>' {
		return 0, false
	}
	for _, digit := range text[3:5] {
		switch {
		case digit >= '0' && digit <= '9':
			b = b<<4 | (digit - '0')
		case digit >= 'A' && digit <= 'F':
			b = b<<4 | (digit - 'A' + 10)
		default:
			return 0, false
		}
	}
	return b, true
}

// What is known of a token: whether merging its own text yields it. Merges tell.
const (
	notWhole = 1
	isWhole  = 2
	perWord  = 16 // tokens in an element of bpe.whole
)

func (m *bpe) state(id ID) uint32 {
	return m.whole[id/perWord].Load() >> (id % perWord * 2) & 3
}

// learn notes what a text was merged into, if the text is a token.
func (m *bpe) learn(text string, symbols []ID) {
	if len(text) > m.longest {
		return
	}
	if id, ok := m.words.id(text); ok && m.state(id) == 0 {
		found := uint32(notWhole)
		if len(symbols) == 1 && symbols[0] == id {
			found = isWhole
		}
		m.whole[id/perWord].Or(found << (id % perWord * 2))
	}
}

// pairSet is a set of pairs of symbols that may hold more than was added, which costs a cut and is never wrong.
type pairSet []uint64

const pairSetBits = 22

func newPairSet() pairSet { return make(pairSet, 1<<pairSetBits/64) }

func (s pairSet) bit(a, b ID) uint64 {
	const phi = 0x9E3779B97F4A7C15
	return (uint64(a)<<32 | uint64(b)) * phi >> (64 - pairSetBits)
}

func (s pairSet) add(a, b ID) {
	bit := s.bit(a, b)
	s[bit/64] |= 1 << (bit % 64)
}

func (s pairSet) has(a, b ID) bool {
	bit := s.bit(a, b)
	return s[bit/64]&(1<<(bit%64)) != 0
}
