package value

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/go-json-experiment/json/jsontext"
)

// maxJSONDepth bounds how deep a schema may nest.
const maxJSONDepth = 128

// Value is a JSON value whose objects keep their order, and whose numbers their digits.
type Value struct {
	Kind   Kind
	Text   string // of a string, or the digits of a number
	Bool   bool
	Items  []*Value
	Keys   []string // in order, each once
	Fields map[string]*Value
}

type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Decode reads one JSON value. Of members with the same name, the last counts.
func Decode(raw []byte) (*Value, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := decodeValue(d, 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one value")
	}
	return v, nil
}

func decodeValue(d *jsontext.Decoder, depth int) (*Value, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("it nests more than %d deep", maxJSONDepth)
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 't', 'f':
		return &Value{Kind: Bool, Bool: token.Bool()}, nil
	case '0':
		return &Value{Kind: Number, Text: token.String()}, nil
	case '"':
		return NewString(token.String()), nil
	case '[':
		return decodeArray(d, depth)
	case '{':
		return decodeObject(d, depth)
	}
	return &Value{}, nil
}

func decodeArray(d *jsontext.Decoder, depth int) (*Value, error) {
	v := &Value{Kind: Array}
	for d.PeekKind() != ']' {
		item, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := d.ReadToken()
	return v, err
}

func decodeObject(d *jsontext.Decoder, depth int) (*Value, error) {
	v := NewObject()
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		item, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.Set(name, item)
	}
	_, err := d.ReadToken()
	return v, err
}

func NewObject() *Value { return &Value{Kind: Object, Fields: map[string]*Value{}} }

func NewString(s string) *Value { return &Value{Kind: String, Text: s} }

func (v *Value) Set(key string, field *Value) {
	if _, ok := v.Fields[key]; !ok {
		v.Keys = append(v.Keys, key)
	}
	v.Fields[key] = field
}

// Get is the field of that name, or nil; also of what is no object.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	return v.Fields[key]
}

func (v *Value) Has(key string) bool { return v.Get(key) != nil }

// HasAny says whether one of the keys is there.
func (v *Value) HasAny(keys ...string) bool {
	for _, k := range keys {
		if v.Has(k) {
			return true
		}
	}
	return false
}

// List are the items of an array; none of anything else.
func (v *Value) List() []*Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// Names are the keys of an object; none of anything else.
func (v *Value) Names() []string {
	if v == nil {
		return nil
	}
	return v.Keys
}

// IsEmpty says whether v is an object without fields.
func (v *Value) IsEmpty() bool { return v.Is(Object) && len(v.Keys) == 0 }

// With is a copy of an object with some fields of another, as far as that has them.
func (v *Value) With(other *Value, keys ...string) *Value {
	out := v.But()
	for _, k := range keys {
		if other.Has(k) {
			out.Set(k, other.Get(k))
		}
	}
	return out
}

// But is a copy of an object without some of its keys.
func (v *Value) But(keys ...string) *Value {
	out := NewObject()
	for _, k := range v.Keys {
		if !slices.Contains(keys, k) {
			out.Set(k, v.Fields[k])
		}
	}
	return out
}

func (v *Value) Is(kind Kind) bool { return v != nil && v.Kind == kind }

func (v *Value) IsTrue() bool { return v.Is(Bool) && v.Bool }

func (v *Value) IsFalse() bool { return v.Is(Bool) && !v.Bool }

// Strings are the items that are strings.
func (v *Value) Strings() []string {
	var out []string
	if v == nil {
		return nil
	}
	for _, item := range v.Items {
		if item.Kind == String {
			out = append(out, item.Text)
		}
	}
	return out
}

// Limits of the numbers whose value is known: bytes, and the exponent of ten.
const (
	maxNumber   = 400
	maxExponent = 400
)

// Rational is the exact value of a number; nil if v is none, or is beyond all that a schema means.
func (v *Value) Rational() *big.Rat {
	if !v.Is(Number) || len(v.Text) > maxNumber {
		return nil
	}
	if i := strings.IndexAny(v.Text, "eE"); i >= 0 {
		if n, err := strconv.Atoi(v.Text[i+1:]); err != nil || max(n, -n) > maxExponent {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(v.Text)
	if !ok {
		return nil
	}
	return r
}

// Compact writes v without blanks, its strings as models write them: UTF-8, and only escaped what must be.
func (v *Value) Compact() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *Value) write(b *strings.Builder) {
	switch v.Kind {
	case Null:
		b.WriteString("null")
	case Bool:
		b.WriteString(strconv.FormatBool(v.Bool))
	case Number:
		b.WriteString(v.Text)
	case String:
		b.WriteString(`"` + rules.Escape(v.Text, '"') + `"`)
	case Array:
		b.WriteByte('[')
		for i, item := range v.Items {
			writeComma(b, i)
			item.write(b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, k := range v.Keys {
			writeComma(b, i)
			b.WriteString(`"` + rules.Escape(k, '"') + `":`)
			v.Fields[k].write(b)
		}
		b.WriteByte('}')
	}
}

func writeComma(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}
