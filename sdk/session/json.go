package session

import (
	"bytes"
	"encoding/json"
)

// MarshalJSON returns the JSON of the plan. The notes of its constraint are among those of the plan, and stand there alone.
func (p *Plan) MarshalJSON() ([]byte, error) {
	type fields Plan // without this method
	shown := fields(*p)
	shown.PreservedTokens, shown.Stops, shown.ThinkingEnds = orEmpty(p.PreservedTokens), orEmpty(p.Stops), orEmpty(p.ThinkingEnds)
	if p.Constraint != nil {
		c := *p.Constraint
		c.Triggers, c.Notes = orEmpty(c.Triggers), nil
		shown.Constraint = &c
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false) // markers are made of angle brackets
	err := out.Encode(shown)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

var _ json.Marshaler = (*Plan)(nil)

// orEmpty returns list, or an empty one where it is nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
