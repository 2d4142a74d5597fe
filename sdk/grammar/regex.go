package grammar

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// regex writes an expression without calls as a regular expression in the syntax of Rust and Go, between slashes.
func regex(e *expr) string {
	var w regexWriter
	w.WriteByte('/')
	w.expr(e, looseChoice)
	w.WriteByte('/')
	return w.String()
}

type regexWriter struct{ strings.Builder }

func (w *regexWriter) expr(e *expr, around binding) {
	switch e.op {
	case literal:
		w.text(e.text, around)
	case class:
		w.set(e.set)
	case sequence:
		w.kids(e.kids, "", looseSequence, around > looseSequence)
	case choice:
		w.kids(e.kids, "|", looseSequence, around > looseChoice)
	case repeat:
		w.grouped(around == tight, func() {
			w.expr(e.kids[0], tight)
			w.WriteString(quantifier(e.min, e.max))
		})
	}
}

func (w *regexWriter) grouped(parens bool, body func()) {
	if parens {
		w.WriteString("(?:")
		defer w.WriteByte(')')
	}
	body()
}

func (w *regexWriter) kids(kids []*expr, between string, around binding, parens bool) {
	w.grouped(parens, func() {
		for i, k := range kids {
			if i > 0 {
				w.WriteString(between)
			}
			w.expr(k, around)
		}
	})
}

func (w *regexWriter) text(s string, around binding) {
	w.grouped(around == tight && utf8.RuneCountInString(s) != 1, func() {
		for _, r := range s {
			w.char(r)
		}
	})
}

// surrogates are code points that no text has, and that classes of Rust cannot name.
var surrogates = charset{{Lo: 0xD800, Hi: 0xDFFF}}

func (w *regexWriter) set(s charset) {
	if s.every() {
		w.WriteString("(?s:.)")
		return
	}
	w.WriteByte('[')
	if s[len(s)-1].Hi == utf8.MaxRune {
		w.WriteByte('^')
		s = s.complement()
	}
	if len(s.intersect(surrogates)) > 0 {
		s = s.minus(surrogates)
	}
	for _, r := range s {
		w.char(r.Lo)
		if r.Hi > r.Lo+1 {
			w.WriteByte('-')
		}
		if r.Hi > r.Lo {
			w.char(r.Hi)
		}
	}
	w.WriteByte(']')
}

// char writes a character that means itself, also in a class.
func (w *regexWriter) char(r rune) {
	switch {
	case r == '\n':
		w.WriteString(`\n`)
	case r == '\t':
		w.WriteString(`\t`)
	case r == '\r':
		w.WriteString(`\r`)
	case strings.ContainsRune(`\/.+*?()|[]{}^$-&~#`, r):
		w.WriteByte('\\')
		w.WriteRune(r)
	case r < ' ' || r >= 0x7F && r < 0xA0 || r == utf8.RuneError || r == utf8.MaxRune:
		fmt.Fprintf(w, `\x{%X}`, r)
	default:
		w.WriteRune(r)
	}
}

// maxFollowed bounds the states of the automaton that tells where a text may go on.
const maxFollowed = 1 << 11

// goesOn is the set of characters with which a text of e may go on to be a longer beginning of a text of e. Where the
// automaton of e has too many states, it is those found so far.
func goesOn(e *expr) charset {
	c := &code{states: []state{{kind: stateEnd}}}
	start := c.compile(e, 0)
	first := c.closure([]int32{start})
	seen := map[string]bool{stateKey(first): true}
	var out charset
	for queue := [][]int32{first}; len(queue) > 0 && len(seen) < maxFollowed; queue = queue[1:] {
		states := queue[0]
		accepts := slices.Contains(states, 0)
		for _, part := range c.partition(states) {
			if accepts {
				out = out.union(charset{part})
			}
			next := c.closure(c.read(states, part.Lo))
			if key := stateKey(next); !seen[key] {
				seen[key] = true
				queue = append(queue, next)
			}
		}
	}
	return out
}

// stateKey tells sets of states apart.
func stateKey(states []int32) string {
	key := make([]byte, 0, 4*len(states))
	for _, s := range states {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	return string(key)
}

// closure is every state that is reached from states without reading, in order.
func (c *code) closure(states []int32) []int32 {
	c.marks = append(c.marks, make([]uint32, len(c.states)-len(c.marks))...)
	c.mark++
	var out []int32
	for todo := slices.Clone(states); len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.marks[at] == c.mark {
			continue
		}
		c.marks[at] = c.mark
		if c.states[at].kind == stateSplit {
			todo = append(todo, c.states[at].next...)
			continue
		}
		out = append(out, at)
	}
	slices.Sort(out)
	return out
}

// read is where states lead by the character r.
func (c *code) read(states []int32, r rune) []int32 {
	var out []int32
	for _, at := range states {
		if s := &c.states[at]; s.kind == stateChar && s.set.has(r) {
			out = append(out, s.next[0])
		}
	}
	return out
}

// partition are the ranges of characters that states read, cut so that all characters of one lead to the same states.
func (c *code) partition(states []int32) []peg.Range {
	var all charset
	var cuts []rune
	for _, at := range states {
		if s := &c.states[at]; s.kind == stateChar {
			all = all.union(s.set)
			for _, r := range s.set {
				cuts = append(cuts, r.Lo, r.Hi+1)
			}
		}
	}
	slices.Sort(cuts)
	return all.cut(slices.Compact(cuts))
}
