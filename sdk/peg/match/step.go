package match

// step runs one instruction.
func (m *Machine) step(in *inst) outcome {
	switch in.op {
	case opLiteral:
		return m.literal(in)
	case opSpace:
		return m.space(in)
	case opChars:
		return m.chars(in)
	case opUntil:
		return m.until(in)
	case opString:
		return m.stringContent(in)
	case opValue:
		return m.readValue(in)
	case opEnd:
		return m.atEnd()
	case opChoice:
		return m.choice(in)
	case opChosen:
		return m.chosen(in)
	case opAgain:
		return m.again(in)
	case opPeek, opNot:
		return m.peek(in)
	case opPeeked:
		m.back()
		return m.jump(in.to)
	case opDenied:
		m.back()
		return failed
	case opCall:
		return m.call(in)
	case opReturn:
		return m.jump(m.pop().pc)
	case opEnter:
		return m.enter(&m.code.entries[in.to])
	case opJump:
		return m.jump(in.to)
	case opOpen:
		return m.open(in)
	case opClose:
		return m.close(in)
	case opHold:
		return m.hold()
	case opRelease:
		return m.releaseAtomic()
	case opHalt:
		return m.halt()
	}
	return failed
}

func (m *Machine) jump(to int32) outcome {
	m.pc = to
	m.count = 0
	return jumped
}

// ahead is the input that an instruction may look at.
func (m *Machine) ahead() []byte {
	b := m.text[m.pos-m.base:]
	if room := m.limit - m.pos; len(b) > room {
		b = b[:room]
	}
	return b
}

// last says that no byte comes after those ahead.
func (m *Machine) last() bool { return m.eof && m.end() < m.limit }

func (m *Machine) literal(in *inst) outcome {
	o := in.literal.match(m.ahead(), m.pos, &m.tokens)
	if o == matched {
		m.consume(in, len(in.literal.text))
	}
	return o
}

func (m *Machine) space(in *inst) outcome {
	b := m.ahead()
	n := blankPrefix(b)
	m.consume(in, n)
	if n == len(b) && !m.last() {
		return hungry
	}
	return matched
}

func (m *Machine) chars(in *inst) outcome {
	b := m.ahead()
	n, o := 0, matched
	for o == matched && m.count != in.max {
		if n == len(b) {
			o = hungry
			break
		}
		var size int
		if size, o = in.class.next(b[n:], m.last()); o == matched {
			n += size
			m.count++
		}
	}
	m.consume(in, n)
	switch {
	case o == hungry && m.last() && m.count >= in.min:
		return m.cutOff()
	case o == failed && m.count >= in.min:
		return matched
	}
	return o
}

func (m *Machine) until(in *inst) outcome {
	b := m.ahead()
	if m.last() {
		n, o := in.until.findLast(b, m.pos, &m.tokens)
		m.consume(in, n)
		if o == matched {
			return matched
		}
		return m.cutOff()
	}
	n, o := in.until.find(b, m.pos, &m.tokens)
	m.consume(in, n)
	if o == matched {
		return matched
	}
	return hungry
}

func (m *Machine) stringContent(in *inst) outcome {
	if m.count == 0 {
		m.quoted, m.count = quoted{quote: in.quote}, 1
	}
	n, o := m.quoted.read(m.ahead())
	m.consume(in, n)
	return o
}

func (m *Machine) readValue(in *inst) outcome {
	if m.count == 0 {
		m.value.begin()
		m.count = 1
	}
	n, o := m.value.read(m.ahead(), in.values)
	m.consume(in, n)
	if o == hungry && m.last() && m.value.mayEnd() {
		return matched
	}
	return o
}

func (m *Machine) atEnd() outcome {
	switch {
	case len(m.ahead()) > 0:
		return failed
	case m.last():
		return matched
	}
	return hungry
}

// choice pushes a frame, unless the next byte shows that the first alternative cannot match. It waits for that byte: how
// often the machine falls back must not depend on chunks.
func (m *Machine) choice(in *inst) outcome {
	if in.first != nil {
		b := m.ahead()
		if len(b) == 0 && !m.last() {
			return hungry
		}
		if len(b) > 0 && !in.first.has(b[0]) {
			m.hope(m.pc+1, in)
			return m.jump(in.to)
		}
	}
	return m.pushFrame(choice, in.to)
}

// chosen pops the frame of an alternative that matched.
func (m *Machine) chosen(in *inst) outcome {
	m.pop()
	m.settle()
	return m.jump(in.to)
}

// again starts the frame of a repetition anew behind the iteration that matched, whether it was live or not. If it is the
// only live one, nothing that came before can be undone any more.
func (m *Machine) again(in *inst) outcome {
	otherwise := m.pop().pc
	m.settle()
	m.push(m.frame(choice, otherwise))
	return m.jump(in.to)
}

// peek pushes the frame of a lookahead.
func (m *Machine) peek(in *inst) outcome {
	o := m.pushFrame(looking, in.to)
	if o == matched {
		m.limit = min(m.limit, m.pos+maxAtomic)
	}
	return o
}

// back returns to where the lookahead began.
func (m *Machine) back() {
	f := m.pop()
	m.cost.reread += m.pos - f.pos
	m.pos, m.limit, m.sure = f.pos, f.limit, f.sure
}

func (m *Machine) call(in *inst) outcome {
	o := m.pushFrame(returning, m.pc+1)
	if o == matched {
		return m.jump(in.to)
	}
	return o
}

// enter goes to where the program expects a call, with the stack that it would have there.
func (m *Machine) enter(e *entry) outcome {
	m.frames = append(m.frames, e.frames...)
	return m.jump(e.at)
}

func (m *Machine) open(in *inst) outcome {
	m.queue = append(m.queue, waiting{kind: tellOpen, role: in.role, from: m.pos, to: m.pos, given: m.code.program.Nodes[in.node].Text})
	m.settle()
	return matched
}

// close ends a region. Of one whose text is whole the beginning still waits: it becomes the text. A name within an id has
// come after it.
func (m *Machine) close(in *inst) outcome {
	if in.role.IsWhole() {
		m.queue.complete(in.role, m.pos, m.code.program.Nodes[in.node].Text)
	} else {
		m.queue = append(m.queue, waiting{kind: tellClose, role: in.role, from: m.pos, to: m.pos})
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
	m.sure = unlimited
	m.settle()
	m.over = true
	return jumped
}
