package match

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// cost is what the machine has done. Nothing of it depends on how the input was cut.
type cost struct {
	steps     int // instructions run to their end
	fallbacks int
	reread    int // bytes read again
}

// excessive says that it is too much for an input that has been read up to farthest.
func (c *cost) excessive(farthest int) bool {
	return c.steps > maxSteps+maxStepsPerByte*farthest ||
		c.fallbacks > maxFallbacks+maxFallbacksPerByte*farthest ||
		c.reread > maxReread+maxRereadPerByte*farthest
}

// frame makes a frame of the state of the machine.
func (m *Machine) frame(kind frameKind, pc int32) frame {
	return frame{kind: kind, pc: pc, pos: m.pos, queue: len(m.queue), atomic: m.atomic, limit: m.limit, sure: m.sure}
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
	m.cost.fallbacks++
	f, ok := m.unwind()
	switch {
	case ok:
		m.cost.reread += m.pos - f.pos
		m.restore(f)
	case m.eof && m.pos == m.end():
		m.truncate()
	default:
		m.recover(m.code.resume, m.diagnose())
	}
}

// restore goes back to what was the case when f was pushed.
func (m *Machine) restore(f frame) {
	m.pos, m.atomic, m.limit, m.sure = f.pos, f.atomic, f.limit, f.sure
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
	if m.end() >= m.limit || in.negated || f != nil && f.pos == m.end() {
		m.fail(in)
	} else {
		m.truncate()
	}
	return true
}

// conclude tells what waits, as the machine will not fall back any more. What an atomic region has not completed, nobody
// has said.
func (m *Machine) conclude() {
	if m.atomic.open {
		m.queue.cut(m.atomic.queue, m.atomic.at)
		m.spans.cut(m.atomic.at)
		m.atomic = atomic{}
	}
	m.clear()
	m.limit, m.sure = unlimited, unlimited
	m.settle()
	m.tell.abandon()
}

// cutOff ends a text that the output ended in, rather than a delimiter. Only if the program ends here, too, is that the
// end of its region.
func (m *Machine) cutOff() outcome {
	m.sure = min(m.sure, len(m.queue))
	return matched
}

// truncate ends the parse within the program. What the current alternative has read is true as far as it goes.
func (m *Machine) truncate() {
	if m.report.Status == "" {
		m.report.Status = chat.Truncated
	}
	m.queue.cut(m.sure, m.end())
	m.conclude()
	if m.spans.end < m.end() {
		m.spans.mark(openRegion, m.end())
	}
	m.pos = m.end()
	m.over = true
}

// giveUp ends the search for anything but content.
func (m *Machine) giveUp(why string) {
	m.lost = true
	m.recover(m.code.plain, diagnosis{
		status:  chat.Malformed,
		at:      m.pos,
		message: fmt.Sprintf("byte %d, in %s: %s", m.pos, m.ruleAt(m.pc), why),
	})
}

// recover begins a recovery: what is not decided is content, and the machine goes on at address at. The generation prompt
// is never content.
func (m *Machine) recover(at int32, why diagnosis) {
	m.conclude()
	if m.pos = m.spans.end; m.pos < m.prompt {
		m.pos = min(m.prompt, m.end())
		m.spans.mark(promptRegion, m.pos)
	}
	m.blame(why)
	m.hopes.forget()
	m.jump(at)
}
