// Package cases defines the format of recorded cases: facts about templates, requests and model outputs that a handler must
// reproduce, one JSON object per line. Platforms keep their own cases in this format, plugins carry theirs, and the project's
// tests run them.
//
// There are three kinds:
//
//	parse      template + request + output → the message it must become
//	plan       template + request → the prompt, and the settings for the engine
//	template   template + variables → the prompt, or an error
//
// Compare compares a parse case: content and reasoning without outer white space, calls by count and order, names and ids
// exactly, arguments as JSON with the order of their members. The result must be the same however the output is cut into
// pieces; Cuts returns the cuts to try.
//
// A case may have unknown fields, in which recorders keep additional facts. But fields that look misspelt are errors, and so
// are unknown fields of the expected message, which would silently not be compared.
//
// Words that must not be confused: what a case *expects* must hold; its *reference* is what another implementation answered,
// of which only a part must hold. A *cut* is a way to divide an output, a *piece* is a part of a cut output.
package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Kind is the kind of a case.
type Kind string

// The kinds of cases.
const (
	Parse    Kind = "parse"
	Plan     Kind = "plan"
	Template Kind = "template"
)

// Case is one recorded case. Which fields matter depends on its kind.
type Case struct {
	ID       string `json:"id"`
	Kind     Kind   `json:"kind"`
	Template string `json:"template"` // the name of its file
	// Handler is the handler that must serve the case; empty means the one that claims the template.
	Handler  string `json:"handler"`
	BOSToken string `json:"bos_token"`
	EOSToken string `json:"eos_token"`
	// Now is the time that templates see.
	Now time.Time `json:"now"`

	// RequestJSON is the request of a parse or plan case as written; ChatRequest reads it.
	RequestJSON json.RawMessage `json:"request"`

	// Output is what the model wrote after the prompt. Partial is set if it is incomplete.
	Output  string `json:"output"`
	Partial bool   `json:"partial"`
	// Expect is the message into which the output must be parsed.
	Expect *Message `json:"expect"`
	// Reconstruct is set if rendering the message must return prompt and output, or a continuation of them.
	Reconstruct bool `json:"reconstruct"`

	// Reference is the answer of another implementation, ReferenceError its error.
	Reference      *Reference `json:"reference"`
	ReferenceError string     `json:"reference_error"`

	// Context holds the variables of a template case. Rendering must return Prompt, or fail if Error is not empty.
	Context json.RawMessage `json:"context"`
	Prompt  string          `json:"prompt"`
	Error   string          `json:"error"`

	// Line is the number of the line in the file, from 1.
	Line int `json:"-"`
}

// Message is a message as cases write it.
type Message struct {
	Content          string `json:"content"`
	ReasoningContent string `json:"reasoning_content"`
	ToolCalls        []Call `json:"tool_calls"`
}

// Call is a tool call of a Message. Its id is empty unless the format has ids.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// MessageOf returns m as cases write it. The text parts of a content are joined.
func MessageOf(m chat.Message) Message {
	out := Message{ReasoningContent: m.ReasoningContent, ToolCalls: []Call{}}
	if m.Content.Text != nil {
		out.Content = *m.Content.Text
	}
	for _, part := range m.Content.Parts {
		out.Content += part.Text
	}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, Call{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
	}
	return out
}

// Reference is another implementation's answer to the request.
type Reference struct {
	Prompt           string    `json:"prompt"`
	GenerationPrompt string    `json:"generation_prompt"`
	SupportsThinking bool      `json:"supports_thinking"`
	ThinkingStart    string    `json:"thinking_start"`
	ThinkingEnds     []string  `json:"thinking_ends"`
	Constrained      bool      `json:"constrained"`
	Lazy             bool      `json:"lazy"`
	Triggers         []Trigger `json:"triggers"`
	PreservedTokens  []string  `json:"preserved_tokens"`
	Stops            []string  `json:"stops"`
}

// Trigger is a text that activates a lazy constraint: a "word" or a "pattern".
type Trigger struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// pinned is the time of cases without "now".
var pinned = time.Date(2026, time.January, 15, 12, 34, 56, 0, time.UTC)

// check returns what is wrong with a case, given the fields of its line, and fills in the time.
func (c *Case) check(fields members) error {
	if c.Now.IsZero() {
		c.Now = pinned
	}
	if c.ID == "" {
		return errors.New(`missing "id"`)
	}
	if err := fields.misspelt(slices.Concat(everywhere, counted[c.Kind])); err != nil {
		return fmt.Errorf("case %s: %w", c.ID, err)
	}
	if c.Template == "" {
		return fmt.Errorf(`case %s: missing "template"`, c.ID)
	}
	if err := c.checkKind(fields); err != nil {
		return fmt.Errorf("case %s: %w", c.ID, err)
	}
	return nil
}

// checkKind checks that a case has the fields that its kind requires.
func (c *Case) checkKind(fields members) error {
	switch c.Kind {
	case Parse:
		if c.Expect == nil {
			return errors.New(`a case of kind "parse" needs "expect"`)
		}
		if !fields.has("output") {
			return errors.New(`a case of kind "parse" needs "output"`)
		}
		return errors.Join(fields.in("reference").misspelt(membersOf[Reference]()), checkExpect(fields.in("expect")))
	case Plan:
		return c.checkPlan(fields)
	case Template:
		if c.Context == nil {
			return errors.New(`a case of kind "template" needs "context"`)
		}
		if !fields.has("prompt") && !fields.has("error") {
			return errors.New(`a case of kind "template" needs "prompt", or "error" where rendering must fail`)
		}
		return nil
	}
	return fmt.Errorf(`expected "kind" to be "parse", "plan" or "template", found %q`, c.Kind)
}

// checkPlan checks a case of kind plan. Without a reference, it says only that planning succeeds.
func (c *Case) checkPlan(fields members) error {
	for _, name := range []string{"prompt", "generation_prompt", "constrained", "expect"} {
		if c.Reference == nil && fields.has(name) {
			return fmt.Errorf(`a case of kind "plan" is compared with "reference": put %q into it`, name)
		}
	}
	return fields.in("reference").misspelt(membersOf[Reference]())
}

// hey is the conversation of a request that has none.
const hey = `[{"role":"user","content":"Hey there!"}]`

// ChatRequest returns the request. Without messages, it gets a greeting. Errors are of type *fault.Error.
func (c *Case) ChatRequest() (*chat.Request, error) {
	text := c.RequestJSON
	if len(text) == 0 {
		text = json.RawMessage("{}")
	}
	var members map[string]json.RawMessage
	// ParseRequest has a better error for what is not an object.
	if err := json.Unmarshal(text, &members); err == nil && isEmpty(members["messages"]) {
		members["messages"] = json.RawMessage(hey)
		text = encode(members)
	}
	r, err := chat.ParseRequest(text)
	if err != nil {
		return nil, err
	}
	r.Now = c.Now
	return r, nil
}

// isEmpty reports whether a field is absent, null or an empty array.
func isEmpty(list json.RawMessage) bool {
	var elements []json.RawMessage
	return list == nil || json.Unmarshal(list, &elements) == nil && len(elements) == 0
}

// encode returns the JSON of members that were read from JSON.
func encode(members map[string]json.RawMessage) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	// Valid values always encode.
	_ = enc.Encode(members)
	return out.Bytes()
}
