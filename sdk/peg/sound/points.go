package sound

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// point is a state of the code as an automaton: the next instruction, its progress, and what is known of the text that
// follows.
type point struct {
	pc   int32
	n    int       // bytes of a literal, characters of a class, or whether a value has begun
	tail string    // code.OpUntil: the newest bytes, as far as they could begin a delimiter
	up   *returnTo // where the open rules return to; nil: any of their callers

	must int32 // the address of a literal that follows for certain
	not  int32 // the address of a literal that does not follow,
	notN int   // and how much of it has been read
}

// returnTo is a list of return addresses. Equal lists have equal pointers.
type returnTo struct {
	pc int32
	up *returnTo
}

// to returns the point at the beginning of the instruction at pc, with the same knowledge of the text.
func (p point) to(pc int32) point {
	p.pc, p.n, p.tail = pc, 0, ""
	return p
}

// enter returns the point at the beginning of a rule that returns to pc.
func (c *checker) enter(p point, rule, pc int32) point {
	to := returnTo{pc, p.up}
	if c.returns[to] == nil {
		c.returns[to] = &to
	}
	p = p.to(rule)
	p.up = c.returns[to]
	return p
}

// key returns an identifier of a set of points.
func (c *checker) key(points []point) string {
	ids := make([]uint32, len(points))
	for i, p := range points {
		id, known := c.ids[p]
		if !known {
			id = uint32(len(c.ids))
			c.ids[p] = id
		}
		ids[i] = id
	}
	slices.Sort(ids)
	var b []byte
	for _, id := range ids {
		b = binary.BigEndian.AppendUint32(b, id)
	}
	return string(b)
}

func (c *checker) stepAll(points []point, b byte) []point {
	var next []point
	for _, p := range points {
		next = append(next, c.step(p, b)...)
	}
	return c.closure(next, -1)
}

// step returns where p can be after the byte b.
func (c *checker) step(p point, b byte) []point {
	c.steps++
	p.must = 0
	if p.not > 0 {
		switch text := c.Insts[p.not].Literal.Text; {
		case text[p.notN] != b:
			p.not, p.notN = 0, 0
		case p.notN+1 == len(text):
			return nil
		default:
			p.notN++
		}
	}
	next := p.to(p.pc + 1)
	switch in := &c.Insts[p.pc]; in.Op {
	case code.OpLiteral:
		return literalStep(p, next, in.Literal.Text, b)
	case code.OpSpace:
		if scan.IsBlank(b) {
			return []point{p}
		}
	case code.OpChars:
		return charsStep(p, in, b)
	case code.OpUntil:
		if tail, ok := untilTail(in.Until, p.tail, b); ok {
			p.tail = tail
			return []point{p}
		}
	case code.OpString:
		if b != in.Quote {
			return []point{p}
		}
	case code.OpValue:
		return valueStep(p, next, in.Values, b)
	default: // it may match anything
		return []point{p}
	}
	return nil
}

func literalStep(p, next point, text []byte, b byte) []point {
	if text[p.n] != b {
		return nil
	}
	if p.n++; p.n < len(text) {
		return []point{p}
	}
	return []point{next}
}

// charsStep counts characters only as far as the count matters.
func charsStep(p point, in *code.Inst, b byte) []point {
	if b < 0x80 && !in.Class.ASCII.Has(b) {
		return nil
	}
	if p.n++; in.Max < 0 {
		p.n = min(p.n, in.Min)
	}
	return []point{p}
}

// valueStep takes a value for anything that begins like it; only numbers are distinguished from other text.
func valueStep(p, next point, v *scan.Accept, b byte) []point {
	numeric := v.First == scan.SetOf("-0123456789")
	if p.n == 0 && !v.First.Has(b) || p.n == 1 && numeric && !scan.IsNumeric(b) {
		return nil
	}
	p.n = 1
	return []point{p, next}
}

