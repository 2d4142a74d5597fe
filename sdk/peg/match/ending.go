package match

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
)

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
	m.tell.Abandon()
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
		m.spans.mark(code.OpenRegion, m.end())
	}
	m.pos = m.end()
	m.over = true
}

// giveUp ends the search for anything but content.
func (m *Machine) giveUp(why string) {
	m.lost = true
	m.recover(m.code.Plain, diagnosis{
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
		m.spans.mark(code.PromptRegion, m.pos)
	}
	m.blame(why)
	m.hopes.forget()
	m.jump(at)
}
