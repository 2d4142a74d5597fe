package peg

import "encoding/json"

// ID is the index of a node in Program.Nodes.
type ID int32

// Op is the kind of a node. What each kind matches, and which fields of Node it reads, stands beside it.
type Op uint8

// The kinds of nodes.
const (
	// Empty matches nothing, always.
	Empty Op = iota
	// End matches at the end of the input only.
	End
	// Literal matches Text.
	Literal
	// Sequence matches Kids one after the other.
	Sequence
	// Choice matches the first of Kids that matches; order is preference.
	Choice
	// Repeat matches Kids[0] at least Min and at most Max times; Max < 0 means without bound.
	Repeat
	// Peek matches, without consuming, where Kids[0] would match.
	Peek
	// Not matches, without consuming, where Kids[0] would not match.
	Not
	// Any matches one character.
	Any
	// Chars matches Min to Max characters (Max < 0: without bound) of the class Ranges, or outside of it when Negated.
	Chars
	// Space matches white space, possibly none.
	Space
	// Until matches up to the nearest of Delims, or up to the end of the input; it does not consume the delimiter.
	// Without Delims it matches the rest of the input.
	Until
	// Value matches one whole JSON or Python value of the kinds that Values allows.
	Value
	// StringContent matches the inside of a quoted string, with escapes, up to the quote Text, which it does not consume.
	StringContent
	// Rule is a named rule: Text is its name, Kids[0] its body. Wherever the node is used, the rule is used.
	Rule
	// Trigger is a rule at which a lazy grammar starts and at which parsing resumes after recovery: the beginning of a
	// call. Text is its name, Kids[0] its body.
	Trigger
	// Atomic matches Kids[0] and delivers nothing of it until it is complete.
	Atomic
	// Schema matches Kids[0]; the grammar made from the program holds it to JSONSchema. Raw says that the text is the bare
	// content of a string value rather than JSON.
	Schema
	// Tag gives the text of Kids[0] the meaning Role. Where Text is set, it is told in place of that text: so can a format that
	// does not write a name, id or key have one. With the role Missing, Text is the marker.
	Tag
	// Prompt matches the generation prompt as the template itself writes it, up to the first of Delims in it. It must be
	// bound to a text (Program.Bind) before the program runs.
	Prompt
)

// Role says what the text under a Tag means.
type Role uint8

// The roles of text. Content and reasoning are the message's; the others build tool calls. A call is one region with
// the role Call; inside it CallID, CallName and the arguments may come in any order. The arguments are either one JSON
// object as it is (Arguments), or built from Object, Array, Key, String and Value, so that any syntax can be described
// and JSON is built in one place.
const (
	NoRole Role = iota
	// Content is text of the answer.
	Content
	// Reasoning is text of the thinking before the answer.
	Reasoning
	// Call is a whole tool call, from its first marker to its last.
	Call
	// CallID is the id of a call; delivered whole. The name may stand within it.
	CallID
	// CallName is the name of the function; delivered whole.
	CallName
	// Arguments is one JSON (or Python) object, delivered as JSON while it streams.
	Arguments
	// Object is an object whose members are tagged Key and then String, Value, Object or Array.
	Object
	// Array is an array whose items are tagged String, Value, Object or Array.
	Array
	// Key is the name of an argument or member, without quotes; delivered whole.
	Key
	// String is the raw text of a string value: it is escaped, not interpreted.
	String
	// QuotedString is the inside of a quoted JSON string value: escapes stay as they are.
	QuotedString
	// Scalar is a JSON or Python value of any kind; it is delivered as JSON.
	Scalar
	// Missing says that the marker Text of the node should stand here, and does not. Nothing is delivered; the report counts it.
	Missing
)

// Values says which values a Value node accepts. The zero value accepts none.
type Values uint16

// The kinds of values.
const (
	ObjectValue Values = 1 << iota
	ArrayValue
	StringValue
	NumberValue
	BoolValue // true, false
	NullValue // null
	// PythonLiterals accepts, besides JSON, True, False and None wherever the JSON literal of that kind is accepted.
	PythonLiterals
	// PythonQuotes accepts single-quoted strings besides double-quoted ones.
	PythonQuotes

	// AnyJSON is every JSON value.
	AnyJSON = ObjectValue | ArrayValue | StringValue | NumberValue | BoolValue | NullValue
	// AnyPython is every JSON value, and its spelling in Python.
	AnyPython = AnyJSON | PythonLiterals | PythonQuotes
)

// Range is a range of code points, both ends included.
type Range struct {
	Lo rune `json:"lo"`
	Hi rune `json:"hi"`
}

// Node is one node of a program. Kids are indices into Program.Nodes; which fields count depends on Op.
type Node struct {
	Op         Op              `json:"op"`
	Kids       []ID            `json:"kids,omitempty"`
	Text       string          `json:"text,omitempty"`
	Delims     []string        `json:"delims,omitempty"`
	Ranges     []Range         `json:"ranges,omitempty"`
	Negated    bool            `json:"negated,omitempty"`
	Min        int             `json:"min,omitempty"`
	Max        int             `json:"max,omitempty"`
	Values     Values          `json:"values,omitempty"`
	Role       Role            `json:"role,omitempty"`
	JSONSchema json.RawMessage `json:"schema,omitempty"`
	Raw        bool            `json:"raw,omitempty"`
}

// Program is a parser as data: an arena of nodes. It is immutable once built and may be shared.
type Program struct {
	Nodes []Node `json:"nodes"`
	Root  ID     `json:"root"`

	digest *Digest // of a sealed program
}
