package match

import "github.com/dragoman-project/dragoman/sdk/peg/internal/code"

// The functions in this file save frames: they do at once what running the code would do, if the bytes at hand decide it. Where
// they do not, or a limit is near, they do nothing, and the code is run.

// read reads one of the words of in, and reports whether it is there.
func (m *Machine) read(in *code.Inst) bool {
	w, b, insts := in.Words, m.ahead(), m.code.Insts
	i, cost, o := w.Find(insts, b, m.pos, &m.tokens)
	if o != matched || !m.affords(cost, 0) {
		return false
	}
	for k := range w.List[:i] {
		if x := &w.List[k]; x.Refused(insts, b) {
			m.expect(x.Guard+1, &insts[x.Guard])
		} else {
			m.expect(x.PC, &insts[x.PC])
		}
	}
	m.cost.steps += cost.Steps - 1 // run counts this one
	m.cost.fallbacks += cost.Fallbacks
	text := &insts[w.List[i].PC]
	m.consume(text, len(text.Literal.Text))
	if w.List[i].Guard >= 0 {
		m.settle()
	}
	m.jump(w.Next)
	return true
}

// refute reports whether the first alternative of the choice in fails within its head, and records that it did.
func (m *Machine) refute(in *code.Inst) bool {
	h, b, insts := in.Head, m.ahead(), m.code.Insts
	if m.live > 0 && m.pos+h.Size-m.oldest().pos > maxUndecided {
		return false
	}
	at, all := 0, code.Cost{Fallbacks: 1}
	for i := range h.List {
		part := &h.List[i]
		if part.Words != nil {
			k, cost, o := part.Words.Find(insts, b[at:], m.pos+at, &m.tokens)
			if o != matched {
				return false
			}
			all.Steps += cost.Steps
			all.Fallbacks += cost.Fallbacks
			at += len(insts[part.Words.List[k].PC].Literal.Text)
			continue
		}
		text := &insts[part.PC]
		switch text.Literal.Match(b[at:], m.pos+at, &m.tokens) {
		case matched:
			at += len(text.Literal.Text)
		case hungry:
			return false
		case failed:
			all.Steps += part.Steps
			if !m.affords(all, at) {
				return false
			}
			m.cost.steps += all.Steps
			m.cost.fallbacks += all.Fallbacks
			m.cost.reread += at
			m.pos += at
			m.farthest = max(m.farthest, m.pos)
			m.expect(part.PC, text)
			m.pos -= at
			return true
		}
	}
	return false
}

// affords reports whether no limit would be reached on the way.
func (m *Machine) affords(more code.Cost, reread int) bool {
	const frames = 16 // more than a head or words push
	c := cost{m.cost.steps + more.Steps + 1, m.cost.fallbacks + more.Fallbacks, m.cost.reread + reread}
	return len(m.frames)+frames < code.MaxStack && !c.excessive(m.farthest)
}
