package match

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
)

// pushFrame pushes a frame with the present state of the machine, unless the stack is full.
func (m *Machine) pushFrame(kind frameKind, pc int32) outcome {
	if len(m.frames) >= code.MaxStack {
		m.tooDeep()
		return jumped
	}
	m.push(kind, pc)
	return matched
}

func (m *Machine) push(kind frameKind, pc int32) {
	f := m.stack.push()
	f.kind, f.lacks, f.pc, f.pos, f.queue = kind, m.lacks, pc, m.pos, len(m.queue)
	f.atomic, f.limit, f.sure = m.atomic, m.limit, m.sure
}

func (m *Machine) tooDeep() { m.giveUp(fmt.Sprintf("nested deeper than %d", code.MaxStack)) }

// fail continues at the newest live frame. If there is none, the output ended too early or broke the format.
func (m *Machine) fail(in *code.Inst) {
	pc := m.pc
	if in.Op == code.OpFail {
		pc = in.Of + 1 // the lookahead that failed
	}
	m.expect(pc, in)
	m.cost.fallbacks++
	f := m.unwind()
	switch {
	case f != nil:
		m.cost.reread += m.pos - f.pos
		m.restore(f)
	case m.eof && m.pos == m.end():
		m.truncate()
	default:
		m.recover(m.code.Resume, m.diagnose())
	}
}

// restore goes back to the state in which f was pushed.
func (m *Machine) restore(f *frame) {
	m.pos, m.atomic, m.limit, m.sure, m.lacks = f.pos, f.atomic, f.limit, f.sure, f.lacks
	m.queue.cut(f.queue, f.pos)
	m.spans.cut(f.pos)
	m.jump(f.pc)
}

// starve is called when instruction in needs a byte that does not come, or may not be read. A text in a call that only the end of the output ends is not complete if a marker could follow it.
func (m *Machine) starve(in *code.Inst) {
	switch f := m.newest(); {
	case m.end() >= m.limit:
		m.fail(in)
	case m.cut:
		m.truncate()
	case in.Negated || f != nil && f.pos == m.end():
		lacks := in.InCall && in.Op == code.OpLiteral && m.sure != unlimited
		m.fail(in)
		m.lacks = m.lacks || lacks && m.sure != unlimited
	default:
		m.truncate()
	}
}
