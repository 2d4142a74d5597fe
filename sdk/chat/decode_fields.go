package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/internal/ordered"
)

// spelling is a value of a field, and its text on the wire.
type spelling[T comparable] struct {
	text  string
	value T
}

var (
	toolModes = []spelling[ToolMode]{{"auto", ToolAuto}, {"none", ToolNone}, {"required", ToolRequired}}

	reasoningFormats = []spelling[ReasoningFormat]{
		{"auto", ReasoningAuto}, {"none", ReasoningNone},
		{"deepseek", ReasoningDeepSeek}, {"deepseek-legacy", ReasoningDeepSeekLegacy},
	}

	thinkings = []spelling[Thinking]{{"enabled", ThinkingEnabled}, {"adaptive", ThinkingAdaptive}, {"disabled", thinkingDisabled}}

	continuations = []spelling[Continuation]{
		{"none", ContinueNone}, {"auto", ContinueAuto},
		{"content", ContinueContent}, {"reasoning_content", ContinueReasoning},
	}
)

// oneOf returns a reader of one of a few texts.
func oneOf[T comparable](spellings []spelling[T]) func(value) (T, error) {
	return func(v value) (T, error) {
		text, err := v.text()
		for _, s := range spellings {
			if err == nil && s.text == text {
				return s.value, nil
			}
		}
		var none T
		return none, v.expected("one of " + listed(spellings))
	}
}

// listed returns the texts as errors list them.
func listed[T comparable](spellings []spelling[T]) string {
	var texts []string
	for _, s := range spellings {
		texts = append(texts, fmt.Sprintf("%q", s.text))
	}
	return strings.Join(texts, ", ")
}

// spelled returns the text that oneOf reads as v, or "".
func spelled[T comparable](spellings []spelling[T], v T) string {
	i := slices.IndexFunc(spellings, func(s spelling[T]) bool { return s.value == v })
	if i < 0 {
		return ""
	}
	return spellings[i].text
}

func (m ToolMode) String() string {
	if m == ToolNamed {
		return "named"
	}
	return spelled(toolModes, m)
}

func (f ReasoningFormat) String() string { return spelled(reasoningFormats, f) }

func (t Thinking) String() string { return spelled(thinkings, t) }

func (c Continuation) String() string { return spelled(continuations, c) }

// optional returns a reader of a value that differs from an absent one.
func optional[T any](read func(value) (T, error)) func(value) (*T, error) {
	return func(v value) (*T, error) {
		result, err := read(v)
		return &result, err
	}
}

// readToolChoice reads a mode, or {"type":"function","function":{"name":…}}.
func readToolChoice(v value) (c ToolChoice, err error) {
	if v.Kind() != ordered.Object {
		c.Mode, err = oneOf(toolModes)(v)
		if err != nil {
			err = v.expected("one of " + listed(toolModes) + ` or {"type":"function","function":{"name":…}}`)
		}
		return c, err
	}
	var rest []Field
	name := into(&c.Name, value.text)
	err = v.fields(map[string]func(value) error{
		"type":     checkFunctionType,
		"function": func(v value) error { return v.fields(map[string]func(value) error{"name": name}, &rest) },
		"name":     name,
	}, &rest)
	if err == nil && c.Name == "" {
		err = v.missing("the name of a tool", "function", "name")
	}
	c.Mode = ToolNamed
	return c, err
}

// readContinuation reads true, false or the name of a part.
func readContinuation(v value) (Continuation, error) {
	if v.Kind() == ordered.Bool {
		if v.IsTrue() {
			return ContinueAuto, nil
		}
		return ContinueNone, nil
	}
	c, err := oneOf(continuations)(v)
	if err != nil {
		err = v.expected("true, false or one of " + listed(continuations))
	}
	return c, err
}

// readKwargs checks that v is an object.
func readKwargs(v value) (value, error) {
	if v.Kind() != ordered.Object {
		return v, v.expected("an object")
	}
	return v, nil
}
