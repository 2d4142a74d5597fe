package cfg

// Grammar is a grammar as it was parsed.
type Grammar struct {
	Root  *Rule
	Rules []*Rule
}

// StartingAt returns a new root rule with body e, which may call rules of g.
func (g *Grammar) StartingAt(e *Expr) *Rule {
	if g.Root.Name == "root" {
		g.Root.Name = g.Names().Fresh("constrained")
	}
	return &Rule{Name: "root", Body: e}
}

// Names returns the names in use.
func (g *Grammar) Names() Names {
	names := Names{"root": 1}
	for _, r := range g.Rules {
		names[r.Name] = 1
	}
	return names
}
