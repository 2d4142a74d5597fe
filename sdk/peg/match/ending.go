package match

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
)

// conclude delivers what is waiting, as the machine will not fall back any more, except what an incomplete atomic region has
// read.
func (m *Machine) conclude() {
	if m.atomic.open {
		m.queue.cut(m.atomic.queue, m.atomic.at)
		m.spans.cut(m.atomic.at)
		m.atomic = atomic{}
	}
	m.clear()
	m.limit, m.sure, m.lacks = unlimited, unlimited, false
	m.settle()
	m.queue = m.queue[:0]
}

// cutOff ends a text at the end of the output rather than at a delimiter. Its region is complete only if the program ends
// here, too.
func (m *Machine) cutOff() outcome {
	m.sure = min(m.sure, len(m.queue))
	return matched
}

// truncate ends the parse within the program. What the current alternative has read counts as far as it goes.
func (m *Machine) truncate() {
	if m.report.Status == "" {
		m.report.Status = chat.Truncated
	}
	m.queue.cut(m.sure, m.end())
	m.conclude()
	m.emitter.From, m.emitter.To = m.end(), m.end()
	m.emitter.Abandon()
	if m.spans.end < m.end() {
		m.spans.mark(code.OpenRegion, m.end())
	}
	m.pos = m.end()
	m.over = true
}

// giveUp treats the rest of the output as content.
func (m *Machine) giveUp(why string) {
	m.lost = true
	m.recover(m.code.Plain, diagnosis{
		status:  chat.Malformed,
		at:      m.pos,
		message: fmt.Sprintf("byte %d, in %s: %s", m.pos, m.ruleAt(m.pc), why),
	})
}

// recover begins a recovery: what is not decided is content, and the machine continues at address at. The generation prompt
// is never content.
func (m *Machine) recover(at int32, why diagnosis) {
	m.conclude()
	m.emitter.From, m.emitter.To = m.spans.end, m.spans.end
	m.emitter.Omit()
	if m.pos = m.spans.end; m.pos < m.prompt {
		m.pos = min(m.prompt, m.end())
		m.spans.mark(code.PromptRegion, m.pos)
	}
	m.recordFault(why)
	m.expectations.forget()
	m.jump(at)
}
