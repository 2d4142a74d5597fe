package match

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// cost is what the machine has done in vain.
type cost struct {
	fallbacks int
	reread    int // bytes read again
	farthest  int // the farthest offset of a failure
}

// excessive says that it is too much. It depends on the program and the input alone.
func (c *cost) excessive() bool {
	return c.fallbacks > maxFallbacks+maxFallbacksPerByte*c.farthest ||
		c.reread > maxReread+maxRereadPerByte*c.farthest
}

// frame makes a frame of the state of the machine.
func (m *Machine) frame(kind frameKind, pc int32) frame {
	return frame{kind: kind, pc: pc, pos: m.pos, queue: len(m.queue), atomic: m.atomic, limit: m.limit}
}

// pushFrame pushes a frame, unless the stack is full.
func (m *Machine) pushFrame(kind frameKind, pc int32) outcome {
	if len(m.frames) >= maxStack {
		m.giveUp(fmt.Sprintf("nested deeper than %d", maxStack))
		return jumped
	}
	m.push(m.frame(kind, pc))
	return matched
}

// fail goes on at the newest live frame. If there is none, the output ended too early or broke the format.
func (m *Machine) fail(in *inst) {
	m.hope(m.pc, in)
	m.cost.farthest = max(m.cost.farthest, m.pos)
	m.cost.fallbacks++
	if m.cost.excessive() {
		m.giveUp("the program tried too many alternatives")
		return
	}
	f, ok := m.unwind()
	switch {
	case ok:
		m.cost.reread += m.pos - f.pos
		m.restore(f)
	case m.eof && m.pos == m.end():
		m.truncate(in)
	default:
		m.recover(m.code.resume, m.diagnose())
	}
}

// restore goes back to what was the case when f was pushed.
func (m *Machine) restore(f frame) {
	m.pos, m.atomic, m.limit = f.pos, f.atomic, f.limit
	m.queue.cut(f.queue, f.pos)
	m.spans.cut(f.pos)
	m.jump(f.pc)
}

// starve is called when instruction in takes a byte that is not there. It says whether the machine goes on without.
func (m *Machine) starve(in *inst) bool {
	if m.end() < m.limit && !m.eof {
		return false
	}
	f := m.newest()
	if m.end() >= m.limit || in.muted || f != nil && f.pos == m.end() {
		m.fail(in)
	} else {
		m.truncate(in)
	}
	return true
}

// truncate ends the parse within the program. What the current alternative has read is true as far as it goes.
func (m *Machine) truncate(in *inst) {
	if m.report.Status == "" {
		m.report.Status = chat.Truncated
	}
	open := m.end()
	if m.atomic.open {
		open = m.atomic.at
		m.queue.cut(m.atomic.queue, open)
		m.atomic = atomic{}
	} else if in.op == opLiteral {
		open = m.pos
	}
	m.clear()
	m.settle()
	m.tell.abandon()
	if open < m.end() {
		m.spans.cut(open)
		m.spans.mark(openRegion, open)
	}
	m.pos = m.end()
	m.over = true
}

// giveUp ends the search for anything but content.
func (m *Machine) giveUp(why string) {
	m.recover(m.code.plain, diagnosis{status: chat.Malformed, at: m.pos, message: fmt.Sprintf("byte %d: %s", m.pos, why)})
}

// recover begins a recovery: what is not decided is content, and the machine goes on at address at. The generation prompt
// is never content.
func (m *Machine) recover(at int32, why diagnosis) {
	if m.atomic.open {
		m.pos = m.atomic.at
		m.queue.cut(m.atomic.queue, m.pos)
		m.atomic = atomic{}
	}
	m.clear()
	m.settle()
	m.tell.abandon()
	m.limit = unlimited
	m.pos = max(m.pos, min(m.prompt, m.end()))
	m.spans.cut(m.pos)
	m.blame(why)
	m.hopes.forget()
	m.jump(at)
}
