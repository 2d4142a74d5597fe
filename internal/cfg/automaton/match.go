package automaton

import (
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg"
)

// Status says how a text stands to a grammar.
type Status uint8

// The statuses of a text.
const (
	// Incomplete: a beginning of a text that the grammar accepts. The zero value.
	Incomplete Status = iota
	// Accepted: the whole text is one that the grammar accepts; it may go on.
	Accepted
	// Refused: no text that begins like this is accepted.
	Refused
)

func (s Status) String() string { return [...]string{"incomplete", "accepted", "refused"}[s] }

// Result is what Match found.
type Result struct {
	Status Status
	// Offset is the byte at which the text left the grammar, or its length.
	Offset int
	// Expected are the classes of characters, in GBNF, that could have stood at Offset; at most eight.
	Expected []string
}

// Matcher matches a text that arrives in pieces. All ways to read the text so far are followed side by side; calls of one
// rule at one place are one frame, whoever made them, so that neither ambiguity nor recursion on either side multiplies
// the work: it is linear for the grammars that Build makes, and at worst cubic. A Matcher is made by Grammar.Matcher.
type Matcher struct {
	code    *Automaton
	pos     int // characters so far
	offset  int // bytes so far
	partial []byte
	refused bool

	accepted bool
	current  []thread // all of them at states of the kind stateChar
	todo     []thread
	seen     map[thread]bool
	frames   map[int32]*frame // begun at pos, by the rule's start
}

// frame is a rule being matched from pos on, for all its callers.
type frame struct {
	pos     int
	callers []thread
	empty   bool // it has matched the empty text
}

// thread is one way to read the text so far: a state in a frame. A nil frame stands for the caller of root.
type thread struct {
	state int32
	frame *frame
}

// NewMatcher begins a match.
func NewMatcher(c *Automaton) *Matcher {
	m := &Matcher{code: c, seen: map[thread]bool{}, frames: map[int32]*frame{}}
	m.enter(m.code.root, thread{})
	m.settle()
	return m
}

// Feed goes on with chunk, which may end inside a character, and tells how the whole text so far stands.
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

// step reads one character. Without a way to read it nothing changes.
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

// settle follows everything that consumes nothing, until each thread waits for a character.
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

// call begins a rule. A call at the very end of an older frame returns to that frame's callers instead, so that rules
// that recurse on the right take no room.
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
