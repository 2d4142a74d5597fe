package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// expectations holds which instructions failed at the farthest place since the last commitment. It is cheap: what they
// expected is worked out only for a fault.
type expectations struct {
	at   int
	end  bool // the output could have ended there
	n    int
	list [8]expectation
}

// expectation is an instruction that could not continue.
type expectation struct {
	pc    int32
	value scan.ValueState // the progress of a value
}

// expect records that the instruction at pc cannot match at the present place.
func (m *Machine) expect(pc int32, in *code.Inst) {
	if in.Muted || m.pos < m.expectations.at {
		return
	}
	h := &m.expectations
	if m.pos > h.at {
		h.forget()
		h.at = m.pos
	}
	h.end = h.end || in.Op == code.OpEnd
	if h.n == len(h.list) {
		return
	}
	h.list[h.n] = expectation{pc: pc}
	if in.Op == code.OpValue {
		h.list[h.n].value = m.value.State
	}
	h.n++
}

func (h *expectations) forget() { h.at, h.n, h.end = 0, 0, false }

// diagnosis is what is known of a fault.
type diagnosis struct {
	status  chat.Status
	at      int
	message string
}

// recordFault adds a fault at the present place to the report.
func (m *Machine) recordFault(why diagnosis) {
	if m.report.Status == "" || why.status == chat.Malformed {
		m.report.Status = why.status
	}
	if len(m.report.Faults) < maxFaults {
		fault := chat.Fault{At: m.pos, Farthest: max(m.pos, why.at), Message: why.message}
		m.report.Faults = append(m.report.Faults, fault)
	}
}

// diagnose returns what was expected at the farthest place, and what is there.
func (m *Machine) diagnose() diagnosis {
	h := &m.expectations
	if h.at < m.pos { // nothing was expected here
		*h = expectations{at: m.pos}
	}
	d := diagnosis{status: chat.Malformed, at: h.at}
	if h.end {
		d.status = chat.Trailing
	}
	if len(m.report.Faults) == maxFaults {
		return d
	}
	var wanted []string
	seen := 1
	for _, x := range h.list[:h.n] {
		wanted = append(wanted, expected(m.code, x)...)
		seen = max(seen, m.mismatch(x.pc))
	}
	if len(wanted) == 0 {
		d.message = fmt.Sprintf("byte %d, in %s: nothing matches %s", h.at, m.ruleAt(m.pc), m.found(h.at, 1))
		return d
	}
	slices.Sort(wanted)
	d.message = fmt.Sprintf("byte %d, in %s: expected %s, found %s", h.at, m.ruleAt(h.list[0].pc),
		strings.Join(slices.Compact(wanted), " or "), m.found(h.at, seen))
	return d
}

func (m *Machine) ruleAt(pc int32) string { return m.code.Rules[m.code.Insts[pc].Rule] }

// found quotes n bytes of the input at offset at.
func (m *Machine) found(at, n int) string {
	b := m.bytes(at, min(at+n, m.end()))
	if len(b) == 0 {
		return "the end"
	}
	return fmt.Sprintf("%q", b)
}

// mismatch returns how many bytes at the farthest place show that the literal at pc does not match.
func (m *Machine) mismatch(pc int32) int {
	l := m.code.Insts[pc].Literal
	if l == nil {
		return 1
	}
	b := m.bytes(m.expectations.at, m.end())
	n := 0
	for n < len(b) && n < len(l.Text) && b[n] == l.Text[n] {
		n++
	}
	return n + 1
}

// expected names what the code at an expectation could begin with.
func expected(c *code.Code, h expectation) []string {
	w := wanted{code: c, value: h.value}
	w.walk(h.pc)
	return w.names
}

// wanted collects what code can begin with. It looks at a bounded number of instructions.
type wanted struct {
	code  *code.Code
	value scan.ValueState
	texts bool // name texts rather than their delimiters
	names []string
	steps int
}

func (w *wanted) walk(pc int32) {
	for ; w.steps < 64; w.steps++ {
		in := &w.code.Insts[pc]
		switch in.Op {
		case code.OpSpace, code.OpOpen, code.OpClose, code.OpHold, code.OpRelease:
			pc++
		case code.OpChoice:
			w.steps++
			w.walk(pc + 1)
			w.value = scan.AtStart
			pc = in.To
		case code.OpPeek:
			pc = w.code.Insts[in.Of].To
		case code.OpCall, code.OpChosen, code.OpJump, code.OpNot:
			pc = in.To
		default:
			if w.texts && in.Op == code.OpUntil {
				w.names = append(w.names, upTo(in.Until.Delims))
			} else if name := describe(w.code, in, w.value); name != "" {
				w.names = append(w.names, name)
			}
			return
		}
	}
}

// describe names what a consuming instruction reads.
func describe(c *code.Code, in *code.Inst, state scan.ValueState) string {
	switch in.Op {
	case code.OpLiteral:
		return in.Literal.String()
	case code.OpChars:
		if n := &c.Program.Nodes[in.Node]; n.Op == peg.Chars {
			return n.Class()
		}
		return "a character"
	case code.OpUntil: // it fails where it may not read further
		return fmt.Sprintf("one of %v within %d bytes", in.Until.Delims, maxAtomic)
	case code.OpString:
		return "a string escape"
	case code.OpValue:
		return state.String()
	case code.OpEnd:
		return "the end"
	}
	if in.Op.Consumes() {
		return c.Program.Nodes[in.Node].Op.String()
	}
	return ""
}
