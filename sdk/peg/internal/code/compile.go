package code

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Compile compiles a program. The specials are the texts of special tokens. The error is a peg.Defects.
func Compile(p *peg.Program, specials []string) (*Code, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	c := &compiler{
		Code:     &Code{Program: p, Rules: []string{"program"}, Insts: make([]Inst, 0, room(len(p.Nodes)))},
		specials: scan.NewSpecials(specials),
		nullable: p.Nullable(),
		compiled: map[use]int32{},
		starts:   make([]*start, len(p.Nodes)),
		readers:  make([]*Inst, len(p.Nodes)),
	}
	c.node(p.Root, place{region: markerRegion})
	c.emit(Inst{Op: OpHalt})
	c.bodies()
	c.recovery()
	c.link()
	if len(c.Insts) < cap(c.Insts)/2 {
		c.Insts = slices.Clone(c.Insts)
	}
	if c.full() {
		return nil, tooLarge(p)
	}
	return c.Code, nil
}

// room returns how many instructions to expect for a program of n nodes: most small programs have four or five for each, and large
// ones, with many tools, at least two.
func room(n int) int { return max(2*n, min(5*n, 1<<15)) }

// tooLarge returns the error for a program whose shared parts unroll to too many instructions.
func tooLarge(p *peg.Program) error {
	return peg.Defects{{
		Node: p.Root,
		What: fmt.Sprintf("unrolls to more than %d instructions", maxCode),
		Fix:  "name what is used often as a rule", Limit: true,
	}}
}

const (
	// maxCode is how many instructions a program may compile to; parts that several others share are repeated.
	maxCode = 1 << 18
	// maxVisits is how many nodes may be looked at meanwhile: not all of them become instructions.
	maxVisits = 1 << 20
	// MaxStack is how deep choices and rules may nest.
	MaxStack = 4096
)

// place is where in a program a node is used, as far as its code depends on it.
type place struct {
	role    peg.Role
	region  Region
	held    bool // within an atomic region
	muted   bool // within a lookahead
	negated bool // within a negative lookahead
	inCall  bool
}

// use is a rule and the place where it is used.
type use struct {
	rule peg.ID
	place
}

type compiler struct {
	*Code
	specials scan.Specials
	nullable []bool
	visits   int      // nodes looked at
	starts   []*start // what nodes can begin with, by node
	readers  []*Inst  // the instructions of leaves, by node

	rule     int32         // the rule being compiled
	path     *path         // what is on the stack where the next instruction runs
	todo     []pending     // uses still to be compiled
	compiled map[use]int32 // the addresses of uses; -1: still to be compiled
	calls    []call        // to be linked
}

// pending is a use of a rule still to be compiled, and the stack of its first caller.
type pending struct {
	use
	path *path
}

// call is a call instruction, and the use that it calls.
type call struct {
	at int32
	use
}

// emit adds an instruction and returns its address.
func (c *compiler) emit(in Inst) int32 {
	if len(c.Insts) <= maxCode { // beyond that the code is not used
		in.Rule = c.rule
		c.Insts = append(c.Insts, in)
	}
	return int32(len(c.Insts) - 1)
}

// here returns the address of the next instruction.
func (c *compiler) here() int32 { return int32(len(c.Insts)) }

// full reports whether there is too much code already, so that unrolling further is pointless.
func (c *compiler) full() bool { return len(c.Insts) > maxCode || c.visits > maxVisits }

// bodies compiles the rules that are used, once for each kind of place.
func (c *compiler) bodies() {
	for len(c.todo) > 0 {
		next := c.todo[0]
		c.todo = c.todo[1:]
		n := &c.Program.Nodes[next.rule]
		c.Rules = append(c.Rules, n.Text)
		c.rule = int32(len(c.Rules) - 1)
		c.path = next.path
		c.compiled[next.use] = c.here()
		c.node(n.Kids[0], next.place)
		c.emit(Inst{Op: OpReturn})
	}
}

