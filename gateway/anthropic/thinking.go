package anthropic

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// readThinking reads whether and how much to think: thinking, and output_config.effort. A request with neither wants no thinking.
func (r *reader) readThinking() error {
	thinking, effort := r.root.Get("thinking"), r.root.Get("output_config").Get("effort")
	if isSet(effort) && effort.Kind() != ordered.String {
		return effort.Expected("a word such as \"high\"")
	}
	on := isSet(effort)
	if isSet(thinking) {
		var err error
		if on, err = r.readType(thinking); err != nil {
			return err
		}
	}
	switch {
	case !on && isSet(effort):
		r.note("ignored %s: thinking is disabled", effort.Path())
	case isSet(effort):
		return r.set("reasoning_effort", effort.Path(), effort.Text())
	}
	if !isSet(thinking) && !on {
		return r.set("thinking", "thinking", map[string]string{"type": "disabled"})
	}
	return nil
}

// readType reads thinking, and reports whether it is on.
func (r *reader) readType(v *ordered.Value) (on bool, err error) {
	kind, err := text(v, "type")
	if err != nil {
		return false, err
	}
	members := map[string]any{"type": kind}
	switch kind {
	case "disabled":
		return false, r.set("thinking", v.Path(), members)
	case "adaptive":
	case "enabled":
		budget := v.Get("budget_tokens")
		if !isSet(budget) {
			return false, v.Missing("budget_tokens", "the most tokens to think")
		}
		members["budget_tokens"] = jsontext.Value(budget.Raw())
	default:
		return false, v.Get("type").Expected(`"enabled", "adaptive" or "disabled"`)
	}
	switch display := v.Get("display"); display.Text() {
	case "omitted":
		r.omitted = true
	case "summarized", "": // thinking is not summarized, and has no secrets
		if isSet(display) && display.Kind() != ordered.String {
			return false, display.Expected(`"summarized" or "omitted"`)
		}
	default:
		return false, fault.Invalid(display.Path(), `expected "summarized" or "omitted"`)
	}
	return true, r.set("thinking", v.Path(), members)
}
