package automaton

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg"
)

// Status is the relation of a text to a grammar.
type Status uint8

// The statuses of a text.
const (
	// Incomplete: a proper prefix of an accepted text. The zero value.
	Incomplete Status = iota
	// Accepted: the whole text is accepted; a longer one may be, too.
	Accepted
	// Refused: no text with this prefix is accepted.
	Refused
)

func (s Status) String() string { return [...]string{"incomplete", "accepted", "refused"}[s] }

// Result is the outcome of a match.
type Result struct {
	Status Status
	// Offset is the byte at which the text left the grammar, or the length of the text.
	Offset int
	// Expected lists up to eight classes of characters, in GBNF, that are accepted at Offset.
	Expected []string
}

// Matcher matches a text that arrives in chunks. It follows all ways to read the text in parallel.
// All calls of a rule at the same position share a frame, so neither ambiguity nor recursion
// multiplies the work: it is linear for grammars built from programs, and cubic in the worst case.
type Matcher struct {
	code    *Automaton
	pos     int // characters read so far
	offset  int // bytes read so far
	partial []byte
	refused bool

	accepted bool
	current  []thread // threads in states of the kind stateChar
	todo     []thread
	seen     map[thread]bool
	frames   map[int32]*frame // begun at pos, by the rule's first state
}

// frame is a rule being matched from pos on, for all its callers.
type frame struct {
	pos     int
	callers []thread
	empty   bool // it has matched the empty text
}

// thread is one way to read the text so far: a state in a frame. A nil frame is the caller of root.
type thread struct {
	state int32
	frame *frame
}

// NewMatcher starts a match of a compiled grammar.
func NewMatcher(c *Automaton) *Matcher {
	m := &Matcher{code: c, seen: map[thread]bool{}, frames: map[int32]*frame{}}
	m.enter(m.code.root, thread{})
	m.settle()
	return m
}

// Feed reads another chunk, which may end inside a character, and returns the result for the text
// so far.
func (m *Matcher) Feed(chunk string) Result {
	if len(m.partial) > 0 {
		chunk = string(m.partial) + chunk
		m.partial = nil
	}
	for i := 0; i < len(chunk) && !m.refused; {
		r, size := utf8.DecodeRuneInString(chunk[i:])
		if r == utf8.RuneError && size == 1 {
			if !utf8.FullRuneInString(chunk[i:]) {
				m.partial = []byte(chunk[i:])
				break
			}
			r = -1
		}
		if !m.step(r) {
			m.refused = true
			break
		}
		m.offset += size
		i += size
	}
	return m.result()
}

func (m *Matcher) result() Result {
	switch {
	case m.refused:
		return Result{Status: Refused, Offset: m.offset, Expected: m.expected()}
	case m.accepted && len(m.partial) == 0:
		return Result{Status: Accepted, Offset: m.offset}
	}
	return Result{Status: Incomplete, Offset: m.offset + len(m.partial), Expected: m.expected()}
}

func (m *Matcher) expected() []string {
	var out []string
	for _, t := range m.current {
		s := cfg.ClassText(m.code.states[t.state].set)
		if !slices.Contains(out, s) && len(out) < 8 {
			out = append(out, s)
		}
	}
	return out
}

// maxWords is how many continuations Words lists.
const maxWords = 8

// Words lists what is accepted next, in words: texts as far as they are fixed, and classes of characters. The last entry is
// "…" if there is more.
func (m *Matcher) Words() []string {
	var out []string
	for _, t := range m.current {
		w := m.code.words(t.state)
		switch {
		case slices.Contains(out, w):
		case len(out) == maxWords:
			return append(out, "…")
		default:
			out = append(out, w)
		}
	}
	return out
}

// words describes what a state of the kind stateChar reads: the whole text, if the states behind it read one character each.
func (c *Automaton) words(at int32) string {
	if !c.states[at].set.IsOne() {
		return c.states[at].set.Words()
	}
	var text []rune
	for s := &c.states[at]; s.kind == stateChar && s.set.IsOne() && len(text) < maxText; s = &c.states[s.next[0]] {
		text = append(text, s.set[0].Lo)
	}
	return strconv.Quote(string(text))
}

// maxText is how many characters of a text Words shows.
const maxText = 60

// step reads one character. If no thread accepts it, the state is unchanged.
func (m *Matcher) step(r rune) bool {
	m.todo = m.todo[:0]
	for _, t := range m.current {
		if s := &m.code.states[t.state]; s.set.Has(r) {
			m.todo = append(m.todo, thread{s.next[0], t.frame})
		}
	}
	if len(m.todo) == 0 {
		return false
	}
	m.pos++
	m.accepted = false
	m.current = m.current[:0]
	clear(m.seen)
	clear(m.frames)
	m.settle()
	return true
}

// settle follows transitions that consume nothing until every thread waits for a character.
func (m *Matcher) settle() {
	for len(m.todo) > 0 {
		t := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		if m.seen[t] {
			continue
		}
		m.seen[t] = true
		if t.frame == nil {
			m.accepted = true
			continue
		}
		switch s := &m.code.states[t.state]; s.kind {
		case stateChar:
			m.current = append(m.current, t)
		case stateSplit:
			for _, n := range s.next {
				m.todo = append(m.todo, thread{n, t.frame})
			}
		case stateCall:
			m.call(s, t.frame)
		case stateEnd:
			t.frame.empty = t.frame.pos == m.pos
			m.todo = append(m.todo, t.frame.callers...)
		}
	}
}

// call begins a rule. A tail call returns directly to the callers of the current frame, so that
// right recursion takes no memory.
func (m *Matcher) call(s *state, from *frame) {
	if s.next[0] == 0 && from.pos < m.pos {
		for _, caller := range from.callers {
			m.enter(s.target, caller)
		}
		return
	}
	m.enter(s.target, thread{s.next[0], from})
}

func (m *Matcher) enter(start int32, caller thread) {
	f := m.frames[start]
	if f == nil {
		f = &frame{pos: m.pos}
		m.frames[start] = f
		m.todo = append(m.todo, thread{start, f})
	}
	if slices.Contains(f.callers, caller) {
		return
	}
	f.callers = append(f.callers, caller)
	if f.empty {
		m.todo = append(m.todo, caller)
	}
}
