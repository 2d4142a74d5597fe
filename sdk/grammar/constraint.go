package grammar

import (
	"slices"

	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/grammar/target"
)

// translate sets Target and Content, unless the target is GBNF.
func (c *Constraint) translate(m *work.Meter, t Target, specials []string) error {
	if t == "" || t == TargetGBNF {
		return nil
	}
	content, notes, err := c.in(m, t, specials...)
	if err != nil {
		return err
	}
	c.Target, c.Content, c.Notes = t, content, append(slices.Clip(c.Notes), notes...)
	return nil
}

// in returns the constraint in the notation of a target, and notes on what is lost. An error says
// what the notation cannot express.
func (c *Constraint) in(m *work.Meter, t Target, specials ...string) (content string, lost []string, err error) {
	of := target.Constraint{Grammar: c.Grammar, Lazy: c.Lazy, Scans: c.scans, Specials: specials, Work: m}
	for _, trigger := range c.Triggers {
		of.Triggers = append(of.Triggers, target.Trigger{Text: trigger.Value, Pattern: trigger.Type != TriggerWord})
	}
	return t.Write(of)
}
