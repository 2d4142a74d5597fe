package peg

// nesting checks that tags stand where their role has a meaning, and that calls have names.
//
// A node can be used in several places; each is looked at once.
func (v *validator) nesting() {
	w := &nesting{validator: v, seen: make([]uint16, len(v.Nodes)), early: make([]ID, len(v.Nodes)), nameless: v.nameless()}
	w.walk(v.Root, outside, false)
}

// where a node stands.
type where uint8

const (
	outside where = iota // of calls
	inCall
	inID   // of a call, where its name may stand
	inText // of a role that is text
	unsaid // within a lookahead, where tags mean nothing: the header of a call may stand there as it is
	places
)

type nesting struct {
	*validator
	seen     []uint16 // of each node, a bit for each way in which it stands
	early    []ID     // of each node, the call after whose beginning it was last looked at, plus one
	nameless []bool
}

// way is the bit of a place and whether it is atomic.
func way(at where, atomic bool) uint16 {
	bit := uint16(1) << at
	if atomic {
		bit <<= places
	}
	return bit
}

func (w *nesting) walk(id ID, at where, atomic bool) {
	here := way(at, atomic)
	if w.seen[id]&here != 0 {
		return
	}
	w.seen[id] |= here
	n := &w.Nodes[id]
	switch n.Op {
	case Peek, Not:
		at, atomic = unsaid, true
	case Atomic:
		atomic = true
	case Until:
		if atomic && len(n.Delims) == 0 {
			w.add(id, "bound it by a delimiter", "takes the rest of the output within an atomic region or a lookahead")
		}
	case Tag:
		at = w.tag(id, n.Role, at)
		atomic = atomic || isWhole(n.Role)
	}
	for _, k := range n.Kids {
		w.walk(k, at, atomic)
	}
}

// tag checks a tag of a role at a place, and says where its kid stands.
func (w *nesting) tag(id ID, role Role, at where) where {
	switch {
	case role == NoRole || role == Missing || at == unsaid: // nothing of it is told
		return at
	case at == inID && role == CallName:
	case at == inText || at == inID:
		w.add(id, "let it stand alone", "%s within text of another role", role)
	case role == Call && at == inCall:
		w.add(id, "end the first before the next begins", "a call within a call")
	case (role == Content || role == Reasoning) && at == inCall:
		w.add(id, "end the call first", "%s within a call", role)
	case isArgument(role) && at == outside:
		w.add(id, "put it into a call", "%s outside of a call", role)
	}
	switch role {
	case Call:
		w.named(id)
		return inCall
	case CallID:
		return inID
	case Object, Array:
		return at
	}
	return inText
}

// isWhole says that text of the role is delivered whole, which makes it atomic.
func isWhole(r Role) bool { return r == CallID || r == CallName || r == Key }

// isArgument says that the role is part of a call.
func isArgument(r Role) bool { return r >= CallID && r != Missing }

// named checks that the call id has a name, and that none of its arguments can come before it, which would make them wait
// for it; in an atomic region they wait anyway.
func (w *nesting) named(id ID) {
	if w.nameless[id] {
		w.add(id, "tag a name in every alternative", "a call without a name")
		return
	}
	if at, found := w.premature(w.Nodes[id].Kids[0], id+1); found {
		w.add(at, "make the call atomic", "arguments that can come before the name of their call")
	}
}

// premature finds an argument that can be reached from node id without passing a name or an atomic region; mark is that of the
// call.
func (w *nesting) premature(id, mark ID) (ID, bool) {
	if w.early[id] == mark {
		return 0, false
	}
	w.early[id] = mark
	n := &w.Nodes[id]
	switch {
	case n.Op == Atomic || n.Op == Peek || n.Op == Not || n.Op == Tag && n.Role == CallName:
		return 0, false
	case n.Op == Tag && n.Role >= Arguments && n.Role != Missing:
		return id, true
	}
	for _, k := range n.Kids {
		if at, found := w.premature(k, mark); found {
			return at, true
		}
		if n.Op == Sequence && !w.nameless[k] {
			break
		}
	}
	return 0, false
}

// nameless says of every node whether it can match without a name of a call.
func (v *validator) nameless() []bool {
	return v.derive(v.parents, func(n *Node) int {
		switch n.Op {
		case Sequence:
			return len(n.Kids)
		case Choice, Rule, Trigger, Atomic, Schema:
			return 1
		case Tag:
			if n.Role == CallName {
				return never
			}
			return 1
		case Repeat:
			return min(n.Min, 1)
		}
		return 0
	})
}
