package grammar

import "github.com/dragoman-project/dragoman/internal/cfg/automaton"

// Matcher starts a match of a text that arrives in chunks.
func (g *Grammar) Matcher() *automaton.Matcher { return automaton.NewMatcher(g.code) }

// In returns the constraint in another notation, without changing the constraint.
func (c *Constraint) In(t Target, specials ...string) (content string, lost []string, err error) {
	return c.in(nil, t, specials...)
}
