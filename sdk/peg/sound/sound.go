// Package sound proves of programs that the commitments of the machine (package match) do not change what a program
// understands, only when it is delivered.
//
// The machine delivers text as soon as it speaks, and then never falls back behind it. In a choice, that drops the other
// alternatives, although one of them might have matched in the end. A commitment is sound if
//
//   - no text leads to it on which the rest of the choice is still possible, or
//   - what remains of the first alternative after it cannot fail.
//
// Check examines the commitments of a program. On a program without findings the machine understands what a parser that sees
// the whole text would understand. A finding has a text as witness. It can be spurious: the search runs the code of the
// alternative and the code of the rest side by side, as nondeterministic automata over the same bytes, and takes the rest for
// more than it is. It ignores the order of alternatives, lookaheads other than at a literal, and the inside of values.
//
// The machine runs programs with findings, too. Authors of handlers run Check in their tests, and look at what it finds.
package sound

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Finding is a place where a commitment may drop an alternative that could still match: there the machine can understand an
// output differently from a parser that sees all of it before it decides.
type Finding struct {
	Choice  peg.ID // the choice or repetition whose other alternatives are dropped
	Commit  peg.ID // the node that commits
	Rule    string // the rule in which the choice stands
	Witness string // a text, from the choice to the commitment, after which both are still possible
	Header  bool   // a complete header commits rather than speech; first come, first served may be intended
	Unsure  bool   // the search was given up here: nothing may be wrong
}

// String describes the finding and what to do.
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

// Check examines, for each choice of a program, every commitment that its first alternative can reach, and returns those
// that are not sound. The program's prompt must be bound; the error is a peg.Defects.
func Check(p *peg.Program) ([]Finding, error) {
	compiled, err := code.Compile(p, nil)
	if err != nil {
		return nil, err
	}
	c := newChecker(compiled)
	var all []Finding
	for pc := range c.Plain {
		if in := &c.Insts[pc]; in.Op == code.OpChoice && !in.Muted {
			all = append(all, c.choice(pc)...)
		}
	}
	return all, nil
}

const (
	maxWitness = 96         // bytes of a witness
	maxSearch  = 100_000    // steps for a choice
	maxCheck   = 5_000_000  // steps for a program
	maxVisits  = 10_000_000 // points that are looked at for a program; with more, the rest is reported as not examined
)

// checker searches the code of a program.
type checker struct {
	*code.Code
	callers map[int32][]int32 // by rule: where its calls return to
	returns map[returnTo]*returnTo
	ids     map[point]uint32
	steps   int
	visits  int
}

func newChecker(compiled *code.Code) *checker {
	c := &checker{Code: compiled, callers: map[int32][]int32{}, returns: map[returnTo]*returnTo{}, ids: map[point]uint32{}}
	for pc := range c.Plain {
		if in := &c.Insts[pc]; in.Op == code.OpCall {
			rule := c.Insts[in.To].Rule
			c.callers[rule] = append(c.callers[rule], pc+1)
		}
	}
	return c
}

// pair is a state of the search: the first alternative has come to one point, the rest may be at any of several.
type pair struct {
	first point
	rest  []point
	text  string // the text read so far
}

// search examines the commitments of one choice.
type search struct {
	*checker
	choice int32
	seen   map[string]bool
	work   []pair
	found  []Finding
}

func (c *checker) choice(at int32) []Finding {
	s := &search{checker: c, choice: at, seen: map[string]bool{}}
	if s.allSafe() && c.visits < maxVisits {
		return nil
	}
	if c.visits >= maxVisits {
		in := &c.Insts[at]
		return []Finding{{Choice: in.Node, Commit: in.Node, Rule: c.Rules[in.Rule], Unsure: true}}
	}
	s.push(point{pc: at + 1}, c.closure([]point{{pc: c.Insts[at].To}}, -1), "")
	for enough := min(c.steps+maxSearch, maxCheck); len(s.work) > 0; {
		next := s.work[0]
		s.work = s.work[1:]
		if c.steps >= enough || c.visits >= maxVisits || len(next.text) == maxWitness {
			s.report(next.first, next.text, true)
			break
		}
		s.advance(next)
	}
	return s.found
}

// push adds a state for each point that the first alternative reaches from first without consuming anything. If the rest has
// failed, there is nothing to search for.
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

// advance examines the commitments of a state, and pushes the states that follow it.
func (s *search) advance(now pair) {
	in := &s.Insts[now.first.pc]
	if in.Op == code.OpRelease {
		s.header(now)
		return
	}
	for _, b := range s.alphabet(now) {
		text := now.text + string([]byte{b})
		rest := s.stepAll(now.rest, b)
		for _, p := range s.step(now.first, b) {
			if in.Speaks() && !scan.IsBlank(b) && (in.Op != code.OpLiteral || p.pc != now.first.pc) {
				if len(rest) > 0 {
					s.report(now.first, text, false)
				}
				continue
			}
			s.push(p, rest, text)
		}
	}
}

// header examines the end of an atomic region that commits. A literal that must follow, because a lookahead has seen it,
// counts as read.
func (s *search) header(now pair) {
	rest, text := now.rest, now.text
	if now.first.must > 0 {
		for _, b := range s.Insts[now.first.must].Literal.Text {
			text += string([]byte{b})
			rest = s.stepAll(rest, b)
		}
	}
	if len(rest) > 0 {
		s.report(now.first, text, false)
	}
}

// report adds a finding, unless what remains of the alternative is safe, or the node has one already.
func (s *search) report(p point, text string, unsure bool) {
	in := &s.Insts[p.pc]
	known := func(f Finding) bool { return f.Commit == in.Node }
	if slices.ContainsFunc(s.found, known) || s.safe(p) {
		return
	}
	choice := &s.Insts[s.choice]
	s.found = append(s.found, Finding{Choice: choice.Node, Commit: in.Node, Rule: s.Rules[choice.Rule],
		Witness: text, Header: in.Op == code.OpRelease, Unsure: unsure})
}

// alphabet returns the bytes worth trying: those that matter to either side, and some that matter to neither.
func (s *search) alphabet(now pair) []byte {
	if in := &s.Insts[now.first.pc]; in.Op == code.OpLiteral {
		return []byte{in.Literal.Text[now.first.n]}
	}
	var set scan.ByteSet
	set.Add('a')
	set.Add(' ')
	s.interesting(now.first, &set)
	for _, p := range now.rest {
		s.interesting(p, &set)
	}
	var all []byte
	for b := range 256 {
		if set.Has(byte(b)) {
			all = append(all, byte(b))
		}
	}
	return all
}

func (s *search) interesting(p point, set *scan.ByteSet) {
	switch in := &s.Insts[p.pc]; in.Op {
	case code.OpLiteral:
		set.Add(in.Literal.Text[p.n])
	case code.OpValue:
		set.AddAll(&in.Values.First)
	case code.OpChars:
		for _, r := range in.Class.Ranges {
			if r.Lo < 0x80 {
				set.Add(byte(r.Lo))
			}
		}
	}
}