// link sets the addresses of calls.
func (c *compiler) link() {
	if c.full() {
		return
	}
	for _, call := range c.calls {
		c.Insts[call.at].To = c.compiled[call.use]
	}
	for i := range c.Entries {
		c.linkEntry(&c.Entries[i])
	}
	c.look()
}

// node compiles node id for its use in place x.
func (c *compiler) node(id peg.ID, x place) {
	if c.full() {
		return
	}
	c.visits++
	n := &c.Program.Nodes[id]
	switch n.Op {
	case peg.Sequence:
		for _, k := range n.Kids {
			c.node(k, x)
		}
	case peg.Choice:
		c.choice(id, n.Kids, x)
	case peg.Repeat:
		c.repeat(id, n, x)
	case peg.Peek:
		c.peek(id, n.Kids[0], x)
	case peg.Not:
		c.not(id, n.Kids[0], x)
	case peg.Rule, peg.Trigger:
		c.use(id, x)
	case peg.Atomic:
		c.atomic(id, x, func(x place) { c.node(n.Kids[0], x) })
	case peg.Schema:
		c.node(n.Kids[0], x)
	case peg.Tag:
		c.tag(id, n, x)
	default:
		c.consumer(id, n, x)
	}
}

// consumer compiles a leaf.
func (c *compiler) consumer(id peg.ID, n *peg.Node, x place) {
	if n.Op == peg.Empty {
		return
	}
	if c.readers[id] == nil {
		in := c.reader(n)
		in.Node = id
		c.readers[id] = &in
	}
	in := *c.readers[id]
	in.Role, in.Region, in.Muted, in.Negated, in.held, in.InCall = x.role, x.region, x.muted, x.negated, x.held, x.inCall && !x.muted
	if in.Op == OpSpace && in.Region == markerRegion {
		in.Region = SpaceRegion
	}
	c.emit(in)
}

// reader returns the instruction of a leaf, as far as it does not depend on the place.
func (c *compiler) reader(n *peg.Node) Inst {
	switch n.Op {
	case peg.Literal:
		return Inst{Op: OpLiteral, Literal: c.specials.Literal(n.Text)}
	case peg.Space:
		return Inst{Op: OpSpace}
	case peg.Any:
		return Inst{Op: OpChars, Min: 1, Max: 1, Class: scan.NewClass(nil, true)}
	case peg.Chars:
		return Inst{Op: OpChars, Min: n.Min, Max: n.Max, Class: scan.NewClass(n.Ranges, n.Negated)}
	case peg.Until:
		return Inst{Op: OpUntil, Until: scan.NewUntil(n.Delims, &c.specials)}
	case peg.StringContent:
		return Inst{Op: OpString, Quote: n.Text[0]}
	case peg.Value:
		return Inst{Op: OpValue, Values: scan.NewAccept(n.Values)}
	}
	return Inst{Op: OpEnd}
}

// choice compiles a choice to
//
//	choice A; first; chosen end; A: choice B; second; chosen end; B: …; last; end:
func (c *compiler) choice(id peg.ID, kids []peg.ID, x place) {
	var ends []int32
	last := len(kids) - 1
	for _, k := range kids[:last] {
		at := c.push(id, k, x)
		c.node(k, x)
		ends = append(ends, c.pop(OpChosen, at))
		c.Insts[at].To = c.here()
	}
	c.node(kids[last], x)
	for _, at := range ends {
		c.Insts[at].To = c.here()
	}
}

// repeat compiles a repetition: kid as often as it must match, and then
//
//	choice end; kid; again; end:
//
// or, with an upper bound,
//
//	choice end; kid; chosen; choice end; kid; chosen; …; end:
func (c *compiler) repeat(id peg.ID, n *peg.Node, x place) {
	kid := n.Kids[0]
	for range n.Min {
		c.node(kid, x)
	}
	if n.Max < 0 {
		at := c.push(id, kid, x)
		c.node(kid, x)
		c.Insts[c.pop(OpAgain, at)].To = at + 1
		c.Insts[at].To = c.here()
		return
	}
	var choices []int32
	for range n.Max - n.Min {
		at := c.push(id, kid, x)
		c.node(kid, x)
		c.Insts[c.pop(OpChosen, at)].To = c.here()
		choices = append(choices, at)
	}
	for _, at := range choices {
		c.Insts[at].To = c.here()
	}
}

