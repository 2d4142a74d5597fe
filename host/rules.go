package host

import (
	"context"

	"github.com/dragoman-project/dragoman/autoparser/workaround"
)

// RuleInForce is a rule and the templates that it matches.
type RuleInForce struct {
	workaround.Rule
	Matches []RuleMatch // sorted by template
}

// RuleMatch is a template that a rule matches, and what the rule changes.
type RuleMatch struct {
	Template string
	Applied  workaround.Applied
}

// Workarounds returns the rules in force in the order in which they apply, and the hash of their file. It learns every template
// that was not used yet.
func (h *Host) Workarounds(ctx context.Context) (rules []RuleInForce, hash string) {
	snap := h.state.Current()
	at := map[string]int{}
	for i, r := range snap.Rules.Rules() {
		at[r.Name] = i
		rules = append(rules, RuleInForce{Rule: r})
	}
	for _, name := range snap.Names() {
		learned, err := learnedIn(ctx, snap, name)
		if err != nil {
			continue // the status shows it
		}
		for _, a := range learned.Workarounds {
			if i, ok := at[a.Rule]; ok {
				rules[i].Matches = append(rules[i].Matches, RuleMatch{Template: name, Applied: a})
			}
		}
	}
	return rules, snap.Rules.Hash()
}
