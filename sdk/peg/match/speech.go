package match

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// consume moves past the next n bytes, which instruction in has read, and delivers or queues what they mean.
func (m *Machine) consume(in *code.Inst, n int) {
	from := m.pos
	m.pos += n
	if n == 0 || in.Muted {
		return
	}
	m.spans.mark(in.Region, m.pos)
	if m.spans.claims.kept {
		m.spans.claims.add(in, from, m.pos)
	}
	switch {
	case in.Role == peg.NoRole:
		if m.overdue() {
			m.commit()
			m.settle()
		}
	case m.settled():
		m.say(in, from)
	case m.atomic.open || m.live > 0 && !m.speaks(from) && !m.overdue():
		m.queue.text(in.Role, from, m.pos)
	default:
		if m.live > 0 {
			m.commit()
		}
		m.settle()
		m.say(in, from)
	}
}

// say delivers the text from offset from on, which instruction in has read.
func (m *Machine) say(in *code.Inst, from int) {
	m.emitter.From, m.emitter.To = from, m.pos
	m.emitter.Text(in.Role, m.bytes(from, m.pos), in.Recovered)
	if len(m.spans.list) > many {
		m.spans.decide()
	}
}

// speaks reports whether the text from offset from on, of a speaking role, commits: it is not white space, or too much of it.
func (m *Machine) speaks(from int) bool {
	b := m.bytes(from, m.pos)
	return scan.BlankPrefix(b) < len(b) || m.queue.blank(from)+len(b) > maxBlank
}

// overdue reports whether more is undecided than may wait. An atomic region has its own limit.
func (m *Machine) overdue() bool {
	if m.live == 0 || m.atomic.open {
		return false
	}
	return m.pos-m.oldest().pos > maxUndecided
}

// commit kills every live frame: everything so far is decided.
func (m *Machine) commit() {
	m.stack.commit()
	m.expectations.forget()
}

// settle delivers what is waiting, unless it can still be undone.
func (m *Machine) settle() {
	if m.live == 0 && !m.atomic.open && m.sure == unlimited && len(m.queue) > 0 {
		m.flush()
	}
}

func (m *Machine) flush() {
	n := len(m.queue)
	if !m.over {
		n = m.queue.supported(n, m.spans.solid())
	}
	for _, w := range m.queue[:n] {
		m.emitter.From, m.emitter.To = w.from, w.to
		switch {
		case w.role == peg.Missing:
			m.report.Miss(w.given, w.from)
		case w.kind == waitOpen:
			m.emitter.Open(w.role)
		case w.kind == waitClose:
			m.emitter.Close(w.role)
		case w.kind == waitOmit:
			m.omit()
		default:
			m.emitter.Text(w.role, m.wording(w), false)
		}
	}
	m.queue = m.queue[:copy(m.queue, m.queue[n:])]
	if len(m.spans.list) > many {
		m.spans.decide()
	}
}

// omit ends a call at the end of the output, where its last marker is missing. Unless its arguments are complete, it stays open.
func (m *Machine) omit() {
	if !m.emitter.Omit() && m.report.Status == "" {
		m.report.Status = chat.Truncated
	}
}

// wording returns what to deliver for a text.
func (m *Machine) wording(w waiting) []byte {
	if w.given != "" {
		return []byte(w.given)
	}
	return m.bytes(w.from, w.to)
}

// releaseAtomic ends an atomic region. It commits if the region contains a name or speech.
func (m *Machine) releaseAtomic() outcome {
	said := m.queue[m.atomic.queue:]
	m.atomic = atomic{}
	m.limit = unlimited
	if m.live > 0 && m.decides(said) {
		m.commit()
	}
	m.settle()
	return matched
}

func (m *Machine) decides(said queue) bool {
	for _, w := range said {
		if w.kind == waitText && w.role.Commits() {
			if b := m.bytes(w.from, w.to); scan.BlankPrefix(b) < len(b) {
				return true
			}
		}
	}
	return false
}
