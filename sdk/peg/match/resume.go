package match

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// entry is a way into the program at the beginning of a call, as if the program had come there by itself: at a trigger
// rule, or at a call within a section of several, so that a bad one does not swallow the others.
type entry struct {
	node   peg.ID
	at     int32 // its address
	path   *path
	frames []frame  // what would be on the stack, the oldest first; no alternative of these frames is open any more
	starts []string // what it can begin with
}

// path is what is on the stack at a place in the code that the program reaches by way of certain choices and calls: the
// newest frame, and what lies below. pc is the address of a choice, or to return to.
type path struct {
	kind frameKind
	pc   int32
	up   *path
}

// maxEntries is how many beginnings of calls are tried where parsing can resume.
const maxEntries = 64

func (p *path) depth() int {
	n := 0
	for ; p != nil; p = p.up {
		n++
	}
	return n
}

// entry notes the address at which node id, a trigger rule or a call, begins in place x. The first place of a node
// counts, and only one that is in no region.
func (c *compiler) entry(id peg.ID, at int32, x place) {
	s := c.start(id)
	switch {
	case x.held || x.muted || x.inCall || x.role != peg.NoRole:
	case s.vague || len(s.texts) == 0 || c.known(id, s.texts):
	case len(c.entries) == maxEntries || c.path.depth() > maxStack:
	default:
		c.entries = append(c.entries, entry{node: id, at: at, path: c.path, starts: s.texts})
	}
}

// known says that there is no use in node id as an entry: it is one already or, of a call, it begins as a trigger rule does
// or without markup.
func (c *compiler) known(id peg.ID, starts []string) bool {
	isCall := c.program.Nodes[id].Op == peg.Tag
	if isCall && slices.ContainsFunc(starts, func(t string) bool { return len(t) < 2 }) {
		return true
	}
	return slices.ContainsFunc(c.entries, func(e entry) bool {
		return e.node == id || isCall && c.program.Nodes[e.node].Op == peg.Trigger && slices.Equal(e.starts, starts)
	})
}

// linkEntry makes frames of the path of an entry. The frame of a choice goes on where the choice says.
func (c *compiler) linkEntry(e *entry) {
	for p := e.path; p != nil; p = p.up {
		f := frame{kind: p.kind, pc: p.pc}
		if f.kind == spent {
			f.pc = c.insts[f.pc].to
		}
		e.frames = append(e.frames, f)
	}
	slices.Reverse(e.frames)
	e.path = nil
}

// recovery compiles the program that runs after a fault, where text is content until a call begins:
//
//	plain:  until end of input; end; halt
//	resume: until the start of an entry
//	        choice A; end; halt
//	A:      choice B; enter the first entry
//	B:      …
//	        any; jump resume
//
// From enter on, the program itself goes on behind the call. Only the frame of the choice before enter is live then: a
// call that does not match is content after all.
func (c *compiler) recovery() {
	c.rule = 0
	content := inst{role: peg.Content, region: recoveredRegion, recovered: true, node: c.program.Root}
	c.plain = c.here()
	c.until(content, nil)
	c.emit(inst{op: opEnd, node: c.program.Root})
	c.emit(inst{op: opHalt})
	c.resume = c.plain
	if len(c.entries) == 0 || c.full() {
		return
	}
	var starts []string
	for _, e := range c.entries {
		starts = append(starts, e.starts...)
	}
	slices.Sort(starts)
	c.resume = c.here()
	c.until(content, slices.Compact(starts))
	c.attempt(inst{op: opEnd, node: c.program.Root}, inst{op: opHalt})
	for i := range c.entries {
		c.attempt(inst{op: opEnter, to: int32(i)})
	}
	one := content
	one.op, one.min, one.max, one.class = opChars, 1, 1, newClass(nil, true)
	c.emit(one)
	c.emit(inst{op: opJump, to: c.resume})
}

func (c *compiler) until(in inst, delims []string) {
	in.op, in.until = opUntil, newUntil(delims, &c.specials)
	c.emit(in)
}

// attempt compiles a choice between code and what follows.
func (c *compiler) attempt(code ...inst) {
	at := c.emit(inst{op: opChoice, node: c.program.Root})
	for _, in := range code {
		c.emit(in)
	}
	if !c.full() {
		c.insts[at].to = c.here()
	}
}
