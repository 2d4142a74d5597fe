package grammar

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/grammar/target"
)

// translate adds the constraint in another notation than GBNF to itself.
func (c *Constraint) translate(t Target, specials []string) error {
	if t == "" || t == TargetGBNF {
		return nil
	}
	content, notes, err := c.in(t, specials...)
	if err != nil {
		return err
	}
	c.Target, c.Content, c.Notes = t, content, append(slices.Clip(c.Notes), notes...)
	return nil
}

// in is the whole constraint in the notation of a target, and what is lost in it. Where the notation tells special tokens
// from their spelling, those that are known are named. An error says what the notation has no words for.
func (c *Constraint) in(t Target, specials ...string) (content string, lost []string, err error) {
	of := target.Constraint{Grammar: c.Grammar, Lazy: c.Lazy, Scans: c.scans, Specials: specials}
	for _, trigger := range c.Triggers {
		of.Triggers = append(of.Triggers, target.Trigger{Text: trigger.Value, Pattern: trigger.Type != TriggerWord})
	}
	return t.Write(of)
}
