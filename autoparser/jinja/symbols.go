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
	all    map[string]*variable // shared by the branches of an if
	refs   map[string]*variable
	loads  map[*variable]origin
	stores map[string]bool
}

func newScope(parent *scope, fn *functionScope) *scope {
	return &scope{
		parent: parent, fn: fn, all: map[string]*variable{}, refs: map[string]*variable{},
		loads: map[*variable]origin{}, stores: map[string]bool{},
	}
}

// inner returns a scope in the same function.
func (s *scope) inner() *scope { return newScope(s, s.fn) }

// function returns the scope of a function inside s.
func (s *scope) function() *scope { return newScope(s, &functionScope{parent: s.fn}) }

func (s *scope) define(id string, from origin) *variable {
	v := s.all[id]
	if v == nil {
		v = &variable{id: id, fn: s.fn, slot: s.fn.slots}
		s.fn.slots++
		s.all[id] = v
	}
	s.refs[id] = v
	s.loads[v] = from
	return v
}

// find returns the variable that a name means here, or nil.
func (s *scope) find(id string) *variable {
	for ; s != nil; s = s.parent {
		if v := s.refs[id]; v != nil {
			return v
		}
	}
	return nil
}

// parameter declares a name that is set when the scope is entered.
func (s *scope) parameter(id string) *variable {
	s.stores[id] = true
	return s.define(id, given)
}

// store notes an assignment.
func (s *scope) store(id string) {
	s.stores[id] = true
	if s.refs[id] == nil {
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
	stored := map[string]bool{}
	for _, b := range branches {
		for id := range b.stores {
			if !s.stores[id] {
				stored[id] = true
			}
		}
	}
	for _, b := range branches {
		for id, v := range b.refs {
			s.refs[id] = v
		}
		for v, from := range b.loads {
			s.loads[v] = from
		}
		for id := range b.stores {
			s.stores[id] = true
		}
	}
	for id := range stored {
		s.loads[s.find(id)] = s.outside(id, fromContext)
	}
}

// branch returns a copy that one branch of an if may change.
func (s *scope) branch() *scope {
	b := newScope(s.parent, s.fn)
	b.all = s.all
	for id, v := range s.refs {
		b.refs[id] = v
	}
	for v, from := range s.loads {
		b.loads[v] = from
	}
	for id := range s.stores {
		b.stores[id] = true
	}
	return b
}

// analyse notes all names of nodes that belong to this scope; blocks that have their own are left out.
func (s *scope) analyse(nodes ...node) {
	for _, n := range nodes {
		s.note(n)
	}
}

func (s *scope) note(n node) {
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
		s.note(n.value)
		s.note(n.target)
	case *forBlock:
		s.note(n.over)
	case *callBlock:
		s.analyse(n.calls()...)
	case *filterBlock:
		s.note(n.filter)
	case *withBlock:
		s.analyse(n.values...)
	case *capture:
		s.note(n.target)
	default:
		children(n, s.note)
	}
}

func (s *scope) noteIf(n *ifBlock) {
	s.note(n.tests[0])
	inside := func(f func(b *scope)) *scope {
		b := s.branch()
		f(b)
		return b
	}
	first := inside(func(b *scope) { b.analyse(n.bodies[0]...) })
	elifs := inside(func(b *scope) {
		for i := 1; i < len(n.tests); i++ { // each elif is an if of its own to Jinja2
			b.noteIf(&ifBlock{tests: n.tests[i : i+1], bodies: n.bodies[i : i+1]})
		}
	})
	otherwise := inside(func(b *scope) { b.analyse(n.otherwise...) })
	s.merge([]*scope{first, elifs, otherwise})
}

// parameters declares the names of a target that is set when the scope is entered.
func (s *scope) parameters(target node) {
	if t, ok := target.(*nameTarget); ok {
		s.parameter(t.id)
		return
	}
	children(target, s.parameters)
}
