package match

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
)

// frame returns a frame with the present state of the machine.
func (m *Machine) frame(kind frameKind, pc int32) frame {
	return frame{kind: kind, pc: pc, pos: m.pos, queue: len(m.queue), atomic: m.atomic, limit: m.limit, sure: m.sure, lacks: m.lacks}
}

// pushFrame pushes a frame, unless the stack is full.
func (m *Machine) pushFrame(kind frameKind, pc int32) outcome {
	if len(m.frames) >= code.MaxStack {
		m.giveUp(fmt.Sprintf("nested deeper than %d", code.MaxStack))
		return jumped
	}
	m.push(m.frame(kind, pc))
	return matched
}

// fail continues at the newest live frame. If there is none, the output ended too early or broke the format.
func (m *Machine) fail(in *code.Inst) {
	pc := m.pc
	if in.Op == code.OpFail {
		pc = in.Of + 1 // the lookahead that failed
	}
	m.expect(pc, in)
	m.cost.fallbacks++
	f, ok := m.unwind()
	switch {
	case ok:
		m.cost.reread += m.pos - f.pos
		m.restore(f)
	case m.eof && m.pos == m.end():
		m.truncate()
	default:
		m.recover(m.code.Resume, m.diagnose())
	}
}

// restore goes back to the state in which f was pushed.
func (m *Machine) restore(f frame) {
	m.pos, m.atomic, m.limit, m.sure, m.lacks = f.pos, f.atomic, f.limit, f.sure, f.lacks
	m.queue.cut(f.queue, f.pos)
	m.spans.cut(f.pos)
	m.jump(f.pc)
}

// starve is called when instruction in needs a byte that has not come. It reports whether the machine continues without it. A
// text in a call that only the end of the output ends is not complete if a marker could follow it.
func (m *Machine) starve(in *code.Inst) bool {
	if m.end() < m.limit && !m.eof {
		return false
	}
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
	return true
}
