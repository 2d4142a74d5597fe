package jsonschema

import (
	"math"
	"math/big"
	"slices"
)

// Property is a property that an object schema declares.
type Property struct {
	Name   string
	Schema Schema
}

// Properties returns the properties of an object schema in their own order.
func (s Schema) Properties() []Property {
	var out []Property
	seen := map[string]bool{}
	for _, part := range s.parts(Object) {
		for name, value := range part.Get("properties").All() {
			if !seen[name] {
				seen[name] = true
				out = append(out, Property{name, s.at(value)})
			}
		}
	}
	return out
}

// Required returns the names of the properties that an object schema requires.
func (s Schema) Required() []string {
	var all []string
	for _, part := range s.parts(Object) {
		if required := part.Get("required"); len(required.Strings()) == len(required.List()) {
			all = append(all, required.Strings()...)
		}
	}
	return all
}

// Additional returns the schema of properties that are not declared; false if there are none. A schema that declares properties
// allows others only if it says so, unlike in JSON Schema: {"properties": {}} allows none.
func (s Schema) Additional() (Schema, bool) {
	declared := false
	for _, part := range s.parts(Object) {
		if a := part.Get("additionalProperties"); a != nil {
			return s.at(a), !a.IsFalse()
		}
		declared = declared || part.Get("properties").Is(Object)
	}
	return Schema{}, !declared
}

// Items returns the schema of the items of an array.
func (s Schema) Items() Schema { return s.at(resolved(s.value(), s.root()).Get("items")) }

// ItemCount returns how many items an array may have; most < 0 means any number.
func (s Schema) ItemCount() (least, most int) {
	least, most = 0, -1
	for _, part := range s.parts(Array) {
		if n, ok := part.Get("minItems").count(); ok {
			least = max(least, n)
		}
		if n, ok := part.Get("maxItems").count(); ok && (most < 0 || n < most) {
			most = n
		}
	}
	return least, most
}

// count returns a number of items or members; not ok if v is none.
func (v *Value) count() (n int, ok bool) {
	r := v.Rational()
	if r == nil || !r.IsInt() || !r.Num().IsInt64() || r.Sign() < 0 {
		return 0, false
	}
	return int(min(r.Num().Int64(), math.MaxInt32)), true
}

// Enum returns the values to which the keyword "enum" restricts the schema, as JSON.
func (s Schema) Enum() (values []string) {
	for _, v := range resolved(s.value(), s.root()).Get("enum").List() {
		values = append(values, string(v.JSON()))
	}
	return values
}

// Unread returns the keywords of an object schema that Properties, Required and Additional ignore, so that a program that
// parses the properties one by one does not enforce them.
func (s Schema) Unread() (names []string) {
	for i, part := range s.parts(Object) {
		for name, value := range part.All() {
			if keywords[name].together && !value.IsEmpty() && !s.reads(part, i == 0, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reads reports whether such a keyword of a part is covered nevertheless, because parts follows it or the required properties
// satisfy it. own is set for the part that is s itself.
func (s Schema) reads(part *Value, own bool, keyword string) bool {
	switch keyword {
	case "allOf":
		return own
	case "anyOf", "oneOf":
		return own && s.branch(part, keyword, Object) != nil
	case "minProperties":
		least := part.Get(keyword).Rational()
		return least != nil && least.Cmp(big.NewRat(int64(len(s.Required())), 1)) <= 0
	}
	return false
}

// unions are the keywords of which one branch holds.
var unions = []string{"anyOf", "oneOf"}

// parts returns the schemas that s combines for values of a kind: itself, all of allOf, and a branch that alone allows the kind.
func (s Schema) parts(kind Kinds) []*Value {
	own := resolved(s.value(), s.root())
	out := []*Value{own}
	for _, b := range own.Get("allOf").List() {
		out = append(out, resolved(b, s.root()))
	}
	for _, keyword := range unions {
		if b := s.branch(own, keyword, kind); b != nil {
			out = append(out, resolved(b, s.root()))
		}
	}
	return out
}

// branch returns the branch of a union of v that alone allows some of kinds; nil if there are none or several.
func (s Schema) branch(v *Value, keyword string, kinds Kinds) (found *Value) {
	for _, b := range v.Get(keyword).List() {
		if kindsOf(b, s.root())&kinds == 0 {
			continue
		}
		if found != nil {
			return nil
		}
		found = b
	}
	return found
}
