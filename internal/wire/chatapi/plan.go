package chatapi

import (
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// EncodePlan converts a plan whose constraint is for target.
func EncodePlan(p *session.Plan, target grammar.Target) *dragomanv1.PlanResponse {
	m := &dragomanv1.PlanResponse{
		Prompt:           p.Prompt,
		GenerationPrompt: p.GenerationPrompt,
		PreservedTokens:  p.PreservedTokens,
		Stops:            p.Stops,
		SupportsThinking: p.SupportsThinking,
		ThinkingStart:    p.ThinkingStart,
		ThinkingEnds:     p.ThinkingEnds,
		ReasoningState:   string(p.ReasoningState),
		Notes:            p.Notes,
		Handler:          p.Handler,
		Generation:       p.Generation,
		Constraint:       encodeConstraint(p.Constraint, target),
	}
	for _, d := range p.Delimiters {
		m.Delimiters = append(m.Delimiters, &dragomanv1.Delimiter{Role: d.Role, Delimiter: d.Delimiter})
	}
	return m
}

// DecodePlan converts a daemon's plan, which cannot parse: its program stays there.
func DecodePlan(m *dragomanv1.PlanResponse) *session.Plan {
	p := &session.Plan{
		Prompt:           m.GetPrompt(),
		GenerationPrompt: m.GetGenerationPrompt(),
		PreservedTokens:  m.GetPreservedTokens(),
		Stops:            m.GetStops(),
		SupportsThinking: m.GetSupportsThinking(),
		ThinkingStart:    m.GetThinkingStart(),
		ThinkingEnds:     m.GetThinkingEnds(),
		ReasoningState:   handler.ReasoningState(m.GetReasoningState()),
		Notes:            m.GetNotes(),
		Handler:          m.GetHandler(),
		Generation:       m.GetGeneration(),
		Constraint:       decodeConstraint(m.GetConstraint()),
	}
	for _, d := range m.GetDelimiters() {
		p.Delimiters = append(p.Delimiters, handler.Delimiter{Role: d.GetRole(), Delimiter: d.GetDelimiter()})
	}
	return p
}

func encodeConstraint(c *grammar.Constraint, target grammar.Target) *dragomanv1.Constraint {
	if c == nil {
		return nil
	}
	m := &dragomanv1.Constraint{Grammar: c.Grammar, Lazy: &c.Lazy, Notes: c.Notes, Target: string(target), Content: c.Content}
	for _, t := range c.Triggers {
		m.Triggers = append(m.Triggers, &dragomanv1.Trigger{Type: string(t.Type), Value: t.Value})
	}
	return m
}

func decodeConstraint(m *dragomanv1.Constraint) *grammar.Constraint {
	if m == nil {
		return nil
	}
	c := &grammar.Constraint{Grammar: m.GetGrammar(), Lazy: m.GetLazy(), Notes: m.GetNotes(), Target: grammar.Target(m.GetTarget()), Content: m.GetContent()}
	for _, t := range m.GetTriggers() {
		c.Triggers = append(c.Triggers, grammar.Trigger{Type: grammar.TriggerType(t.GetType()), Value: t.GetValue()})
	}
	return c
}
