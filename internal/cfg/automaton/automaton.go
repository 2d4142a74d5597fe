// Package automaton compiles grammars into automata, and runs them over texts.
//
// Every rule becomes a small automaton over characters and calls of other rules. A Matcher runs the
// automata of a whole grammar, with a graph of frames in place of a call stack. The automaton of an
// expression that calls no rules is a nondeterministic finite automaton; package regular steps
// through its sets of states.
package automaton

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// maxStates bounds the states of an automaton.
const maxStates = 1 << 18

// The kinds of states.
const (
	stateEnd   = iota // the rule is complete
	stateChar         // one character of set, then next[0]
	stateSplit        // one of next
	stateCall         // the rule that starts at target, then next[0]
)

type state struct {
	kind   uint8
	set    charset.Set
	next   []int32
	target int32
}

// Automaton holds the states of all rules of a grammar. State 0 is the end of every rule.
type Automaton struct {
	states []state
	start  map[*cfg.Rule]int32
	root   int32

	marks []uint32 // the last closure each state was visited in
	mark  uint32
}

// Compile returns the automaton of the grammar that starts at root.
func Compile(root *cfg.Rule) (*Automaton, error) {
	c := &Automaton{states: []state{{kind: stateEnd}}, start: map[*cfg.Rule]int32{}}
	rules := cfg.Reachable(root)
	for _, r := range rules {
		c.start[r] = c.add(state{kind: stateSplit})
	}
	for _, r := range rules {
		body := c.compile(r.Body, 0)
		c.states[c.start[r]].next = []int32{body}
		if len(c.states) > maxStates {
			return nil, fmt.Errorf("grammar: rule %q: its repetitions need more than %d states", r.Name, maxStates)
		}
	}
	c.root = c.start[root]
	return c, nil
}

// Of returns the automaton of e, which calls no rules, and its initial states.
func Of(e *cfg.Expr) (c *Automaton, start []int32) {
	c = &Automaton{states: []state{{kind: stateEnd}}}
	return c, c.closure([]int32{c.compile(e, 0)})
}

// States returns the number of states.
func (c *Automaton) States() int { return len(c.states) }

// Accepts reports whether one of states is final.
func (c *Automaton) Accepts(states []int32) bool { return slices.Contains(states, 0) }

func (c *Automaton) add(s state) int32 {
	c.states = append(c.states, s)
	return int32(len(c.states) - 1)
}

// compile adds states for e followed by next and returns the first of them. It stops at maxStates.
func (c *Automaton) compile(e *cfg.Expr, next int32) int32 {
	if len(c.states) > maxStates {
		return next
	}
	switch e.Op {
	case cfg.OpLiteral:
		runes := []rune(e.Text)
		for _, r := range slices.Backward(runes) {
			next = c.add(state{kind: stateChar, set: charset.Of(string(r)), next: []int32{next}})
		}
		return next
	case cfg.OpClass:
		return c.add(state{kind: stateChar, set: e.Set, next: []int32{next}})
	case cfg.OpCall:
		return c.add(state{kind: stateCall, target: c.start[e.Rule], next: []int32{next}})
	case cfg.OpSequence:
		for _, k := range slices.Backward(e.Kids) {
			next = c.compile(k, next)
		}
		return next
	case cfg.OpChoice:
		var starts []int32
		for _, k := range e.Kids {
			starts = append(starts, c.compile(k, next))
		}
		return c.add(state{kind: stateSplit, next: starts})
	case cfg.OpRepeat:
		return c.repeat(e, next)
	}
	return c.add(state{kind: stateSplit})
}

func (c *Automaton) repeat(e *cfg.Expr, next int32) int32 {
	if e.Max < 0 {
		loop := c.add(state{kind: stateSplit})
		c.states[loop].next = []int32{c.compile(e.Kids[0], loop), next}
		next = loop
	}
	end := next
	for range e.Max - e.Min {
		next = c.add(state{kind: stateSplit, next: []int32{c.compile(e.Kids[0], next), end}})
	}
	for range e.Min {
		next = c.compile(e.Kids[0], next)
	}
	return next
}

// closure returns the states reachable from states without consuming a character, in order.
func (c *Automaton) closure(states []int32) []int32 {
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

// Step returns the states reached from states by the character r.
func (c *Automaton) Step(states []int32, r rune) []int32 { return c.closure(c.read(states, r)) }

// read returns the states directly behind r.
func (c *Automaton) read(states []int32, r rune) []int32 {
	var out []int32
	for _, at := range states {
		if s := &c.states[at]; s.kind == stateChar && s.set.Has(r) {
			out = append(out, s.next[0])
		}
	}
	return out
}

// Partition returns the ranges of characters that states accept, split so that all characters of a
// range lead to the same states.
func (c *Automaton) Partition(states []int32) []charset.Range {
	var all charset.Set
	var cuts []rune
	for _, at := range states {
		if s := &c.states[at]; s.kind == stateChar {
			all = all.Union(s.set)
			for _, r := range s.set {
				cuts = append(cuts, r.Lo, r.Hi+1)
			}
		}
	}
	slices.Sort(cuts)
	return all.Cut(slices.Compact(cuts))
}
