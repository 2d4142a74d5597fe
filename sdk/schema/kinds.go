package schema

import (
	"encoding/json"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Kinds says which kinds of values the schema allows, as far as its keywords tell.
func (s Schema) Kinds() peg.Values {
	left := maxBranches
	return s.kindsWithin(maxReferences, &left)
}

func (s Schema) kindsWithin(depth int, left *int) peg.Values {
	if *left--; depth == 0 || *left < 0 {
		return peg.AnyJSON
	}
	s = s.resolved()
	kinds := s.ownKinds()
	for _, keyword := range []string{"anyOf", "oneOf"} {
		var union peg.Values
		for _, b := range s.list(keyword) {
			union |= b.kindsWithin(depth-1, left)
		}
		kinds = narrowed(kinds, union)
	}
	for _, b := range s.list("allOf") {
		kinds = narrowed(kinds, b.kindsWithin(depth-1, left))
	}
	return kinds
}

// ownKinds is what the schema says without its branches.
func (s Schema) ownKinds() peg.Values {
	kinds := narrowed(peg.AnyJSON, typeKinds(s.member("type")))
	var union peg.Values
	for _, v := range items(s.member("enum")) {
		union |= kindOf(v)
	}
	if c := s.member("const"); c != nil {
		union |= kindOf(c)
	}
	if kinds = narrowed(kinds, union); kinds != peg.AnyJSON {
		return kinds
	}
	for _, m := range s.members() {
		kinds = narrowed(kinds, keywordKinds[m.Name])
	}
	return kinds
}

// narrowed is what both sets allow. A set that allows nothing says nothing, and a contradiction is taken for a mistake in
// the second.
func narrowed(a, b peg.Values) peg.Values {
	if a&b == 0 {
		return a
	}
	return a & b
}

// keywordKinds are keywords that make sense for one kind of value only. Strictly they say nothing of other kinds, but whoever
// writes one without a type means that kind.
var keywordKinds = map[string]peg.Values{
	"properties": peg.ObjectValue, "required": peg.ObjectValue, "additionalProperties": peg.ObjectValue,
	"items": peg.ArrayValue, "prefixItems": peg.ArrayValue, "minItems": peg.ArrayValue, "maxItems": peg.ArrayValue,
	"pattern": peg.StringValue, "minLength": peg.StringValue, "maxLength": peg.StringValue, "format": peg.StringValue,
	"minimum": peg.NumberValue, "maximum": peg.NumberValue, "multipleOf": peg.NumberValue,
}

var kindNames = []struct {
	name string
	kind peg.Values
}{
	{"string", peg.StringValue}, {"number", peg.NumberValue}, {"integer", peg.NumberValue}, {"boolean", peg.BoolValue},
	{"null", peg.NullValue}, {"object", peg.ObjectValue}, {"array", peg.ArrayValue},
}

// typeKinds reads the value of the keyword type: a name or a list of names.
func typeKinds(t json.RawMessage) peg.Values {
	names := items(t)
	if names == nil {
		names = []json.RawMessage{t}
	}
	var kinds peg.Values
	for _, n := range names {
		for _, k := range kindNames {
			if string(n) == `"`+k.name+`"` {
				kinds |= k.kind
			}
		}
	}
	return kinds
}

// kindOf is the kind of a JSON value.
func kindOf(v json.RawMessage) peg.Values {
	switch v[0] {
	case '"':
		return peg.StringValue
	case '{':
		return peg.ObjectValue
	case '[':
		return peg.ArrayValue
	case 't', 'f':
		return peg.BoolValue
	case 'n':
		return peg.NullValue
	}
	return peg.NumberValue
}
