package match

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Options say what the machine knows besides the program. The zero value knows nothing.
type Options struct {
	// Specials are the texts of special tokens. Where a machine is told which bytes came from special tokens
	// (Machine.FeedSpecial), these texts match there and nowhere else.
	Specials []string
}

// Compile turns a program into code. The error is a peg.Defects if the program is not valid, and a *TooLarge if it
// unrolls to too many instructions.
func Compile(p *peg.Program, o Options) (*Code, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	c := &compiler{
		Code:     &Code{program: p, rules: []string{"program"}, insts: make([]inst, 0, 2*len(p.Nodes))},
		specials: newSpecials(o.Specials),
		nullable: p.Nullable(),
		compiled: map[use]int32{},
		starts:   make([]*start, len(p.Nodes)),
		readers:  make([]*inst, len(p.Nodes)),
	}
	c.node(p.Root, place{region: markerRegion})
	c.emit(inst{op: opHalt})
	c.bodies()
	c.recovery()
	c.link()
	if len(c.insts) > maxCode {
		return nil, &TooLarge{Limit: maxCode}
	}
	return c.Code, nil
}

// TooLarge is the error of a program whose shared parts unroll to too many instructions.
type TooLarge struct{ Limit int }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("the program unrolls to more than %d instructions: name what is used often as a rule", e.Limit)
}

// place is where in a program a node is used, as far as that changes its code.
type place struct {
	role    peg.Role
	region  region
	held    bool // within an atomic region
	muted   bool // within a lookahead
	negated bool // within a negative one
	inCall  bool
}

// use is a rule and the place where it is used.
type use struct {
	rule peg.ID
	place
}

type compiler struct {
	*Code
	specials specials
	nullable []bool
	starts   []*start // what nodes can begin with, by node
	readers  []*inst  // instructions of nodes that read input by themselves, by node

	rule     int32         // the rule being compiled
	path     *path         // what is on the stack where the next instruction runs
	todo     []pending     // uses that are still to be compiled
	compiled map[use]int32 // their addresses
	calls    []call        // calls to be linked
}

// pending is a use of a rule that is to be compiled, and the stack of its first caller.
type pending struct {
	use
	path *path
}

// call is a call instruction and the use that it calls.
type call struct {
	at int32
	use
}

// emit adds an instruction and returns its address.
func (c *compiler) emit(in inst) int32 {
	if len(c.insts) <= maxCode { // beyond that the result is not used
		in.rule = c.rule
		c.insts = append(c.insts, in)
	}
	return int32(len(c.insts) - 1)
}

// here is the address of the next instruction.
func (c *compiler) here() int32 { return int32(len(c.insts)) }

// full says that there is too much code already; nodes that contain others need not be unrolled further.
func (c *compiler) full() bool { return len(c.insts) > maxCode }

// bodies compiles the rules that are used, once for each kind of place.
func (c *compiler) bodies() {
	for len(c.todo) > 0 {
		next := c.todo[0]
		c.todo = c.todo[1:]
		n := &c.program.Nodes[next.rule]
		c.rules = append(c.rules, n.Text)
		c.rule = int32(len(c.rules) - 1)
		c.path = next.path
		c.compiled[next.use] = c.here()
		c.node(n.Kids[0], next.place)
		c.emit(inst{op: opReturn})
	}
}

// link gives calls their addresses.
func (c *compiler) link() {
	if c.full() {
		return
	}
	for _, call := range c.calls {
		c.insts[call.at].to = c.compiled[call.use]
	}
	for i := range c.entries {
		c.linkEntry(&c.entries[i])
	}
}

