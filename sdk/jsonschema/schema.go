package jsonschema

import (
	"encoding/json"
	"fmt"

	"github.com/dragoman-project/dragoman/internal/cache"
)

// Schema is a JSON Schema: a document, or a part of one, whose references lead into the document. It is immutable and small.
// The zero value is no schema, and allows everything.
type Schema struct{ part *part }

// part is a schema at its place in a document. Its text and the text of the document determine it.
type part struct {
	text  []byte
	whole *part // the document; nil if this is one
	value cache.Derived[*Value]
}

// Parse reads the JSON of a schema, which it copies. It checks only the syntax and the depth; see Check.
func Parse(text []byte) (Schema, error) {
	v, err := read(text)
	if err != nil {
		return Schema{}, err
	}
	localise(v)
	return document(v), nil
}

// MustParse is Parse for texts that are known to be JSON. It panics on errors.
func MustParse(text string) Schema {
	s, err := Parse([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("jsonschema: %v in %.200s", err, text))
	}
	return s
}

// document returns a value as a whole document.
func document(v *Value) Schema {
	return Schema{&part{text: v.JSON(), value: cache.Derived[*Value]{Value: v}}}
}

// at returns another value of the document of s as a schema; the zero value for nil.
func (s Schema) at(v *Value) Schema {
	switch {
	case v == nil:
		return Schema{}
	case v == s.root():
		return s.document()
	}
	return Schema{&part{text: v.JSON(), whole: s.document().part, value: cache.Derived[*Value]{Value: v}}}
}

// document returns the schema that s is a part of.
func (s Schema) document() Schema {
	if s.part == nil || s.part.whole == nil {
		return s
	}
	return Schema{s.part.whole}
}

func (s Schema) value() *Value {
	if s.part == nil {
		return nil
	}
	return s.part.value.Value
}

func (s Schema) root() *Value { return s.document().value() }

// IsZero reports whether s is the zero value, which is no schema.
func (s Schema) IsZero() bool { return s.part == nil }

// Value returns the JSON of the schema as a value, in which references by anchor or identifier are JSON pointers; nil for the
// zero value. It must not be changed.
func (s Schema) Value() *Value { return s.value() }

// String returns the JSON of the schema as it was written.
func (s Schema) String() string {
	return string(s.Raw())
}

// Raw returns the JSON of the schema as it was written; nil for the zero value. It must not be changed.
func (s Schema) Raw() json.RawMessage {
	if s.part == nil {
		return nil
	}
	return s.part.text
}

// Size returns about how many bytes of memory the schema takes.
func (s Schema) Size() int {
	const perByte = 12 // of text: values are about a hundred bytes, and ten bytes long
	return perByte * len(s.Raw())
}

// Equal reports whether two schemas have the same text, in documents with the same text if they contain references.
func (s Schema) Equal(other Schema) bool {
	return s.part == other.part || s.IsZero() == other.IsZero() && s.Key() == other.Key()
}

// Key returns a string that differs for schemas that are not Equal.
func (s Schema) Key() string {
	if v := s.value(); v == nil || !v.refers {
		return s.String()
	}
	return s.String() + "\x00" + s.document().String()
}

// MarshalJSON returns the JSON of the schema; null for the zero value.
func (s Schema) MarshalJSON() ([]byte, error) {
	if s.part == nil {
		return []byte("null"), nil
	}
	return s.Raw(), nil
}

// UnmarshalJSON reads a schema like Parse.
func (s *Schema) UnmarshalJSON(text []byte) (err error) {
	*s, err = Parse(text)
	return err
}
