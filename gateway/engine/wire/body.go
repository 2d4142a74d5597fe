package wire

import (
	"encoding/json"
	"strings"

	"github.com/dragoman-project/dragoman/gateway/engine"
)

// body is a JSON object to send.
type body map[string]any

// parameters adds the parameters of a request, by the engine's names.
func (b body) parameters(r *engine.Request, names map[string]string) body {
	for _, p := range r.Parameters {
		b[names[p.Name]] = p.Value
	}
	return b
}

// stops adds the stops of a request, if it has any.
func (b body) stops(r *engine.Request) body {
	if len(r.Stops) > 0 {
		b["stop"] = r.Stops
	}
	return b
}

// named returns names of parameters that are as OpenAI's, and those that differ, in pairs.
func named(same []string, differ ...string) map[string]string {
	names := map[string]string{}
	for _, n := range same {
		names[n] = n
	}
	for i := 0; i+1 < len(differ); i += 2 {
		names[differ[i]] = differ[i+1]
	}
	return names
}

// withoutBOS returns the prompt for an engine that adds the token that begins a text itself.
func withoutBOS(r *engine.Request) string {
	if r.BOS == "" {
		return r.Prompt
	}
	return strings.TrimPrefix(r.Prompt, r.BOS)
}

// content returns the constraint in a notation that is JSON.
func content(r *engine.Request) json.RawMessage { return json.RawMessage(r.Constraint.Content) }

// list returns a list that is not null in JSON.
func list(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}

// marked returns a prompt with the marks of an engine in place of the placeholders of media, and their data.
func marked(prompt string, all []engine.Media, mark func(i int) string) (text string, data []string) {
	var out strings.Builder
	for i, m := range all {
		before, after, _ := strings.Cut(prompt, m.Placeholder)
		_, _ = out.WriteString(before + mark(i)) // never fails
		prompt, data = after, append(data, m.Data)
	}
	return out.String() + prompt, data
}
