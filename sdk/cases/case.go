// Package cases is the format of recorded cases: facts about templates, requests and model outputs, one JSON object a
// line, that a handler must reproduce. Platforms keep their own cases in it, plugins carry theirs, and the project's tests
// are run from it.
//
// There are three kinds:
//
//	parse      template + request + output → the message it must become
//	plan       template + request → the prompt, and what an engine is told beside it
//	template   template + variables → the prompt, or that rendering fails
//
// A parse case is compared by Compare: content and reasoning without outer white space, calls by count and order, names
// and ids exactly, arguments as JSON with the order of their members. It must come out the same for every way in which
// its output can be cut into pieces; Cuts gives the ways to try.
//
// A case may have members that are not known here: whoever recorded it may say more of it. But what looks like a slip of the
// pen is refused, and so is an unknown member of what a case expects, for nobody would see that it is not compared.
//
// Words that must not be confused: what a case *expects* must hold; its *reference* is what another implementation was
// seen to answer, of which only some must hold. A *cut* is a way to divide an output, a *piece* is what comes of it.
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

// Kind says what a case is about.
type Kind string

// The kinds of cases.
const (
	Parse    Kind = "parse"
	Plan     Kind = "plan"
	Template Kind = "template"
)

// Case is one recorded case. Which fields count depends on its kind.
type Case struct {
	ID       string `json:"id"`
	Kind     Kind   `json:"kind"`
	Template string `json:"template"` // its file's name
	// Handler names the handler that must serve the case, whatever else claims the template; empty: the one that claims it.
	Handler  string `json:"handler"`
	BOSToken string `json:"bos_token"`
	EOSToken string `json:"eos_token"`
	// Now is the time that templates are told.
	Now time.Time `json:"now"`

	// RequestJSON is the request of a parse or plan case as written; ChatRequest reads it.
	RequestJSON json.RawMessage `json:"request"`

	// Output is what the model wrote after the prompt. Partial says that it is cut off and more would come.
	Output  string `json:"output"`
	Partial bool   `json:"partial"`
	// Expect is the message that the output must become.
	Expect *Message `json:"expect"`
	// Reconstruct says that rendering the message again must give prompt and output, or continue them.
	Reconstruct bool `json:"reconstruct"`

	// Reference is what another implementation answered; ReferenceError is why it did not.
	Reference      *Reference `json:"reference"`
	ReferenceError string     `json:"reference_error"`

	// Context holds the variables of a template case, which must give Prompt, or fail if Error is not empty.
	Context json.RawMessage `json:"context"`
	Prompt  string          `json:"prompt"`
	Error   string          `json:"error"`

	// Line is where the case stands in its file, from 1.
	Line int `json:"-"`
}

// Message is what a parse case says of a message.
type Message struct {
	Content          string `json:"content"`
	ReasoningContent string `json:"reasoning_content"`
	ToolCalls        []Call `json:"tool_calls"`
}

// Call is a tool call of a Message. Its id is empty unless the format carries one.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// MessageOf is what cases say of m. The text parts of a content are joined.
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

// Reference is what another implementation answered to the request.
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

// Trigger is what starts a lazy constraint: a "word" or a "pattern".
type Trigger struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// pinned is the time of cases that do not say theirs.
var pinned = time.Date(2026, time.January, 15, 12, 34, 56, 0, time.UTC)

// check says what is wrong with a case before it is run, and fills in the time. Said are the members of its line.
func (c *Case) check(said members) error {
	if c.Now.IsZero() {
		c.Now = pinned
	}
	if c.ID == "" {
		return errors.New(`the case has no "id"`)
	}
	if err := said.misspelt(slices.Concat(everywhere, counted[c.Kind])); err != nil {
		return fmt.Errorf("case %s: %w", c.ID, err)
	}
	if c.Template == "" {
		return fmt.Errorf(`case %s: "template" names no template`, c.ID)
	}
	if err := c.checkKind(said); err != nil {
		return fmt.Errorf("case %s: %w", c.ID, err)
	}
	return nil
}

// checkKind looks for what a case of its kind must say.
func (c *Case) checkKind(said members) error {
	switch c.Kind {
	case Parse:
		if c.Expect == nil {
			return errors.New(`a case of kind "parse" needs "expect"`)
		}
		if !said.have("output") {
			return errors.New(`a case of kind "parse" needs "output"`)
		}
		return errors.Join(said.in("reference").misspelt(membersOf[Reference]()), checkExpect(said.in("expect")))
	case Plan:
		return c.checkPlan(said)
	case Template:
		if c.Context == nil {
			return errors.New(`a case of kind "template" needs "context"`)
		}
		if !said.have("prompt") && !said.have("error") {
			return errors.New(`a case of kind "template" needs "prompt", or "error" where rendering must fail`)
		}
		return nil
	}
	return fmt.Errorf(`expected "kind" to be "parse", "plan" or "template", found %q`, c.Kind)
}

// checkPlan looks at a case of kind plan. One without a reference says that there is a plan.
func (c *Case) checkPlan(said members) error {
	for _, name := range []string{"prompt", "generation_prompt", "constrained", "expect"} {
		if c.Reference == nil && said.have(name) {
			return fmt.Errorf(`a case of kind "plan" is compared with "reference": put %q into it`, name)
		}
	}
	return said.in("reference").misspelt(membersOf[Reference]())
}

// hey is the conversation of a request that has none.
const hey = `[{"role":"user","content":"Hey there!"}]`

// ChatRequest reads the request. One without messages gets a greeting. The error is a *fault.Error.
func (c *Case) ChatRequest() (*chat.Request, error) {
	text := c.RequestJSON
	if len(text) == 0 {
		text = json.RawMessage("{}")
	}
	var members map[string]json.RawMessage
	// What is not an object at all, ParseRequest tells better.
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

// isEmpty says whether a member is absent, null or an empty array.
func isEmpty(list json.RawMessage) bool {
	var elements []json.RawMessage
	return list == nil || json.Unmarshal(list, &elements) == nil && len(elements) == 0
}

// encode writes members that came from JSON, their values as they were.
func encode(members map[string]json.RawMessage) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	// Valid values always encode.
	_ = enc.Encode(members)
	return out.Bytes()
}
