package scope

import (
	"iter"

	"github.com/dragoman-project/dragoman/autoparser/jinja/syntax"
)

// Variable is a variable of one scope.
type Variable struct {
	ID       string
	Function *Function
	Slot     int
}

// Function is a body with frames of its own: the template, a macro, a recursive loop.
type Function struct {
	parent *Function
	Slots  int
}

// Origin is the source of the value that a variable has when its scope is entered.
type Origin int

// The origins of values.
const (
	Given       Origin = iota // set by what enters the scope
	FromContext               // the variable of the context
	FromOutside               // the variable of that name in an outer scope
	Unset                     // no value
)

// Scope holds what is known about the names in one block.
type Scope struct {
	parent   *Scope
	Function *Function
	base     *Scope               // for a branch of an if: the scope around the if
	root     *Scope               // the scope around all ifs; the scope itself if it is not a branch
	all      map[string]*Variable // of a root: the variables of all branches
	names    map[string]meaning
}

// meaning is what a scope knows about a name.
type meaning struct {
	variable *Variable // nil if only the base has one
	from     Origin
	stored   bool // the scope assigns it
}

// New returns a scope in a function. parent is nil for the template.
func New(parent *Scope, fn *Function) *Scope {
	s := &Scope{parent: parent, Function: fn}
	s.root = s
	return s
}

// NewBlock returns a scope inside s in the same function.
func (s *Scope) NewBlock() *Scope { return New(s, s.Function) }

// NewFunction returns the scope of a new function inside s.
func (s *Scope) NewFunction() *Scope { return New(s, &Function{parent: s.Function}) }

// define adds a name to this scope, or changes its origin.
func (s *Scope) define(id string, from Origin) *Variable {
	v := s.root.all[id]
	if v == nil {
		v = &Variable{ID: id, Function: s.Function, Slot: s.Function.Slots}
		s.Function.Slots++
		if s.root.all == nil {
			s.root.all = map[string]*Variable{}
		}
		s.root.all[id] = v
	}
	m := s.names[id]
	m.variable, m.from = v, from
	s.note(id, m)
	return v
}

// note stores the meaning of a name.
func (s *Scope) note(id string, m meaning) {
	if s.names == nil {
		s.names = map[string]meaning{}
	}
	s.names[id] = m
}

// Own returns the variable of a name in this scope, or nil.
func (s *Scope) Own(id string) *Variable {
	for ; s != nil; s = s.base {
		if v := s.names[id].variable; v != nil {
			return v
		}
	}
	return nil
}

// find returns the variable of a name in this scope or around it, or nil.
func (s *Scope) find(id string) *Variable {
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
func (s *Scope) Parameter(id string) *Variable {
	s.markStored(id)
	return s.define(id, Given)
}

// store records an assignment.
func (s *Scope) store(id string) {
	s.markStored(id)
	if s.Own(id) == nil {
		s.define(id, s.outside(id, Unset))
	}
}

// load records a use.
func (s *Scope) load(id string) {
	if s.find(id) == nil {
		s.define(id, FromContext)
	}
}

// outside returns FromOutside if an outer scope has the name, and otherwise the given origin.
func (s *Scope) outside(id string, otherwise Origin) Origin {
	if s.parent.find(id) != nil {
		return FromOutside
	}
	return otherwise
}

// merge adds the names of the branches of an if. A name that only some branches set may be unset
// afterwards, so it starts with its value outside.
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
		s.define(id, s.outside(id, FromContext))
	}
}

// branch returns a scope for one branch of an if, which sees the names of s.
func (s *Scope) branch() *Scope {
	return &Scope{parent: s.parent, Function: s.Function, base: s, root: s.root}
}

// Analyze records the names in nodes that belong to this scope. Blocks with scopes of their own are
// left out.
func (s *Scope) Analyze(nodes ...syntax.Node) {
	for _, n := range nodes {
		s.Visit(n)
	}
}

// Visit records the names of one node.
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

// noteIf records the branches of an if separately and merges them.
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
		for i := 1; i < len(n.Tests); i++ { // for Jinja2, each elif is an if of its own
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

// LookUp returns the variable that a name means here, which may belong to an outer function.
// context reports that it is read from the context instead: the template never assigns it.
func (s *Scope) LookUp(id string) (v *Variable, context bool) {
	for o := s; o != nil; o = o.parent {
		if m := o.names[id]; m.variable != nil {
			return m.variable, m.from == FromContext && !m.stored
		}
	}
	return nil, true
}

// Entry iterates over the variables that get a value when the scope is entered, and its origin.
func (s *Scope) Entry() iter.Seq2[*Variable, Origin] {
	return func(yield func(*Variable, Origin) bool) {
		for _, m := range s.names {
			if m.variable == nil || m.from == Given || m.from == FromContext && !m.stored {
				continue
			}
			if !yield(m.variable, m.from) {
				return
			}
		}
	}
}

// Slots returns the slots of the variables of a scope that is not a branch.
func (s *Scope) Slots() map[string]int {
	slots := map[string]int{}
	for id, v := range s.all {
		slots[id] = v.Slot
	}
	return slots
}

// Around returns a scope that sees what is around s, from inside the function of s.
func (s *Scope) Around() *Scope { return &Scope{parent: s.parent, Function: s.Function} }

// NewSlot reserves a slot for a temporary value.
func (fn *Function) NewSlot() int {
	fn.Slots++
	return fn.Slots - 1
}

// OutTo returns the number of functions from fn out to outer.
func (fn *Function) OutTo(outer *Function) int {
	n := 0
	for ; fn != outer; fn = fn.parent {
		n++
	}
	return n
}