// untilTail returns what an until remembers after b: the longest end of the text that a delimiter begins with. It is not ok if
// the text now ends in a delimiter, which the until does not read.
func untilTail(u *scan.Until, before string, b byte) (string, bool) {
	text := before + string([]byte{b})
	longest := ""
	for _, d := range u.Delims {
		if strings.HasSuffix(text, string(d.Text)) {
			return "", false
		}
		for n := min(len(text), len(d.Text)-1); n > len(longest); n-- {
			if bytes.HasPrefix(d.Text, []byte(text[len(text)-n:])) {
				longest = text[len(text)-n:]
			}
		}
	}
	return longest, true
}

// closure returns the consuming points that can be reached from points without consuming anything, in order. If within is not
// -1, it is the address of a choice: its first alternative is not left, and no commitment passed.
func (c *checker) closure(points []point, within int32) []point {
	w := closing{checker: c, within: within, seen: map[point]bool{}}
	for _, p := range points {
		w.visit(p)
	}
	return w.out
}

type closing struct {
	*checker
	within int32
	seen   map[point]bool
	out    []point
}

func (w *closing) visit(p point) {
	if w.visits >= maxVisits || w.seen[p] || depth(p.up) > maxCalls {
		return
	}
	w.seen[p] = true
	w.visits++
	in := &w.Insts[p.pc]
	switch in.Op {
	case code.OpLiteral, code.OpValue:
		w.out = append(w.out, p)
	case code.OpChars:
		if p.n != in.Max {
			w.out = append(w.out, p)
		}
		if p.n >= in.Min {
			w.visit(p.to(p.pc + 1))
		}
	case code.OpRelease:
		if w.within >= 0 && w.commits(p.pc) {
			w.out = append(w.out, p)
			return
		}
		w.visit(p.to(p.pc + 1))
	case code.OpOpen, code.OpClose, code.OpHold:
		w.visit(p.to(p.pc + 1))
	default:
		if !in.Op.Consumes() {
			w.move(p, in)
			return
		}
		w.out = append(w.out, p) // it may match nothing
		w.visit(p.to(p.pc + 1))
	}
}

// maxCalls is how many open rules a point remembers; texts that need more are not examined.
const maxCalls = 64

func depth(r *returnTo) int {
	n := 0
	for ; r != nil; r = r.up {
		n++
	}
	return n
}

// move follows an instruction that consumes nothing.
func (w *closing) move(p point, in *code.Inst) {
	switch in.Op {
	case code.OpChoice:
		w.visit(p.to(p.pc + 1))
		w.visit(p.to(in.To))
	case code.OpPeek, code.OpNot:
		w.lookahead(p, in)
	case code.OpChosen, code.OpAgain:
		if in.Of == w.within && p.up == nil {
			return // the frame is gone
		}
		w.visit(p.to(in.To))
		if in.Op == code.OpAgain {
			w.visit(p.to(w.Insts[in.Of].To))
		}
	case code.OpCall:
		w.visit(w.enter(p, in.To, p.pc+1))
	case code.OpReturn:
		if p.up != nil {
			up := p.up
			p.up = up.up
			w.visit(p.to(up.pc))
			return
		}
		for _, pc := range w.callers[in.Rule] {
			w.visit(p.to(pc))
		}
	}
}

// lookahead continues after a lookahead, which is remembered only if it looks at a literal.
func (w *closing) lookahead(p point, in *code.Inst) {
	simple := w.Insts[p.pc+1].Op == code.OpLiteral
	if in.Op == code.OpNot {
		if simple && in.To == p.pc+3 && p.not == 0 {
			p.not, p.notN = p.pc+1, 0
		}
		w.visit(p.to(in.To))
		return
	}
	if simple && in.Of == p.pc+2 {
		p.must = p.pc + 1
	}
	w.visit(p.to(w.Insts[in.Of].To))
}

// commits reports whether the end of the atomic region at pc, a code.OpRelease, can commit.
func (c *checker) commits(pc int32) bool { return c.contains(c.Insts[pc].Node, map[peg.ID]bool{}) }

// contains reports whether node id, or one below it, has a role that commits.
func (c *checker) contains(id peg.ID, seen map[peg.ID]bool) bool {
	if seen[id] {
		return false
	}
	seen[id] = true
	n := &c.Program.Nodes[id]
	return n.Op == peg.Tag && n.Role.Commits() || slices.ContainsFunc(n.Kids, func(k peg.ID) bool { return c.contains(k, seen) })
}
