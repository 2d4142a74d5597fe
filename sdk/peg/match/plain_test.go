package match_test

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/emit"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// plainPEG parses a whole text as any PEG parser would, trying everything and deciding at the end, and delivers to sink
// what the text means. It reports whether the program matches. The machine must agree with it.
func plainPEG(p *peg.Program, text string, sink chat.Sink) bool {
	r := reference{program: p, text: text}
	if _, ok := r.match(p.Root, 0, peg.NoRole); !ok {
		return false
	}
	e := emit.Emitter{Sink: sink}
	for _, d := range r.decided {
		switch d.kind {
		case opened:
			e.Open(d.role)
		case closed:
			e.Close(d.role)
		case said:
			e.Text(d.role, []byte(d.text), false)
		}
	}
	return true
}

// reference is a backtracking parser. It keeps what it has understood so far, and takes it back when it backtracks.
type reference struct {
	program *peg.Program
	text    string
	decided []decision
	mute    int // lookaheads that surround the present node
}

// decision is something to deliver.
type decision struct {
	kind decisionKind
	role peg.Role
	text string
}

type decisionKind uint8

const (
	opened decisionKind = iota
	said
	closed
)

// match matches node id, under a tag of the role within, at offset at, and returns the offset after the match. Without a
// match nothing is decided.
func (r *reference) match(id peg.ID, at int, within peg.Role) (int, bool) {
	n := &r.program.Nodes[id]
	before := len(r.decided)
	end, ok := r.node(n, at, within)
	if !ok {
		r.decided = r.decided[:before]
		return at, false
	}
	return end, true
}

func (r *reference) node(n *peg.Node, at int, within peg.Role) (int, bool) {
	if n.Op == peg.Tag {
		return r.tag(n, at, within)
	}
	switch n.Op.Shape() {
	case peg.Chain:
		return r.sequence(n.Kids, at, within)
	case peg.Alternatives:
		for _, k := range n.Kids {
			if end, ok := r.match(k, at, within); ok {
				return end, true
			}
		}
		return at, false
	case peg.Loop:
		return r.repeat(n, at, within)
	case peg.Lookahead:
		r.mute++
		_, ok := r.match(n.Kids[0], at, within)
		r.mute--
		return at, ok == (n.Op == peg.Peek)
	case peg.Wrapper:
		return r.match(n.Kids[0], at, within)
	}
	size, ok := r.consume(n, r.text[at:])
	if ok && size > 0 && within != peg.NoRole {
		r.tell(said, within, r.text[at:at+size])
	}
	return at + size, ok
}

func (r *reference) tell(kind decisionKind, role peg.Role, text string) {
	if r.mute == 0 {
		r.decided = append(r.decided, decision{kind, role, text})
	}
}

func (r *reference) sequence(kids []peg.ID, at int, within peg.Role) (int, bool) {
	for _, k := range kids {
		var ok bool
		if at, ok = r.match(k, at, within); !ok {
			return at, false
		}
	}
	return at, true
}

func (r *reference) repeat(n *peg.Node, at int, within peg.Role) (int, bool) {
	count := 0
	for n.Max < 0 || count < n.Max {
		end, ok := r.match(n.Kids[0], at, within)
		if !ok {
			break
		}
		at = end
		count++
	}
	return at, count >= n.Min
}

func (r *reference) tag(n *peg.Node, at int, within peg.Role) (int, bool) {
	if n.Role.Streams() {
		within = n.Role
	}
	switch {
	case n.Role == peg.NoRole, n.Role == peg.Missing, n.Role == peg.Content, n.Role == peg.Reasoning:
		return r.match(n.Kids[0], at, within)
	case n.Role.IsWhole():
		before := len(r.decided)
		end, ok := r.match(n.Kids[0], at, within)
		if ok && r.mute == 0 {
			r.decided = slices.Insert(r.decided, before, decision{said, n.Role, cmp.Or(n.Text, r.text[at:end])})
		}
		return end, ok
	}
	r.tell(opened, n.Role, "")
	end, ok := r.match(n.Kids[0], at, within)
	if ok {
		r.tell(closed, n.Role, "")
	}
	return end, ok
}

// consume returns how much of t a leaf matches.
func (r *reference) consume(n *peg.Node, t string) (int, bool) {
	switch n.Op {
	case peg.End:
		return 0, t == ""
	case peg.Literal:
		return len(n.Text), len(t) >= len(n.Text) && t[:len(n.Text)] == n.Text
	case peg.Space:
		return scan.BlankPrefix([]byte(t)), true
	case peg.Any:
		_, size := utf8.DecodeRuneInString(t)
		return size, t != ""
	case peg.Chars:
		return consumeChars(n, t)
	case peg.Until:
		size, _ := scan.NewUntil(n.Delims, &scan.Specials{}).FindLast([]byte(t), 0, &scan.Tokens{})
		return size, true
	case peg.StringContent:
		q := scan.Quoted{Quote: n.Text[0]}
		size, out := q.Read([]byte(t))
		return size, out == scan.Matched
	case peg.Value:
		var v scan.Value
		size, out := v.Read([]byte(t), scan.NewAccept(n.Values))
		return size, out == scan.Matched || out == scan.Hungry && v.MayEnd()
	}
	return 0, true
}

func consumeChars(n *peg.Node, t string) (int, bool) {
	c := scan.NewClass(n.Ranges, n.Negated)
	size, count := 0, 0
	for size < len(t) && count != n.Max {
		r, w := utf8.DecodeRuneInString(t[size:])
		if !c.Accepts(r) {
			break
		}
		size += w
		count++
	}
	return size, count >= n.Min
}
