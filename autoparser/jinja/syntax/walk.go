package syntax

// Children calls visit with each child of n, in the order in which Jinja2 visits them.
func Children(n Node, visit func(Node)) {
	switch n := n.(type) {
	case *Attribute:
		visit(n.Of)
	case *Element:
		visit(n.Of)
		visit(n.Key)
	case *Slice:
		some(visit, n.Of, n.Start, n.Stop, n.Step)
	case *Call:
		visit(n.Of)
		n.Args.Visit(visit)
	case *Filter:
		some(visit, n.Of)
		n.Args.Visit(visit)
	case *Test:
		visit(n.Of)
		n.Args.Visit(visit)
	case *Binary:
		visit(n.Left)
		visit(n.Right)
	case *Comparison:
		visit(n.First)
		some(visit, n.Rest...)
	case *Logical:
		visit(n.Left)
		visit(n.Right)
	case *Unary:
		visit(n.Of)
	case *Conditional:
		some(visit, n.Test, n.Then, n.Otherwise)
	case *List:
		some(visit, n.Items...)
	case *Object:
		for i := range n.Keys {
			visit(n.Keys[i])
			visit(n.Values[i])
		}
	case *Concatenation:
		some(visit, n.Parts...)
	default:
		statementChildren(n, visit)
	}
}

// some calls visit with the nodes that are not nil.
func some(visit func(Node), nodes ...Node) {
	for _, n := range nodes {
		if n != nil {
			visit(n)
		}
	}
}

// Visit calls visit with each argument.
func (a *Arguments) Visit(visit func(Node)) {
	some(visit, a.Values...)
	some(visit, a.Spread, a.More)
}

func statementChildren(n Node, visit func(Node)) {
	switch n := n.(type) {
	case *TupleTarget:
		some(visit, n.Items...)
	case *AttributeTarget:
		visit(n.Of)
	case *Output:
		some(visit, n.Of...)
	case *If:
		for i := range n.Tests {
			visit(n.Tests[i])
			some(visit, n.Bodies[i]...)
		}
		some(visit, n.Otherwise...)
	case *For:
		visit(n.Target)
		visit(n.Over)
		some(visit, n.Body...)
		some(visit, n.Otherwise...)
		some(visit, n.Test)
	case *Set:
		visit(n.Target)
		visit(n.Value)
	case *SetBlock:
		visit(n.Target)
		some(visit, n.Filters()...)
		some(visit, n.Body...)
	case *Macro:
		n.visit(visit)
		some(visit, n.Body...)
	case *CallBlock:
		some(visit, n.Calls()...)
		n.visit(visit)
		some(visit, n.Body...)
	case *FilterBlock:
		some(visit, n.Body...)
		visit(n.Filter)
	case *With:
		some(visit, n.Targets...)
		some(visit, n.Values...)
		some(visit, n.Body...)
	case *Do:
		visit(n.Of)
	}
}

func (s *Signature) visit(visit func(Node)) {
	for _, p := range s.Params {
		visit(p)
	}
	some(visit, s.Defaults...)
}

// Filters returns the filter of the block as a list, empty if there is none.
func (c *SetBlock) Filters() []Node {
	if c.Filter == nil {
		return nil
	}
	return []Node{c.Filter}
}

// Calls returns the call of the block as a list, empty if there is none.
func (c *CallBlock) Calls() []Node {
	if c.Call == nil {
		return nil
	}
	return []Node{c.Call}
}

// Reads reports which of names are read in nodes before they are assigned there. It is Jinja2's
// find_undeclared.
func Reads(nodes []Node, names ...string) map[string]bool {
	looking, found := map[string]bool{}, map[string]bool{}
	for _, n := range names {
		looking[n] = true
	}
	var visit func(Node)
	visit = func(n Node) {
		switch n := n.(type) {
		case *Name:
			if looking[n.ID] {
				found[n.ID] = true
			}
		case *NameTarget:
			delete(looking, n.ID)
		default:
			Children(n, visit)
		}
	}
	for _, n := range nodes {
		visit(n)
	}
	return found
}
