package grammar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxJSONDepth bounds how deep a schema may nest.
const maxJSONDepth = 128

// value is a JSON value whose objects keep their order, and whose numbers their digits.
type value struct {
	kind   valueKind
	text   string // of a string, or the digits of a number
	bool   bool
	items  []*value
	keys   []string // in order, each once
	fields map[string]*value
}

type valueKind uint8

const (
	nullKind valueKind = iota
	boolKind
	numberKind
	stringKind
	arrayKind
	objectKind
)

func (k valueKind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// decode reads one JSON value. Of members with the same name, the last counts.
func decode(raw []byte) (*value, error) {
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

func decodeValue(d *jsontext.Decoder, depth int) (*value, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("it nests more than %d deep", maxJSONDepth)
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 't', 'f':
		return &value{kind: boolKind, bool: token.Bool()}, nil
	case '0':
		return &value{kind: numberKind, text: token.String()}, nil
	case '"':
		return stringValue(token.String()), nil
	case '[':
		return decodeArray(d, depth)
	case '{':
		return decodeObject(d, depth)
	}
	return &value{}, nil
}

func decodeArray(d *jsontext.Decoder, depth int) (*value, error) {
	v := &value{kind: arrayKind}
	for d.PeekKind() != ']' {
		item, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	_, err := d.ReadToken()
	return v, err
}

func decodeObject(d *jsontext.Decoder, depth int) (*value, error) {
	v := newObject()
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
		v.set(name, item)
	}
	_, err := d.ReadToken()
	return v, err
}

func newObject() *value { return &value{kind: objectKind, fields: map[string]*value{}} }

func stringValue(s string) *value { return &value{kind: stringKind, text: s} }

func (v *value) set(key string, field *value) {
	if _, ok := v.fields[key]; !ok {
		v.keys = append(v.keys, key)
	}
	v.fields[key] = field
}

// get is the field of that name, or nil; also of what is no object.
func (v *value) get(key string) *value {
	if v == nil {
		return nil
	}
	return v.fields[key]
}

func (v *value) has(key string) bool { return v.get(key) != nil }

// hasAny says whether one of the keys is there.
func (v *value) hasAny(keys ...string) bool {
	for _, k := range keys {
		if v.has(k) {
			return true
		}
	}
	return false
}

// list are the items of an array; none of anything else.
func (v *value) list() []*value {
	if v == nil {
		return nil
	}
	return v.items
}

// names are the keys of an object; none of anything else.
func (v *value) names() []string {
	if v == nil {
		return nil
	}
	return v.keys
}

// isEmpty says whether v is an object without fields.
func (v *value) isEmpty() bool { return v.is(objectKind) && len(v.keys) == 0 }

// with is a copy of an object with some fields of another, as far as that has them.
func (v *value) with(other *value, keys ...string) *value {
	out := v.but()
	for _, k := range keys {
		if other.has(k) {
			out.set(k, other.get(k))
		}
	}
	return out
}

// but is a copy of an object without some of its keys.
func (v *value) but(keys ...string) *value {
	out := newObject()
	for _, k := range v.keys {
		if !slices.Contains(keys, k) {
			out.set(k, v.fields[k])
		}
	}
	return out
}

func (v *value) is(kind valueKind) bool { return v != nil && v.kind == kind }

func (v *value) isTrue() bool  { return v.is(boolKind) && v.bool }
func (v *value) isFalse() bool { return v.is(boolKind) && !v.bool }

// strings are the items that are strings.
func (v *value) strings() []string {
	var out []string
	if v == nil {
		return nil
	}
	for _, item := range v.items {
		if item.kind == stringKind {
			out = append(out, item.text)
		}
	}
	return out
}

// Limits of the numbers whose value is known: bytes, and the exponent of ten.
const (
	maxNumber   = 400
	maxExponent = 400
)

// rational is the exact value of a number; nil if v is none, or is beyond all that a schema means.
func (v *value) rational() *big.Rat {
	if !v.is(numberKind) || len(v.text) > maxNumber {
		return nil
	}
	if i := strings.IndexAny(v.text, "eE"); i >= 0 {
		if n, err := strconv.Atoi(v.text[i+1:]); err != nil || max(n, -n) > maxExponent {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(v.text)
	if !ok {
		return nil
	}
	return r
}

// compact writes v without blanks, its strings as models write them: UTF-8, and only escaped what must be.
func (v *value) compact() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *value) write(b *strings.Builder) {
	switch v.kind {
	case nullKind:
		b.WriteString("null")
	case boolKind:
		b.WriteString(strconv.FormatBool(v.bool))
	case numberKind:
		b.WriteString(v.text)
	case stringKind:
		b.WriteString(`"` + escape(v.text, '"') + `"`)
	case arrayKind:
		b.WriteByte('[')
		for i, item := range v.items {
			comma(b, i)
			item.write(b)
		}
		b.WriteByte(']')
	case objectKind:
		b.WriteByte('{')
		for i, k := range v.keys {
			comma(b, i)
			b.WriteString(`"` + escape(k, '"') + `":`)
			v.fields[k].write(b)
		}
		b.WriteByte('}')
	}
}

func comma(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

// escape writes s as the inside of a string between quotes.
func escape(s string, quote rune) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == quote || r == '\\' || r == utf8.RuneError }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteString(escapeChar(r, quote))
	}
	return b.String()
}

func escapeChar(r, quote rune) string {
	if i := strings.IndexRune("\b\f\n\r\t", r); i >= 0 {
		return `\` + "bfnrt"[i:i+1]
	}
	switch {
	case r == quote || r == '\\':
		return `\` + string(r)
	case r < ' ':
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}
