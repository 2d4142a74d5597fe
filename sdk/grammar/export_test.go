package grammar

import "github.com/dragoman-project/dragoman/internal/cfg/automaton"

// Matcher begins a match of a text that arrives in pieces.
func (g *Grammar) Matcher() *automaton.Matcher { return automaton.NewMatcher(g.code) }

// In translates the constraint without adding the translation to it.
func (c *Constraint) In(t Target, specials ...string) (content string, lost []string, err error) {
	return c.in(t, specials...)
}
