package match

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Finding is a place where a commitment may drop an alternative that would still have matched: there the machine can
// answer differently from a parser that sees the whole output before it decides.
type Finding struct {
	Choice  peg.ID // the choice or repetition whose other alternatives are dropped
	Commit  peg.ID // the node that commits
	Rule    string // the rule in which the choice stands
	Witness string // a text, from the choice to the commitment, after which both are still possible
	Header  bool   // a complete header commits rather than speech; first come, first served may be what is meant
	Unsure  bool   // the search was given up here: there may be nothing wrong
}

// String says what was found and what to do.
func (f Finding) String() string {
	what, doubt := "speech", ""
	if f.Header {
		what = "a complete header"
	}
	if f.Unsure {
		doubt = " (search given up)"
	}
	return fmt.Sprintf("node %d, in %s: after %q %s of node %d commits while the other alternatives could still match%s: "+
		"take what they have in common out of the choice", f.Choice, f.Rule, f.Witness, what, f.Commit, doubt)
}

// Check looks, for every choice of a program, at every commitment that its first alternative can reach. A commitment is
// sound if
//
//   - no text leads to it on which the rest of the choice is still possible, or
//   - what remains of the first alternative after it cannot fail.
//
// A program without findings commits soundly: committing changes when things are said, and not what. A finding can be
// spurious. The search runs the code of the alternative and the code of the rest side by side, as nondeterministic
// automata over the same bytes, and takes the rest for more than it is: it ignores its order, lookaheads other than at a
// literal, and the inside of values.
func Check(code *Code) []Finding {
	c := newChecker(code)
	var all []Finding
	for pc := range code.plain {
		if in := &code.insts[pc]; in.op == opChoice && !in.muted {
			all = append(all, c.choice(pc)...)
		}
	}
	return all
}

const (
	maxWitness = 96        // how long a witness may become
	maxSearch  = 100_000   // how many steps a choice is worth
	maxCheck   = 5_000_000 // how many steps a program is worth
)

// checker searches the code of a program.
type checker struct {
	*Code
	callers map[int32][]int32 // by rule: where its calls return to
	returns map[returnTo]*returnTo
	ids     map[point]uint32
	steps   int
}

func newChecker(code *Code) *checker {
	c := &checker{Code: code, callers: map[int32][]int32{}, returns: map[returnTo]*returnTo{}, ids: map[point]uint32{}}
	for pc := range code.plain {
		if in := &code.insts[pc]; in.op == opCall {
			rule := code.insts[in.to].rule
			c.callers[rule] = append(c.callers[rule], pc+1)
		}
	}
	return c
}

// pair is a state of the search: the first alternative has come to one point, the rest may be at any of several.
type pair struct {
	first point
	rest  []point
	text  string // what has led here
}

// search looks at the commitments of one choice.
type search struct {
	*checker
	choice int32
	seen   map[string]bool
	work   []pair
	found  []Finding
}

func (c *checker) choice(at int32) []Finding {
	s := &search{checker: c, choice: at, seen: map[string]bool{}}
	if s.allSafe() {
		return nil
	}
	s.push(point{pc: at + 1}, c.closure([]point{{pc: c.insts[at].to}}, -1), "")
	for enough := min(c.steps+maxSearch, maxCheck); len(s.work) > 0; {
		next := s.work[0]
		s.work = s.work[1:]
		if c.steps >= enough || len(next.text) == maxWitness {
			s.report(next.first, next.text, true)
			break
		}
		s.advance(next)
	}
	return s.found
}

// push adds a state, with all points that the first alternative reaches from there without consuming anything. Where the
// rest has failed there is nothing to look for.
func (s *search) push(first point, rest []point, text string) {
	if len(rest) == 0 {
		return
	}
	suffix := s.key(rest)
	for _, p := range s.closure([]point{first}, s.choice) {
		if key := s.key([]point{p}) + suffix; !s.seen[key] {
			s.seen[key] = true
			s.work = append(s.work, pair{p, rest, text})
		}
	}
}

// advance looks at what a state commits to, or else at the states that follow it.
func (s *search) advance(now pair) {
	in := &s.insts[now.first.pc]
	if in.op == opRelease {
		s.header(now)
		return
	}
	for _, b := range s.alphabet(now) {
		text := now.text + string([]byte{b})
		rest := s.stepAll(now.rest, b)
		for _, p := range s.step(now.first, b) {
			if in.speaks() && !isBlank(b) && (in.op != opLiteral || p.pc != now.first.pc) {
				if len(rest) > 0 {
					s.report(now.first, text, false)
				}
				continue
			}
			s.push(p, rest, text)
		}
	}
}

// header looks at the end of an atomic region that commits. A literal that must follow, because a lookahead has seen it,
// counts as read.
func (s *search) header(now pair) {
	rest, text := now.rest, now.text
	if now.first.must > 0 {
		for _, b := range s.insts[now.first.must].literal.text {
			text += string([]byte{b})
			rest = s.stepAll(rest, b)
		}
	}
	if len(rest) > 0 {
		s.report(now.first, text, false)
	}
}

// report adds a finding, unless what remains of the alternative is safe, or the node is known already.
func (s *search) report(p point, text string, unsure bool) {
	in := &s.insts[p.pc]
	known := func(f Finding) bool { return f.Commit == in.node }
	if slices.ContainsFunc(s.found, known) || s.safe(p) {
		return
	}
	choice := &s.insts[s.choice]
	s.found = append(s.found, Finding{Choice: choice.node, Commit: in.node, Rule: s.rules[choice.rule],
		Witness: text, Header: in.op == opRelease, Unsure: unsure})
}

// alphabet is the bytes that are worth trying: those that matter to either side, and some that matter to neither.
func (s *search) alphabet(now pair) []byte {
	if in := &s.insts[now.first.pc]; in.op == opLiteral {
		return []byte{in.literal.text[now.first.n]}
	}
	var set byteSet
	set.add('a')
	set.add(' ')
	s.interesting(now.first, &set)
	for _, p := range now.rest {
		s.interesting(p, &set)
	}
	var all []byte
	for b := range 256 {
		if set.has(byte(b)) {
			all = append(all, byte(b))
		}
	}
	return all
}

func (s *search) interesting(p point, set *byteSet) {
	switch in := &s.insts[p.pc]; in.op {
	case opLiteral:
		set.add(in.literal.text[p.n])
	case opValue:
		set.addAll(&in.values.first)
	case opChars:
		for _, r := range in.class.ranges {
			if r.Lo < 0x80 {
				set.add(byte(r.Lo))
			}
		}
	}
}
