package match

import (
	"github.com/dragoman-project/dragoman/sdk/peg/internal/code"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// step runs one instruction.
func (m *Machine) step(in *code.Inst) outcome {
	switch in.Op {
	case code.OpLiteral:
		return m.literal(in)
	case code.OpSpace:
		return m.space(in)
	case code.OpChars:
		return m.chars(in)
	case code.OpUntil:
		return m.until(in)
	case code.OpString:
		return m.stringContent(in)
	case code.OpValue:
		return m.readValue(in)
	case code.OpEnd:
		return m.atEnd()
	case code.OpChoice:
		return m.choice(in)
	case code.OpChosen:
		return m.chosen(in)
	case code.OpAgain:
		return m.again(in)
	case code.OpPeek, code.OpNot:
		return m.peek(in)
	case code.OpPeeked:
		m.back()
		return m.jump(in.To)
	case code.OpDenied:
		m.back()
		return failed
	case code.OpCall:
		return m.call(in)
	case code.OpReturn:
		pc := m.top().pc
		m.pop()
		return m.jump(pc)
	case code.OpEnter:
		return m.enter(&m.code.Entries[in.To])
	case code.OpJump:
		return m.jump(in.To)
	case code.OpOpen:
		return m.open(in)
	case code.OpClose:
		return m.close(in)
	case code.OpHold:
		return m.hold()
	case code.OpRelease:
		return m.releaseAtomic()
	case code.OpHalt:
		return m.halt()
	}
	return failed
}

func (m *Machine) jump(to int32) outcome {
	m.pc = to
	m.count = 0
	return jumped
}

// ahead returns the input that an instruction may look at.
func (m *Machine) ahead() []byte {
	b := m.text[m.pos-m.base:]
	if room := m.limit - m.pos; len(b) > room {
		b = b[:room]
	}
	return b
}

// last reports whether the model wrote no byte after those ahead.
func (m *Machine) last() bool { return m.eof && !m.cut && m.end() < m.limit }

// ended reports whether the output ends behind the bytes ahead.
func (m *Machine) ended() bool { return m.eof && m.end() < m.limit }

func (m *Machine) literal(in *code.Inst) outcome {
	o := in.Literal.Match(m.ahead(), m.pos, &m.tokens)
	if o == matched {
		m.consume(in, len(in.Literal.Text))
	}
	return o
}

func (m *Machine) space(in *code.Inst) outcome {
	b := m.ahead()
	n := scan.BlankPrefix(b)
	m.consume(in, n)
	if n == len(b) && !m.ended() {
		return hungry
	}
	return matched
}

func (m *Machine) chars(in *code.Inst) outcome {
	b := m.ahead()
	n, o := 0, matched
	for o == matched && m.count != in.Max {
		if n == len(b) {
			o = hungry
			break
		}
		var size int
		if size, o = in.Class.Next(b[n:], m.last()); o == matched {
			n += size
			m.count++
		}
	}
	m.consume(in, n)
	switch {
	case o == hungry && m.last() && m.count >= in.Min:
		return m.cutOff()
	case o == failed && m.count >= in.Min:
		return matched
	}
	return o
}

func (m *Machine) until(in *code.Inst) outcome {
	b := m.ahead()
	if m.last() {
		n, o := in.Until.FindLast(b, m.pos, &m.tokens)
		m.consume(in, n)
		if o == matched {
			return matched
		}
		return m.cutOff()
	}
	n, o := in.Until.Find(b, m.pos, &m.tokens)
	m.consume(in, n)
	if o == matched {
		return matched
	}
	return hungry
}

func (m *Machine) stringContent(in *code.Inst) outcome {
	if m.count == 0 {
		m.quoted, m.count = scan.Quoted{Quote: in.Quote}, 1
	}
	n, o := m.quoted.Read(m.ahead())
	m.consume(in, n)
	return o
}

func (m *Machine) readValue(in *code.Inst) outcome {
	if m.count == 0 {
		m.value.Begin()
		m.count = 1
	}
	n, o := m.value.Read(m.ahead(), in.Values)
	m.consume(in, n)
	if o == hungry && m.last() && m.value.MayEnd() {
		return m.cutOff()
	}
	return o
}

func (m *Machine) atEnd() outcome {
	switch {
	case len(m.ahead()) > 0:
		return failed
	case m.ended():
		return matched
	}
	return hungry
}

// choice pushes a frame, unless the next byte shows that the first alternative cannot match. It waits for that byte, because
// how often the machine falls back must not depend on chunks.
func (m *Machine) choice(in *code.Inst) outcome {
	if in.First != nil {
		b := m.ahead()
		if len(b) == 0 && !m.last() {
			return hungry
		}
		if len(b) > 0 && !in.First.Has(b[0]) {
			m.expect(m.pc+1, in)
			return m.jump(in.To)
		}
	}
	switch {
	case in.Words != nil && m.read(in):
		return jumped
	case in.Head != nil && m.refute(in):
		return m.jump(in.To)
	}
	return m.pushFrame(choice, in.To)
}

// chosen pops the frame of an alternative that matched.
func (m *Machine) chosen(in *code.Inst) outcome {
	m.pop()
	m.settle()
	return m.jump(in.To)
}

// again renews the frame of a repetition after an iteration that matched, whether the frame was live or not. If it is the only
// live one, nothing before it can be undone any more.
func (m *Machine) again(in *code.Inst) outcome {
	otherwise := m.top().pc
	m.pop()
	m.settle()
	m.push(choice, otherwise)
	return m.jump(in.To)
}

// peek pushes the frame of a lookahead.
func (m *Machine) peek(in *code.Inst) outcome {
	o := m.pushFrame(looking, in.To)
	if o == matched {
		m.limit = min(m.limit, m.pos+maxAtomic)
	}
	return o
}

// back returns to where the lookahead began.
func (m *Machine) back() {
	f := m.top()
	m.cost.reread += m.pos - f.pos
	m.pos, m.limit, m.sure, m.lacks = f.pos, f.limit, f.sure, f.lacks
	m.pop()
}

func (m *Machine) call(in *code.Inst) outcome {
	if in.Words != nil && m.read(in) {
		return jumped
	}
	if in.Omits && m.eof && m.pos == m.end() && !in.Muted {
		m.cutOff()
		m.lacks = true
	}
	if len(m.frames) >= code.MaxStack {
		m.tooDeep()
		return jumped
	}
	m.frames = append(m.frames, frame{kind: returning, pc: m.pc + 1})
	return m.jump(in.To)
}

// enter goes to where the program expects a call, and pushes what would be on the stack there.
func (m *Machine) enter(e *code.Entry) outcome {
	for _, f := range e.Frames {
		kind := spent
		if f.Returns {
			kind = returning
		}
		m.frames = append(m.frames, frame{kind: kind, pc: f.PC})
	}
	return m.jump(e.At)
}

func (m *Machine) open(in *code.Inst) outcome {
	m.queue = append(m.queue, waiting{kind: waitOpen, role: in.Role, from: m.pos, to: m.pos, given: m.code.Program.Nodes[in.Node].Text})
	m.settle()
	return matched
}

// close ends a region. If its text is delivered whole, the beginning still waits, and becomes the text; a name within an id
// has been queued after it.
func (m *Machine) close(in *code.Inst) outcome {
	if in.Role.IsWhole() {
		m.queue.complete(in.Role, m.pos, m.code.Program.Nodes[in.Node].Text)
	} else {
		m.queue = append(m.queue, waiting{kind: waitClose, role: in.Role, from: m.pos, to: m.pos})
		m.settle()
	}
	return matched
}

// hold begins an atomic region.
func (m *Machine) hold() outcome {
	m.atomic = atomic{open: true, at: m.pos, queue: len(m.queue)}
	m.limit = m.pos + maxAtomic
	return matched
}

func (m *Machine) halt() outcome {
	m.clear()
	if m.lacks {
		m.queue.reopen(m.sure, m.spans.solid())
	}
	m.sure = unlimited
	m.over = true
	m.settle()
	return jumped
}
