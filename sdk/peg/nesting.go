package peg

// nesting checks that tags stand where their role has a meaning, and that calls have names.
//
// A node can be used in several places; it is checked once for each kind of place.
func (v *validator) nesting() {
	w := &nesting{
		validator: v,
		seen:      make([]uint16, len(v.Nodes)),
		early:     make([]bool, len(v.Nodes)),
		nameless:  v.nameless(v.parents),
	}
	w.walk(v.Root, outside, false)
}

// where is the kind of place in which a node stands.
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
	seen     []uint16 // by node, a bit for each kind of place in which it was checked
	early    []bool   // by node, whether premature has visited it
	nameless []bool
}

// way returns the bit of a place, atomic or not.
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
	if atomic && n.is(n.Op.kind().rest) {
		w.add(id, "bound it by a delimiter", "takes the rest of the output within an atomic region or a lookahead")
	}
	switch {
	case n.Op.Shape() == Lookahead:
		at, atomic = unsaid, true
	case n.Op == Atomic:
		atomic = true
	case n.Op == Tag:
		at = w.tag(id, n.Role, at)
		atomic = atomic || n.Role.IsWhole()
	}
	for _, k := range n.Kids {
		w.walk(k, at, atomic)
	}
}

// tag checks a tag of a role in a place, and returns the place of its kid.
func (w *nesting) tag(id ID, role Role, at where) where {
	switch {
	case role == NoRole || role == Missing || at == unsaid: // nothing of it is delivered
		return at
	case at == inID && role == CallName:
	case at == inText || at == inID:
		w.add(id, "let it stand alone", "%s within text of another role", role)
	case role == Call && at == inCall:
		w.add(id, "end the first before the next begins", "a call within a call")
	case (role == Content || role == Reasoning) && at == inCall:
		w.add(id, "end the call first", "%s within a call", role)
	case role.inCall() && at == outside:
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

// named checks that a call has a name, and that no argument can precede it, which would have to wait for the name; in an
// atomic region it waits anyway.
func (w *nesting) named(id ID) {
	if w.nameless[id] {
		w.add(id, "tag a name in every alternative", "a call without a name")
		return
	}
	if at, found := w.premature(w.Nodes[id].Kids[0]); found {
		w.add(at, "make the call atomic", "arguments that can come before the name of their call")
	}
}

// premature finds an argument that can be reached from node id without passing a name or an atomic region. What several calls
// share is looked at once.
func (w *nesting) premature(id ID) (ID, bool) {
	if w.early[id] {
		return 0, false
	}
	w.early[id] = true
	n := &w.Nodes[id]
	switch {
	case n.Op == Atomic, n.Op.Shape() == Lookahead, n.Op == Tag && n.Role == CallName:
		return 0, false
	case n.Op == Tag && n.Role.IsArgument():
		return id, true
	}
	for _, k := range n.Kids {
		if at, found := w.premature(k); found {
			return at, true
		}
		if n.Op.Shape() == Chain && !w.nameless[k] {
			break
		}
	}
	return 0, false
}
