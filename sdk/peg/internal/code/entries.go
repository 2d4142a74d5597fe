package code

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Entry is a way into the program at the beginning of a call, as if the machine had arrived there by itself: at a trigger
// rule, or at a call within a section of several, so that a bad call does not swallow the next good one.
type Entry struct {
	node   peg.ID
	At     int32 // its address
	path   *path
	Frames []EntryFrame // what would be on the stack, oldest first; the alternatives of these frames are closed
	starts []string     // what it can begin with
}

// EntryFrame is a frame that an entry pushes: that of a rule, or of a choice whose alternatives are closed.
type EntryFrame struct {
	Returns bool  // the frame of a rule
	PC      int32 // where it continues
}

// path is what is on the stack at a place in the code, given the choices and calls that lead there: the newest frame, and
// those below. pc is the address of a choice, or a return address.
type path struct {
	returns bool
	pc      int32
	depth   int // frames
	up      *path
}

// maxEntries is how many beginnings of calls a recovery tries.
const maxEntries = 64

// with returns the path with another frame on top.
func (p *path) with(top path) *path {
	top.depth, top.up = 1, p
	if p != nil {
		top.depth += p.depth
	}
	return &top
}

// entry records the address at which node id, a trigger rule or a call, begins in place x. Only the first place of a node
// counts, and only outside regions.
func (c *compiler) entry(id peg.ID, at int32, x place) {
	s := c.start(id)
	switch {
	case x.held || x.muted || x.inCall || x.role != peg.NoRole:
	case s.vague || len(s.texts) == 0 || c.known(id, s.texts):
	case len(c.Entries) == maxEntries || c.path != nil && c.path.depth > MaxStack:
	default:
		c.Entries = append(c.Entries, Entry{node: id, At: at, path: c.path, starts: s.texts})
	}
}

// known reports whether node id is useless as an entry: it is one already, or it is a call that begins like a trigger rule
// or without markup.
func (c *compiler) known(id peg.ID, starts []string) bool {
	isCall := c.Program.Nodes[id].Op == peg.Tag
	if isCall && slices.ContainsFunc(starts, func(t string) bool { return len(t) < 2 }) {
		return true
	}
	return slices.ContainsFunc(c.Entries, func(e Entry) bool {
		return e.node == id || isCall && c.Program.Nodes[e.node].Op == peg.Trigger && slices.Equal(e.starts, starts)
	})
}

// linkEntry turns the path of an entry into frames. The frame of a choice continues where the choice says.
func (c *compiler) linkEntry(e *Entry) {
	for p := e.path; p != nil; p = p.up {
		f := EntryFrame{p.returns, p.pc}
		if !f.Returns {
			f.PC = c.Insts[f.PC].To
		}
		e.Frames = append(e.Frames, f)
	}
	slices.Reverse(e.Frames)
	e.path = nil
}

// recovery compiles the programs that run after a fault, where text is content until a call begins:
//
//	plain:  until end of input; end; halt
//	resume: until the start of an entry
//	        choice A; end; halt
//	A:      choice B; enter the first entry
//	B:      …
//	        any; jump resume
//
// From enter on, the program itself continues after the call. Only the frame of the choice before enter is live then: a
// call that does not match is content after all.
func (c *compiler) recovery() {
	c.rule = 0
	content := Inst{Role: peg.Content, Region: recoveredRegion, Recovered: true, Node: c.Program.Root}
	c.Plain = c.here()
	c.until(content, nil)
	c.emit(Inst{Op: OpEnd, Node: c.Program.Root})
	c.emit(Inst{Op: OpHalt})
	c.Resume = c.Plain
	if len(c.Entries) == 0 || c.full() {
		return
	}
	var starts []string
	for _, e := range c.Entries {
		starts = append(starts, e.starts...)
	}
	slices.Sort(starts)
	c.Resume = c.here()
	c.until(content, slices.Compact(starts))
	c.attempt(Inst{Op: OpEnd, Node: c.Program.Root}, Inst{Op: OpHalt})
	for i := range c.Entries {
		c.attempt(Inst{Op: OpEnter, To: int32(i)})
	}
	one := content
	one.Op, one.Min, one.Max, one.Class = OpChars, 1, 1, scan.NewClass(nil, true)
	c.emit(one)
	c.emit(Inst{Op: OpJump, To: c.Resume})
}

func (c *compiler) until(in Inst, delims []string) {
	in.Op, in.Until = OpUntil, scan.NewUntil(delims, &c.specials)
	c.emit(in)
}

// attempt compiles a choice between the given code and what follows.
func (c *compiler) attempt(code ...Inst) {
	at := c.emit(Inst{Op: OpChoice, Node: c.Program.Root})
	for _, in := range code {
		c.emit(in)
	}
	if !c.full() {
		c.Insts[at].To = c.here()
	}
}
