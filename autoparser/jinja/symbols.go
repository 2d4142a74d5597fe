package jinja

// Jinja2 decides at compile time, for each scope, where a name lives: that decides what {{ x }} means before, inside and
// after a block that sets x. This file follows its rules, so that odd templates behave the same.

// variable is a name of one scope. It has a slot in the frame of its function.
type variable struct {
	id   string
	fn   *functionScope
	slot int
}

// functionScope is a body with frames of its own: the template, a macro, a recursive loop.
type functionScope struct {
	parent *functionScope
	slots  int
}

// origin says what a variable holds when its scope is entered.
type origin int

const (
	given       origin = iota // what entered the scope has set it
	fromContext               // the variable of the context
	fromOutside               // the variable of that name in an outer scope
	unset                     // nothing
)

// scope holds what is known of the names in one block.
type scope struct {
	parent *scope
	fn     *functionScope
	base   *scope               // of a branch of an if: the scope that it is a branch of
	root   *scope               // the scope that it is a branch of a branch of; itself, if it is none
	all    map[string]*variable // of a root: the variables of all its branches
	names  map[string]meaning
}

// meaning is what a scope knows of a name.
type meaning struct {
	variable *variable // nil where only a scope that it is a branch of has one
	from     origin
	stored   bool // the scope assigns it
}

func newScope(parent *scope, fn *functionScope) *scope {
	s := &scope{parent: parent, fn: fn}
	s.root = s
	return s
}

// inner returns a scope in the same function.
func (s *scope) inner() *scope { return newScope(s, s.fn) }

// function returns the scope of a function inside s.
func (s *scope) function() *scope { return newScope(s, &functionScope{parent: s.fn}) }

// define makes a name known in this scope, or changes its origin.
func (s *scope) define(id string, from origin) *variable {
	v := s.root.all[id]
	if v == nil {
		v = &variable{id: id, fn: s.fn, slot: s.fn.slots}
		s.fn.slots++
		if s.root.all == nil {
			s.root.all = map[string]*variable{}
		}
		s.root.all[id] = v
	}
	m := s.names[id]
	m.variable, m.from = v, from
	s.note(id, m)
	return v
}

// note keeps what is known of a name.
func (s *scope) note(id string, m meaning) {
	if s.names == nil {
		s.names = map[string]meaning{}
	}
	s.names[id] = m
}

// own returns the variable of a name in this scope alone, or nil.
func (s *scope) own(id string) *variable {
	for ; s != nil; s = s.base {
		if v := s.names[id].variable; v != nil {
			return v
		}
	}
	return nil
}

// find returns the variable that a name means here, or nil.
func (s *scope) find(id string) *variable {
	for ; s != nil; s = s.parent {
		if v := s.own(id); v != nil {
			return v
		}
	}
	return nil
}

// stored reports whether this scope assigns a name.
func (s *scope) stored(id string) bool {
	for ; s != nil; s = s.base {
		if s.names[id].stored {
			return true
		}
	}
	return false
}

func (s *scope) markStored(id string) {
	m := s.names[id]
	m.stored = true
	s.note(id, m)
}

// parameter declares a name that is set when the scope is entered.
func (s *scope) parameter(id string) *variable {
	s.markStored(id)
	return s.define(id, given)
}

// store notes an assignment.
func (s *scope) store(id string) {
	s.markStored(id)
	if s.own(id) == nil {
		s.define(id, s.outside(id, unset))
	}
}

// load notes a use.
func (s *scope) load(id string) {
	if s.find(id) == nil {
		s.define(id, fromContext)
	}
}

// outside is the origin of a name that an outer scope may have; otherwise it is as given.
func (s *scope) outside(id string, otherwise origin) origin {
	if s.parent.find(id) != nil {
		return fromOutside
	}
	return otherwise
}

// merge takes over what the branches of an if found. A name that only branches set may be unset afterwards, so it holds
// what it held outside.
func (s *scope) merge(branches []*scope) {
	var perhaps []string
	for _, b := range branches {
		for id, m := range b.names {
			if m.stored && !s.stored(id) {
				perhaps = append(perhaps, id)
			}
		}
	}
	for _, b := range branches {
		for id, m := range b.names {
			if m.variable != nil {
				s.define(id, m.from)
			}
			if m.stored {
				s.markStored(id)
			}
		}
	}
	for _, id := range perhaps {
		s.define(id, s.outside(id, fromContext))
	}
}

// branch returns a scope for one branch of an if, which sees what s knows.
func (s *scope) branch() *scope {
	return &scope{parent: s.parent, fn: s.fn, base: s, root: s.root}
}

// analyse notes all names of nodes that belong to this scope; blocks that have their own are left out.
func (s *scope) analyse(nodes ...node) {
	for _, n := range nodes {
		s.visit(n)
	}
}

// visit notes the names of one node.
func (s *scope) visit(n node) {
	switch n := n.(type) {
	case nil:
	case *name:
		s.load(n.id)
	case *nameTarget:
		s.store(n.id)
	case *ifBlock:
		s.noteIf(n)
	case *macro:
		s.store(n.id)
	case *assignment:
		s.visit(n.value)
		s.visit(n.target)
	case *forBlock:
		s.visit(n.over)
	case *callBlock:
		s.analyse(n.calls()...)
	case *filterBlock:
		s.visit(n.filter)
	case *withBlock:
		s.analyse(n.values...)
	case *capture:
		s.visit(n.target)
	default:
		children(n, s.visit)
	}
}

// noteIf notes the branches of an if apart, and merges what they found.
func (s *scope) noteIf(n *ifBlock) {
	s.visit(n.tests[0])
	branches := make([]*scope, 0, 3)
	inside := func() *scope {
		branches = append(branches, s.branch())
		return branches[len(branches)-1]
	}
	inside().analyse(n.bodies[0]...)
	if len(n.tests) > 1 {
		elifs := inside()
		for i := 1; i < len(n.tests); i++ { // each elif is an if of its own to Jinja2
			elifs.noteIf(&ifBlock{tests: n.tests[i : i+1], bodies: n.bodies[i : i+1]})
		}
	}
	if len(n.otherwise) > 0 {
		inside().analyse(n.otherwise...)
	}
	s.merge(branches)
}

// parameters declares the names of a target that is set when the scope is entered.
func (s *scope) parameters(target node) {
	if t, ok := target.(*nameTarget); ok {
		s.parameter(t.id)
		return
	}
	children(target, s.parameters)
}
