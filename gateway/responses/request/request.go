// Package request reads requests of OpenAI's responses, and says the same as chat requests, which everything behind it understands.
//
//	request ─Read→ Request{Chat, Notes} ─Gateway.Plan→ answer, or an error about the chat request ─Fault→ the same about the request
//
// Items of the assistant that follow each other become one message: its reasoning, its text and its calls. Messages of the system and of
// developers at the beginning become one, after the instructions.
//
// A model has functions only. A custom tool, whose input is free text, becomes a function with one string; the tools of a namespace get
// its name before theirs; tools that OpenAI itself has are left out, with a note. Request.Tool tells from the name of a call which tool
// was meant.
//
// Words that must not be confused: an *item* is a part of the conversation in the words of responses, a *message* one in those of chats;
// a *place* is a member of either request, as errors name it.
package request

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/internal/ordered"
)

// Request is a request of responses that was read.
type Request struct {
	// Chat is the chat request that says the same, as JSON.
	Chat []byte
	// Notes are for people: what has no effect.
	Notes []string
	// Previous is the response that the conversation goes on from; empty: none.
	Previous string
	// Store reports whether the response should be stored, as it should unless the request says otherwise.
	Store bool
	// Encrypted reports whether reasoning should come with its sealed form.
	Encrypted bool

	root   *ordered.Value
	tools  map[string]Tool // by the names of functions
	places reply.Places
}

// Options are what Read needs of others. The zero value reads requests that bring everything along.
type Options struct {
	// Open returns the reasoning that was sealed; nil: nothing can be opened.
	Open func(sealed string) (string, error)
	// Earlier has the conversations that were stored; nil: none are.
	Earlier Earlier
}

// Earlier finds what was stored. Its errors need no place.
type Earlier interface {
	// Conversation returns the items of a response, of its input, and of all responses before it, in order.
	Conversation(response string) ([]jsontext.Value, error)
	// Item returns an item by its id.
	Item(id string) (jsontext.Value, error)
}

// Read reads a request. Errors name its members.
func Read(body []byte, o Options) (*Request, error) {
	root, err := ordered.Parse(body)
	if err != nil {
		return nil, err
	}
	if root.Kind() != ordered.Object {
		return nil, root.Expected("an object")
	}
	r := &reader{Request: &Request{root: root, Store: true}, options: o, out: []byte{'{'}}
	for _, read := range []func() error{r.settings, r.readTools, r.choice, r.format, r.conversation} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	r.out = append(r.out, '}')
	r.Chat = r.out
	return r.Request, nil
}

// Member returns a member of the request as it came.
func (r *Request) Member(name string) *ordered.Value { return r.root.Get(name) }

// Fault returns an error about the chat request as one about the request.
func (r *Request) Fault(err error) error { return r.places.Fault(err) }

// reader reads a request, and writes its chat request.
type reader struct {
	*Request
	options Options
	out     []byte          // the chat request so far
	allowed map[string]bool // the functions that may be called; nil: all
}

// note notes what has no effect.
func (r *reader) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// member begins a member of the chat request, and remembers which member of the request it comes from.
func (r *reader) member(name, from string) {
	r.out = appendName(r.out, name)
	r.places.Add(name, from)
}

// appendName appends the name of a member of the object at the end of b.
func appendName(b []byte, name string) []byte {
	return append(appendText(next(b), name), ':')
}

// next appends a comma unless an object or array begins.
func next(b []byte) []byte {
	if last := b[len(b)-1]; last != '{' && last != '[' {
		b = append(b, ',')
	}
	return b
}

func appendText[T ~string | ~[]byte](b []byte, text T) []byte {
	b, _ = jsontext.AppendQuote(b, text) // an error reports replaced bytes
	return b
}

// text returns a member that is a string; absent and null are empty.
func text(v *ordered.Value) (string, error) {
	switch v.Kind() {
	case ordered.Absent, ordered.Null:
		return "", nil
	case ordered.String:
		return v.Text(), nil
	}
	return "", v.Expected("a string")
}

// needed returns a member of v that must be a string with text.
func needed(v *ordered.Value, name, what string) (string, error) {
	m := v.Get(name)
	if m.Kind() == ordered.Absent {
		return "", v.Missing(name, what)
	}
	if m.Kind() != ordered.String || m.Text() == "" {
		return "", m.Expected(what)
	}
	return m.Text(), nil
}

// isSet reports whether a member has a value.
func isSet(v *ordered.Value) bool { return v.Kind() != ordered.Absent && v.Kind() != ordered.Null }
