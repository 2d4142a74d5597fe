package match

import (
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
)

// Claim is a run of bytes that one node of the program has read.
type Claim struct {
	// Rule is the innermost rule that the node stands in; "program": it stands in none.
	Rule string
	// Node is the node as programs are printed: until("</think>").
	Node string
	// Recovered bytes did not follow the program. Rule and Node are empty.
	Recovered bool
	// Start and End are byte offsets into generation prompt + output, End exclusive.
	Start, End int
}

// claims records which nodes have read the bytes, if it is to be kept. What is cut from the spans is cut from them.
type claims struct {
	kept bool
	list []claim
}

type claim struct {
	rule       int32 // recovery: the bytes did not follow the program
	node       peg.ID
	start, end int
}

const recovery = -1

func (c *claims) add(in *code.Inst, from, to int) {
	rule := in.Rule
	if in.Recovered {
		rule = recovery
	}
	if n := len(c.list); n > 0 {
		if last := &c.list[n-1]; last.rule == rule && last.node == in.Node && last.end == from {
			last.end = to
			return
		}
	}
	c.list = append(c.list, claim{rule, in.Node, from, to})
}

// cut forgets the bytes from offset at on.
func (c *claims) cut(at int) {
	n := len(c.list)
	for n > 0 && c.list[n-1].start >= at {
		n--
	}
	if c.list = c.list[:n]; n > 0 {
		c.list[n-1].end = min(c.list[n-1].end, at)
	}
}

// KeepClaims records which nodes read the output, if it is called before the first byte: some 24 bytes for each run.
func (m *Machine) KeepClaims() { m.spans.claims.kept = true }

// Claims returns which nodes have read the bytes up to the present place, in order; nil without KeepClaims. Claims of bytes that
// are held can still change. Bytes that the program was still deciding on when the output ended are in none.
func (m *Machine) Claims() []Claim {
	var all []Claim
	for _, c := range m.spans.claims.list {
		one := Claim{Start: c.start, End: c.end, Recovered: c.rule == recovery}
		if !one.Recovered {
			one.Rule, one.Node = m.code.Rules[c.rule], m.code.Program.Nodes[c.node].Leaf()
		}
		all = append(all, one)
	}
	return all
}
