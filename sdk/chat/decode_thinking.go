package chat

import (
	"fmt"
	"strconv"

	"github.com/dragoman-project/dragoman/internal/ordered"
)

// wireThinking collects what a request says about thinking. Clients have several fields for it; those of a request may repeat
// each other, but not disagree.
type wireThinking struct {
	on     claim[bool]
	how    Thinking
	effort claim[string]
	budget claim[int]
}

// claim is a value that several fields may set.
type claim[T comparable] struct {
	value T
	by    *value // the field that set it; nil: none
}

// set sets the value because of a field. It is an error if another field has set another value.
func (c *claim[T]) set(by value, v T) error {
	if c.by != nil && c.value != v {
		return by.disagrees(*c.by)
	}
	if c.by == nil {
		c.value, c.by = v, &by
	}
	return nil
}

func (v value) disagrees(other value) error {
	return v.fault(fmt.Sprintf("found %s, but %s is %s; send one of them", v.compact(), other.Path(), other.compact()))
}

// effortNone is the effort that turns thinking off.
const effortNone = "none"

// thinkingDisabled is the type of thinking that turns it off.
const thinkingDisabled = ThinkingAdaptive + 1

// readers returns the readers of the fields about thinking.
func (t *wireThinking) readers() map[string]func(value) error {
	return map[string]func(value) error{
		"enable_thinking":         t.readSwitch,
		"reasoning_effort":        t.readEffort,
		"thinking_budget":         t.readBudget,
		"thinking_budget_tokens":  t.readBudget,
		"thinking_token_budget":   t.readBudget,
		"reasoning_budget_tokens": t.readBudget,
		"thinking":                t.readThinking,
		"reasoning": members(map[string]func(value) error{
			"effort": t.readEffort, "max_tokens": t.readBudget, "enabled": t.readSwitch,
		}),
	}
}

// members returns a reader of an object that ignores unknown members.
func members(readers map[string]func(value) error) func(value) error {
	return func(v value) error { return v.fields(readers, new([]Field)) }
}

func (t *wireThinking) readSwitch(v value) error {
	on, err := v.boolean()
	if err != nil {
		return err
	}
	return t.on.set(v, on)
}

// readThinking reads {"type":…,"budget_tokens":…}, or a switch.
func (t *wireThinking) readThinking(v value) error {
	if v.Kind() == ordered.Bool {
		return t.readSwitch(v)
	}
	return members(map[string]func(value) error{"type": t.readType, "budget_tokens": t.readBudget})(v)
}

func (t *wireThinking) readType(v value) error {
	how, err := oneOf(thinkings)(v)
	if err != nil {
		return err
	}
	if how != thinkingDisabled {
		t.how = how
	}
	return t.on.set(v, how != thinkingDisabled)
}

// readEffort reads the effort, a text whose levels differ from template to template.
func (t *wireThinking) readEffort(v value) error {
	effort, err := v.text()
	switch {
	case err != nil:
		return err
	case effort == effortNone:
		return t.on.set(v, false)
	}
	return t.effort.set(v, effort)
}

// readBudget reads a number of tokens; none are no thinking, and -1 is no limit.
func (t *wireThinking) readBudget(v value) error {
	budget, err := strconv.Atoi(v.compact())
	switch {
	case err != nil || budget < -1:
		return v.expected("a number of tokens, or -1")
	case budget == 0:
		return t.on.set(v, false)
	case budget < 0:
		return nil
	}
	return t.budget.set(v, budget)
}

// settle stores what the fields say. How much to think says nothing of whether to, except that it contradicts not to.
func (t *wireThinking) settle(r *Request) error {
	if off := t.on.by; off != nil && !t.on.value {
		for _, much := range []*value{t.effort.by, t.budget.by} {
			if much != nil {
				return much.disagrees(*off)
			}
		}
	}
	r.Thinking, r.ReasoningEffort, r.ThinkingBudget = t.how, t.effort.value, t.budget.value
	if t.on.by != nil {
		r.EnableThinking = &t.on.value
	}
	return nil
}

// override is settle for the variable enable_thinking of the template, which overrides how much to think.
func (t *wireThinking) override(variable value, r *Request) error {
	if variable.isNull() {
		return nil
	}
	if err := t.readSwitch(variable); err != nil {
		return err
	}
	if !t.on.value {
		t.effort, t.budget = claim[string]{}, claim[int]{}
	}
	return t.settle(r)
}
