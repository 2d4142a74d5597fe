package scope

import (
	"iter"

	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
)

// variable is a name of one scope. It has a slot in the frame of its function.
type variable struct {
	ID       string
	Function *Function
	Slot     int
}

// Function is a body with frames of its own: the template, a macro, a recursive loop.
type Function struct {
	parent *Function
	Slots  int
}

// origin says what a variable holds when its scope is entered.
type origin int

const (
	given       origin = iota // what entered the scope has set it
	fromContext               // the variable of the context
	FromOutside               // the variable of that name in an outer scope
	Unset                     // nothing
)

// Scope holds what is known of the names in one block.
type Scope struct {
	parent   *Scope
	Function *Function
	base     *Scope               // of a branch of an if: the scope that it is a branch of
	root     *Scope               // the scope that it is a branch of a branch of; itself, if it is none
	all      map[string]*variable // of a root: the variables of all its branches
	names    map[string]meaning
}

// meaning is what a scope knows of a name.
type meaning struct {
	variable *variable // nil where only a scope that it is a branch of has one
	from     origin
	stored   bool // the scope assigns it
}

func New(parent *Scope, fn *Function) *Scope {
	s := &Scope{parent: parent, Function: fn}
	s.root = s
	return s
}

// NewBlock returns a scope in the same function.
func (s *Scope) NewBlock() *Scope { return New(s, s.Function) }

// NewFunction returns the scope of a function inside s.
func (s *Scope) NewFunction() *Scope { return New(s, &Function{parent: s.Function}) }

// define makes a name known in this scope, or changes its origin.
func (s *Scope) define(id string, from origin) *variable {
	v := s.root.all[id]
	if v == nil {
		v = &variable{ID: id, Function: s.Function, Slot: s.Function.Slots}
		s.Function.Slots++
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
func (s *Scope) note(id string, m meaning) {
	if s.names == nil {
		s.names = map[string]meaning{}
	}
	s.names[id] = m
}

// Own returns the variable of a name in this scope alone, or nil.
func (s *Scope) Own(id string) *variable {
	for ; s != nil; s = s.base {
		if v := s.names[id].variable; v != nil {
			return v
		}
	}
	return nil
}

// find returns the variable that a name means here, or nil.
func (s *Scope) find(id string) *variable {
	for ; s != nil; s = s.parent {
		if v := s.Own(id); v != nil {
			return v
		}
	}
	return nil
}

// stored reports whether this scope assigns a name.
func (s *Scope) stored(id string) bool {
	for ; s != nil; s = s.base {
		if s.names[id].stored {
			return true
		}
	}
	return false
}

func (s *Scope) markStored(id string) {
	m := s.names[id]
	m.stored = true
	s.note(id, m)
}

// Parameter declares a name that is set when the scope is entered.
func (s *Scope) Parameter(id string) *variable {
	s.markStored(id)
	return s.define(id, given)
}

// store notes an assignment.
func (s *Scope) store(id string) {
	s.markStored(id)
	if s.Own(id) == nil {
		s.define(id, s.outside(id, Unset))
	}
}

// load notes a use.
func (s *Scope) load(id string) {
	if s.find(id) == nil {
		s.define(id, fromContext)
	}
}

// outside is the origin of a name that an outer scope may have; otherwise it is as given.
func (s *Scope) outside(id string, otherwise origin) origin {
	if s.parent.find(id) != nil {
		return FromOutside
	}
	return otherwise
}

// merge takes over what the branches of an if found. A name that only branches set may be unset afterwards, so it holds
// what it held outside.
func (s *Scope) merge(branches []*Scope) {
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
func (s *Scope) branch() *Scope {
	return &Scope{parent: s.parent, Function: s.Function, base: s, root: s.root}
}

// Analyze notes all names of nodes that belong to this scope; blocks that have their own are left out.
func (s *Scope) Analyze(nodes ...syntax.Node) {
	for _, n := range nodes {
		s.Visit(n)
	}
}

// Visit notes the names of one node.
func (s *Scope) Visit(n syntax.Node) {
	switch n := n.(type) {
	case nil:
	case *syntax.Name:
		s.load(n.ID)
	case *syntax.NameTarget:
		s.store(n.ID)
	case *syntax.If:
		s.noteIf(n)
	case *syntax.Macro:
		s.store(n.ID)
	case *syntax.Set:
		s.Visit(n.Value)
		s.Visit(n.Target)
	case *syntax.For:
		s.Visit(n.Over)
	case *syntax.CallBlock:
		s.Analyze(n.Calls()...)
	case *syntax.FilterBlock:
		s.Visit(n.Filter)
	case *syntax.With:
		s.Analyze(n.Values...)
	case *syntax.SetBlock:
		s.Visit(n.Target)
	default:
		syntax.Children(n, s.Visit)
	}
}

// noteIf notes the branches of an if apart, and merges what they found.
func (s *Scope) noteIf(n *syntax.If) {
	s.Visit(n.Tests[0])
	branches := make([]*Scope, 0, 3)
	inside := func() *Scope {
		branches = append(branches, s.branch())
		return branches[len(branches)-1]
	}
	inside().Analyze(n.Bodies[0]...)
	if len(n.Tests) > 1 {
		elifs := inside()
		for i := 1; i < len(n.Tests); i++ { // each elif is an if of its own to Jinja2
			elifs.noteIf(&syntax.If{Tests: n.Tests[i : i+1], Bodies: n.Bodies[i : i+1]})
		}
	}
	if len(n.Otherwise) > 0 {
		inside().Analyze(n.Otherwise...)
	}
	s.merge(branches)
}

// Parameters declares the names of a target that is set when the scope is entered.
func (s *Scope) Parameters(target syntax.Node) {
	if t, ok := target.(*syntax.NameTarget); ok {
		s.Parameter(t.ID)
		return
	}
	syntax.Children(target, s.Parameters)
}

// LookUp returns the variable that a name means here, which may belong to an outer function. context reports that it is
// read from the context instead, for names that the template never assigns.
func (s *Scope) LookUp(id string) (v *variable, context bool) {
	for o := s; o != nil; o = o.parent {
		if m := o.names[id]; m.variable != nil {
			return m.variable, m.from == fromContext && !m.stored
		}
	}
	return nil, true
}

// Entry iterates over the variables that get a value when the scope is entered, and where it comes from.
func (s *Scope) Entry() iter.Seq2[*variable, origin] {
	return func(yield func(*variable, origin) bool) {
		for _, m := range s.names {
			if m.variable == nil || m.from == given || m.from == fromContext && !m.stored {
				continue
			}
			if !yield(m.variable, m.from) {
				return
			}
		}
	}
}

// Around returns a scope that sees what is around s, from inside the function of s.
func (s *Scope) Around() *Scope { return &Scope{parent: s.parent, Function: s.Function} }

// NewSlot returns a slot that no variable has.
func (fn *Function) NewSlot() int {
	fn.Slots++
	return fn.Slots - 1
}

// OutTo counts the functions from fn out to another.
func (fn *Function) OutTo(outer *Function) int {
	n := 0
	for ; fn != outer; fn = fn.parent {
		n++
	}
	return n
}
