package jsonschema

import (
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Value is a JSON value whose objects keep the order of their members, and whose numbers keep their digits. A nil *Value is an
// absent value, which reading methods treat as empty. Values that belong to a Schema must not be changed; Set is for values
// under construction.
type Value struct {
	Kind  Kinds  // exactly one
	Bool  bool   // of a boolean
	Text  string // of a string; the digits of a number
	Items []*Value
	Keys  []string // of an object's members, each once

	fields []*Value       // the values of the members
	index  map[string]int // of the members by name, where they are many
	refers bool           // a "$ref" is in it
	source []byte         // its JSON, if it was read
}

// NewObject returns an object without members.
func NewObject() *Value { return &Value{Kind: Object} }

// NewArray returns an array of items.
func NewArray(items ...*Value) *Value {
	v := &Value{Kind: Array, Items: items}
	for _, item := range items {
		v.refers = v.refers || item.refers
	}
	return v
}

// NewString returns a string.
func NewString(text string) *Value { return &Value{Kind: String, Text: text} }

// NewBool returns a boolean.
func NewBool(b bool) *Value { return &Value{Kind: Bool, Bool: b} }

// manyMembers is the number of members from which an index is worthwhile.
const manyMembers = 12

// Set adds a member to an object under construction, or replaces it at its place.
func (v *Value) Set(name string, value *Value) {
	v.refers = v.refers || name == "$ref" || value.refers
	if i := v.find(name); i >= 0 {
		v.fields[i] = value
		return
	}
	v.Keys, v.fields = append(v.Keys, name), append(v.fields, value)
	if v.index != nil {
		v.index[name] = len(v.Keys) - 1
	} else {
		v.indexMembers()
	}
}

// indexMembers indexes the members of v if they are many.
func (v *Value) indexMembers() {
	if len(v.Keys) < manyMembers {
		return
	}
	v.index = make(map[string]int, 2*len(v.Keys))
	for i, name := range v.Keys {
		v.index[name] = i
	}
}

// find returns the index of a member, -1 without one.
func (v *Value) find(name string) int {
	if v.index != nil {
		if i, ok := v.index[name]; ok {
			return i
		}
		return -1
	}
	return slices.Index(v.Keys, name)
}

// Get returns a member's value; nil without one, or if v is not an object.
func (v *Value) Get(name string) *Value {
	if v == nil {
		return nil
	}
	if i := v.find(name); i >= 0 {
		return v.fields[i]
	}
	return nil
}

// Has reports whether v is an object with that member.
func (v *Value) Has(name string) bool { return v.Get(name) != nil }

// HasAny reports whether v is an object with one of those members.
func (v *Value) HasAny(names ...string) bool { return slices.ContainsFunc(names, v.Has) }

// Is reports whether v is of one of kinds.
func (v *Value) Is(kinds Kinds) bool { return v != nil && v.Kind&kinds != 0 }

// IsTrue reports whether v is true.
func (v *Value) IsTrue() bool { return v.Is(Bool) && v.Bool }

// IsFalse reports whether v is false.
func (v *Value) IsFalse() bool { return v.Is(Bool) && !v.Bool }

// IsEmpty reports whether v is an object without members.
func (v *Value) IsEmpty() bool { return v.Is(Object) && len(v.Keys) == 0 }

// List returns the items of an array.
func (v *Value) List() []*Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// Names returns the names of the members of an object.
func (v *Value) Names() []string {
	if v == nil {
		return nil
	}
	return v.Keys
}

// All iterates over the members of an object in order.
func (v *Value) All() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		for i, name := range v.Names() {
			if !yield(name, v.fields[i]) {
				return
			}
		}
	}
}

// Strings returns the items of an array that are strings.
func (v *Value) Strings() []string {
	var out []string
	for _, item := range v.List() {
		if item.Kind == String {
			out = append(out, item.Text)
		}
	}
	return out
}

// But returns a copy of an object without the members of those names.
func (v *Value) But(names ...string) *Value {
	out := &Value{Kind: Object, Keys: make([]string, 0, len(v.Keys)+1), fields: make([]*Value, 0, len(v.Keys)+1)}
	for name, value := range v.All() {
		if !slices.Contains(names, name) {
			out.Set(name, value)
		}
	}
	return out
}

// With returns a copy of an object with those members of another that it has.
func (v *Value) With(other *Value, names ...string) *Value {
	out := v.But()
	for _, name := range names {
		if value := other.Get(name); value != nil {
			out.Set(name, value)
		}
	}
	return out
}

// Child returns the member or item that one step of a JSON pointer names; nil without one.
func (v *Value) Child(step string) *Value {
	if !v.Is(Array) {
		return v.Get(step)
	}
	for i, item := range v.Items {
		if step == strconv.Itoa(i) {
			return item
		}
	}
	return nil
}

// Limits of the numbers whose value is known: bytes, and the exponent of ten.
const (
	maxNumber   = 400
	maxExponent = 400
)

// Rational returns the exact value of a number; nil if v is not a number, or has an unreasonable number of digits.
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

// Equal reports whether two values are equal for JSON Schema: numbers by value, objects regardless of order.
func (v *Value) Equal(w *Value) bool {
	switch {
	case v.Kind != w.Kind:
		return false
	case v.Kind == Number:
		x, y := v.Rational(), w.Rational()
		return v.Text == w.Text || x != nil && y != nil && x.Cmp(y) == 0
	case v.Kind == Object:
		return len(v.Keys) == len(w.Keys) && !slices.ContainsFunc(v.Keys, func(name string) bool {
			return !w.Has(name) || !v.Get(name).Equal(w.Get(name))
		})
	}
	return v.Text == w.Text && v.Bool == w.Bool && slices.EqualFunc(v.Items, w.Items, (*Value).Equal)
}
