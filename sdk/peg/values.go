package peg

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Values is the set of values that a Value node accepts. The zero value accepts none.
type Values uint16

// The kinds of values, and the notations besides JSON in which they may be written.
const (
	ObjectValue = Values(jsonschema.Object)
	ArrayValue  = Values(jsonschema.Array)
	StringValue = Values(jsonschema.String)
	NumberValue = Values(jsonschema.Number)
	BoolValue   = Values(jsonschema.Bool) // true, false
	NullValue   = Values(jsonschema.Null) // null
	// AnyJSON is every JSON value.
	AnyJSON = Values(jsonschema.Any)

	// PythonLiterals accepts True, False and None wherever the JSON literal of that kind is accepted. Parsers also read NaN,
	// Infinity and -Infinity, as the strings of these words: JSON has no such numbers.
	PythonLiterals = AnyJSON + 1
	// PythonQuotes accepts single-quoted strings besides double-quoted ones.
	PythonQuotes = PythonLiterals << 1

	// AnyPython is every JSON value, and its spelling in Python.
	AnyPython = AnyJSON | PythonLiterals | PythonQuotes
)

// Kinds returns the kinds of JSON values in v.
func (v Values) Kinds() jsonschema.Kinds { return jsonschema.Kinds(v & AnyJSON) }

// Notation is a way of writing values: JSON, and what a bit of Values allows besides.
type Notation struct {
	// Quotes are the bytes that may surround strings.
	Quotes string
	// Words are the values written as a word.
	Words []Word
	// TrailingComma allows a comma after the last item of an object or array.
	TrailingComma bool
}

// Word is a value written as a word.
type Word struct {
	Text string // as the notation has it
	JSON string // as JSON has it
	Kind Values
}

// valueBits is the table of the bits of Values, in their order. A new notation needs a row, and a field of ValueNode in
// sdk/proto; one that differs from JSON in more than a Notation can say also needs an automaton (sdk/peg/internal/scan).
var valueBits = [...]struct {
	name string   // as printed and encoded; it never changes
	adds Notation // to JSON
}{
	{name: "object"},
	{name: "array"},
	{name: "string"},
	{name: "number"},
	{name: "bool"},
	{name: "null"},
	{name: "python-literals", adds: Notation{
		Words: []Word{{"True", "true", BoolValue}, {"False", "false", BoolValue}, {"None", "null", NullValue},
			{"NaN", `"NaN"`, NumberValue}, {"Infinity", `"Infinity"`, NumberValue}, {"-Infinity", `"-Infinity"`, NumberValue}},
		TrailingComma: true,
	}},
	{name: "python-quotes", adds: Notation{Quotes: `'`, TrailingComma: true}},
}

// AllNotations allows every value in every notation.
const AllNotations Values = 1<<len(valueBits) - 1

// Notation returns how values of v may be written.
func (v Values) Notation() Notation {
	all := Notation{Quotes: `"`, Words: []Word{{"true", "true", BoolValue}, {"false", "false", BoolValue}, {"null", "null", NullValue}}}
	for i, bit := range valueBits {
		if v&(1<<i) != 0 {
			all.Quotes += bit.adds.Quotes
			all.Words = append(all.Words, bit.adds.Words...)
			all.TrailingComma = all.TrailingComma || bit.adds.TrailingComma
		}
	}
	return all
}
