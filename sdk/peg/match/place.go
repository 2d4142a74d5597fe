package match

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Place is where in its program a machine is.
type Place struct {
	// Rules are the rules that it is in, outermost first. The program as a whole is not among them.
	Rules []string
	// Next is what it can read next, in words, as far as that is simple to say.
	Next []string
	// Recovering means that the output broke the format: everything is content until a call begins.
	Recovering bool
	// Ended means that the program, or the output, has ended.
	Ended bool
}

// Place returns where the machine is.
func (m *Machine) Place() (p Place) {
	in := &m.code.Insts[m.pc]
	if m.over || in.Recovered {
		return Place{Ended: m.over, Recovering: !m.over}
	}
	add := func(pc int32) {
		if rule := m.code.Insts[pc].Rule; rule != 0 {
			p.Rules = append(p.Rules, m.code.Rules[rule])
		}
	}
	for i := range m.frames {
		if m.frames[i].kind == returning {
			add(m.frames[i].pc)
		}
	}
	add(m.pc)
	w := wanted{code: m.code, texts: true}
	if m.count > 0 {
		w.value = m.value.State
	}
	w.walk(m.pc)
	p.Next = w.names
	return p
}

// upTo describes text that ends at delimiters.
func upTo(delims []*scan.Literal) string {
	if len(delims) == 0 {
		return "any text"
	}
	quoted := make([]string, len(delims))
	for i, d := range delims {
		quoted[i] = d.String()
	}
	return "text up to " + strings.Join(quoted, " or ")
}