// node compiles node id as it is used in place x.
func (c *compiler) node(id peg.ID, x place) {
	if c.full() {
		return
	}
	n := &c.program.Nodes[id]
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

// consumer compiles a node that reads input by itself.
func (c *compiler) consumer(id peg.ID, n *peg.Node, x place) {
	if n.Op == peg.Empty {
		return
	}
	if c.readers[id] == nil {
		in := c.reader(n)
		in.node = id
		c.readers[id] = &in
	}
	in := *c.readers[id]
	in.role, in.region, in.muted, in.negated, in.held = x.role, x.region, x.muted, x.negated, x.held
	if in.op == opSpace && in.region == markerRegion {
		in.region = spaceRegion
	}
	c.emit(in)
}

// reader is the instruction of such a node, wherever it is used.
func (c *compiler) reader(n *peg.Node) inst {
	switch n.Op {
	case peg.Literal:
		return inst{op: opLiteral, literal: c.specials.literal(n.Text)}
	case peg.Space:
		return inst{op: opSpace}
	case peg.Any:
		return inst{op: opChars, min: 1, max: 1, class: newClass(nil, true)}
	case peg.Chars:
		return inst{op: opChars, min: n.Min, max: n.Max, class: newClass(n.Ranges, n.Negated)}
	case peg.Until:
		return inst{op: opUntil, until: newUntil(n.Delims, &c.specials)}
	case peg.StringContent:
		return inst{op: opString, quote: n.Text[0]}
	case peg.Value:
		return inst{op: opValue, values: newValues(n.Values)}
	}
	return inst{op: opEnd}
}

// choice compiles
//
//	choice A; first; chosen end; A: choice B; second; chosen end; B: …; last; end:
func (c *compiler) choice(id peg.ID, kids []peg.ID, x place) {
	var ends []int32
	last := len(kids) - 1
	for _, k := range kids[:last] {
		at := c.push(id, k, x)
		c.node(k, x)
		ends = append(ends, c.pop(opChosen, at))
		c.insts[at].to = c.here()
	}
	c.node(kids[last], x)
	for _, at := range ends {
		c.insts[at].to = c.here()
	}
}

// repeat compiles kid as often as it must match, and then
//
//	choice end; kid; again; end:
//
// or as often as it may match still
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
		c.insts[c.pop(opAgain, at)].to = at + 1
		c.insts[at].to = c.here()
		return
	}
	var choices []int32
	for range n.Max - n.Min {
		at := c.push(id, kid, x)
		c.node(kid, x)
		c.insts[c.pop(opChosen, at)].to = c.here()
		choices = append(choices, at)
	}
	for _, at := range choices {
		c.insts[at].to = c.here()
	}
}

// push emits a choice whose first alternative, kid, comes next.
func (c *compiler) push(id, kid peg.ID, x place) int32 {
	at := c.emit(inst{op: opChoice, node: id, muted: x.muted, negated: x.negated, first: c.firstBytes(kid)})
	c.path = &path{kind: spent, pc: at, up: c.path}
	return at
}

// pop emits the instruction that pops the frame of the choice at address of.
func (c *compiler) pop(op opcode, of int32) int32 {
	c.path = c.path.up
	at := c.emit(inst{op: op, of: of})
	c.insts[of].of = at
	return at
}

// peek compiles
//
//	peek A; kid; peeked B; A: fail; B:
func (c *compiler) peek(id, kid peg.ID, x place) {
	outer := x
	at := c.emit(inst{op: opPeek, node: id, muted: x.muted, negated: x.negated})
	x.muted = true
	c.node(kid, x)
	back := c.emit(inst{op: opPeeked, of: at})
	c.insts[at].of = back
	c.insts[at].to = c.emit(inst{op: opFail, of: at, node: id, muted: outer.muted})
	c.insts[back].to = c.here()
}

// not compiles
//
//	not A; kid; denied; A:
func (c *compiler) not(id, kid peg.ID, x place) {
	at := c.emit(inst{op: opNot, node: id, muted: x.muted, negated: x.negated})
	x.muted, x.negated = true, true
	c.node(kid, x)
	c.emit(inst{op: opDenied, node: id, muted: true})
	c.insts[at].to = c.here()
}

// use compiles the use of a rule.
func (c *compiler) use(id peg.ID, x place) {
	u := use{id, x}
	at := c.emit(inst{op: opCall, node: id, muted: x.muted})
	c.calls = append(c.calls, call{at, u})
	if c.program.Nodes[id].Op == peg.Trigger {
		c.entry(id, at, x)
	}
	if _, known := c.compiled[u]; !known {
		c.compiled[u] = -1
		c.todo = append(c.todo, pending{u, &path{kind: returning, pc: at + 1, up: c.path}})
	}
}

// atomic compiles an atomic region around body. Within another one, or within a lookahead, it changes nothing.
func (c *compiler) atomic(id peg.ID, x place, body func(place)) {
	outermost := !x.held && !x.muted
	if outermost {
		c.emit(inst{op: opHold, node: id})
		x.held = true
	}
	body(x)
	if outermost {
		c.emit(inst{op: opRelease, node: id})
	}
}

// tag compiles a region of a role. One whose text is whole is atomic.
func (c *compiler) tag(id peg.ID, n *peg.Node, x place) {
	kid := n.Kids[0]
	if x.muted {
		c.node(kid, x)
		return
	}
	if n.Role == peg.Missing {
		c.emit(inst{op: opOpen, role: n.Role, node: id})
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
		c.emit(inst{op: opOpen, role: n.Role, node: id})
		c.node(kid, x)
		c.emit(inst{op: opClose, role: n.Role, node: id})
	}
	if n.Role.IsWhole() {
		c.atomic(id, x, body)
	} else {
		body(x)
	}
}
