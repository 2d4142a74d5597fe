package match

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// PlainPEG parses a whole text as any PEG parser would, by trying everything and deciding at the end, and tells sink what
// the text means. It says whether the program matches. It is what the machine must agree with.
func PlainPEG(p *peg.Program, text string, sink chat.Sink) bool {
	o := oracle{program: p, text: text}
	_, ok := o.match(p.Root, 0, place{})
	if !ok {
		return false
	}
	t := teller{sink: sink}
	for _, w := range o.queue {
		switch w.kind {
		case tellOpen:
			t.open(w.role)
		case tellClose:
			t.close(w.role)
		case tellText:
			t.text(w.role, []byte(cmp.Or(w.given, text[w.from:w.to])), false)
		}
	}
	return true
}

type oracle struct {
	program *peg.Program
	text    string
	queue   queue
	mute    int
}

// match matches node id at offset at and returns the offset behind the match. Without a match the queue is as before.
func (o *oracle) match(id peg.ID, at int, x place) (int, bool) {
	n := &o.program.Nodes[id]
	waiting := len(o.queue)
	end, ok := o.node(n, at, x)
	if !ok {
		o.queue = o.queue[:waiting]
		return at, false
	}
	return end, true
}

func (o *oracle) node(n *peg.Node, at int, x place) (int, bool) {
	switch n.Op {
	case peg.Sequence:
		return o.sequence(n.Kids, at, x)
	case peg.Choice:
		for _, k := range n.Kids {
			if end, ok := o.match(k, at, x); ok {
				return end, true
			}
		}
		return at, false
	case peg.Repeat:
		return o.repeat(n, at, x)
	case peg.Peek, peg.Not:
		o.mute++
		_, ok := o.match(n.Kids[0], at, x)
		o.mute--
		return at, ok == (n.Op == peg.Peek)
	case peg.Rule, peg.Trigger, peg.Atomic, peg.Schema:
		return o.match(n.Kids[0], at, x)
	case peg.Tag:
		return o.tag(n, at, x)
	}
	size, ok := o.consume(n, o.text[at:])
	if ok && size > 0 && x.role != peg.NoRole {
		o.tell(tellText, x.role, at, at+size)
	}
	return at + size, ok
}

func (o *oracle) tell(kind tellKind, role peg.Role, from, to int) {
	if o.mute == 0 {
		o.queue = append(o.queue, waiting{kind: kind, role: role, from: from, to: to})
	}
}

func (o *oracle) sequence(kids []peg.ID, at int, x place) (int, bool) {
	for _, k := range kids {
		var ok bool
		if at, ok = o.match(k, at, x); !ok {
			return at, false
		}
	}
	return at, true
}

func (o *oracle) repeat(n *peg.Node, at int, x place) (int, bool) {
	count := 0
	for n.Max < 0 || count < n.Max {
		end, ok := o.match(n.Kids[0], at, x)
		if !ok {
			break
		}
		at = end
		count++
	}
	return at, count >= n.Min
}

func (o *oracle) tag(n *peg.Node, at int, x place) (int, bool) {
	if n.Role.Streams() {
		x.role = n.Role
	}
	if !bounded(n.Role) {
		return o.match(n.Kids[0], at, x)
	}
	if !n.Role.IsWhole() {
		o.tell(tellOpen, n.Role, at, at)
	}
	before := len(o.queue)
	end, ok := o.match(n.Kids[0], at, x)
	if ok && n.Role.IsWhole() && o.mute == 0 {
		o.queue = slices.Insert(o.queue, before, waiting{kind: tellText, role: n.Role, from: at, to: end, given: n.Text})
	} else if ok {
		o.tell(tellClose, n.Role, end, end)
	}
	return end, ok
}

// consume is how much of t a node without kids matches.
func (o *oracle) consume(n *peg.Node, t string) (int, bool) {
	switch n.Op {
	case peg.End:
		return 0, t == ""
	case peg.Literal:
		return len(n.Text), len(t) >= len(n.Text) && t[:len(n.Text)] == n.Text
	case peg.Space:
		return blankPrefix([]byte(t)), true
	case peg.Any:
		_, size := utf8.DecodeRuneInString(t)
		return size, t != ""
	case peg.Chars:
		return consumeChars(n, t)
	case peg.Until:
		size, _ := newUntil(n.Delims, &specials{}).findLast([]byte(t), 0, &tokens{})
		return size, true
	case peg.StringContent:
		q := quoted{quote: n.Text[0]}
		size, out := q.read([]byte(t))
		return size, out == matched
	case peg.Value:
		var v value
		size, out := v.read([]byte(t), newValues(n.Values))
		return size, out == matched || out == hungry && v.mayEnd()
	}
	return 0, true
}

func consumeChars(n *peg.Node, t string) (int, bool) {
	c := newClass(n.Ranges, n.Negated)
	size, count := 0, 0
	for size < len(t) && count != n.Max {
		r, w := utf8.DecodeRuneInString(t[size:])
		if !c.accepts(r) {
			break
		}
		size += w
		count++
	}
	return size, count >= n.Min
}

// Work is what the machine has done so far: steps, and bytes read again.
func (m *Machine) Work() int { return m.cost.steps + m.cost.reread }