// push emits a choice. The code of its first alternative, kid, must follow.
func (c *compiler) push(id, kid peg.ID, x place) int32 {
	at := c.emit(Inst{Op: OpChoice, Node: id, Muted: x.muted, Negated: x.negated, First: c.firstBytes(kid)})
	c.path = c.path.with(path{pc: at})
	return at
}

// pop emits the instruction that pops the frame of the choice at the address of.
func (c *compiler) pop(op Opcode, of int32) int32 {
	c.path = c.path.up
	at := c.emit(Inst{Op: op, Of: of})
	c.Insts[of].Of = at
	return at
}

// peek compiles a lookahead to
//
//	peek A; kid; peeked B; A: fail; B:
func (c *compiler) peek(id, kid peg.ID, x place) {
	outer := x
	at := c.emit(Inst{Op: OpPeek, Node: id, Muted: x.muted, Negated: x.negated})
	x.muted = true
	c.node(kid, x)
	back := c.emit(Inst{Op: OpPeeked, Of: at})
	c.Insts[at].Of = back
	c.Insts[at].To = c.emit(Inst{Op: OpFail, Of: at, Node: id, Muted: outer.muted})
	c.Insts[back].To = c.here()
}

// not compiles a negative lookahead to
//
//	not A; kid; denied; A:
func (c *compiler) not(id, kid peg.ID, x place) {
	at := c.emit(Inst{Op: OpNot, Node: id, Muted: x.muted, Negated: x.negated})
	x.muted, x.negated = true, true
	c.node(kid, x)
	c.emit(Inst{Op: OpDenied, Node: id, Muted: true})
	c.Insts[at].To = c.here()
}

// use compiles a use of a rule.
func (c *compiler) use(id peg.ID, x place) {
	u := use{id, x}
	at := c.emit(Inst{Op: OpCall, Node: id, Muted: x.muted, Omits: c.Program.Omits(id)})
	c.calls = append(c.calls, call{at, u})
	if c.Program.Nodes[id].Op == peg.Trigger {
		c.entry(id, at, x)
	}
	if _, known := c.compiled[u]; !known {
		c.compiled[u] = -1
		c.todo = append(c.todo, pending{u, c.path.with(path{returns: true, pc: at + 1})})
	}
}

// atomic compiles body within an atomic region. Within another one, or within a lookahead, the region has no effect.
func (c *compiler) atomic(id peg.ID, x place, body func(place)) {
	outermost := !x.held && !x.muted
	if outermost {
		c.emit(Inst{Op: OpHold, Node: id})
		x.held = true
	}
	body(x)
	if outermost {
		c.emit(Inst{Op: OpRelease, Node: id})
	}
}

// tag compiles a tagged region. It is atomic if the text of its role is delivered whole.
func (c *compiler) tag(id peg.ID, n *peg.Node, x place) {
	kid := n.Kids[0]
	if x.muted {
		c.node(kid, x)
		return
	}
	if n.Role == peg.Missing {
		c.emit(Inst{Op: OpOpen, Role: n.Role, Node: id})
		c.node(kid, x)
		return
	}
	if n.Role == peg.Call {
		c.entry(id, c.here(), x)
		x.inCall = true
	}
	x.region = regionOf(n.Role, x.region)
	if n.Role.Streams() {
		x.role = n.Role
	}
	if !bounded(n.Role) {
		c.node(kid, x)
		return
	}
	body := func(x place) {
		c.emit(Inst{Op: OpOpen, Role: n.Role, Node: id})
		c.node(kid, x)
		c.emit(Inst{Op: OpClose, Role: n.Role, Node: id})
	}
	if n.Role.IsWhole() {
		c.atomic(id, x, body)
	} else {
		body(x)
	}
}
