package jsonschema

import (
	"slices"
	"strings"
)

// Kinds is a set of the six kinds of JSON values.
type Kinds uint8

// The kinds of JSON values.
const (
	Object Kinds = 1 << iota
	Array
	String
	Number
	Bool
	Null

	// Any is all of them.
	Any = Object | Array | String | Number | Bool | Null
)

// kindNames are the names of the kinds, and of a value of the kind in messages, in the order of the bits.
var kindNames = [...]struct{ name, value string }{
	{"object", "an object"}, {"array", "an array"}, {"string", "a string"}, {"number", "a number"}, {"bool", "a boolean"}, {"null", "null"},
}

// String returns the names of the kinds, joined by "|".
func (k Kinds) String() string {
	var names []string
	for i, n := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, "|")
}

// Noun returns the kinds as messages name them: "a string or an array".
func (k Kinds) Noun() string {
	var names []string
	for _, kind := range []Kinds{String, Number, Bool, Object, Array, Null} {
		for i, n := range kindNames {
			if k&kind == 1<<i {
				names = append(names, n.value)
			}
		}
	}
	return strings.Join(names, " or ")
}

// types are the names that the keyword "type" has for kinds.
var types = []struct {
	name string
	kind Kinds
}{
	{"string", String}, {"number", Number}, {"integer", Number}, {"boolean", Bool}, {"null", Null}, {"object", Object}, {"array", Array},
}

// typeKinds returns the kinds that the value of the keyword "type" allows: a name, or a list of names.
func typeKinds(v *Value) (kinds Kinds) {
	if v == nil {
		return 0
	}
	for _, t := range types {
		if v.Is(String) && v.Text == t.name {
			kinds |= t.kind
		}
		for _, name := range v.Strings() {
			if name == t.name {
				kinds |= t.kind
			}
		}
	}
	return kinds
}

// Limits of the shape questions: the length of a chain of references, the depth of nested branches, and the number of branches
// of a schema. A schema that exceeds them allows all kinds.
const (
	maxReferences = 32
	maxBranches   = 1024
)

// Kinds returns the kinds of values that the schema allows, as far as its keywords tell.
func (s Schema) Kinds() Kinds { return kindsOf(s.value(), s.root()) }

// kindsOf returns the kinds that a schema in the document root allows.
func kindsOf(v, root *Value) Kinds {
	left := maxBranches
	return kindsWithin(v, root, maxReferences, &left)
}

func kindsWithin(v, root *Value, depth int, left *int) Kinds {
	if *left--; depth == 0 || *left < 0 {
		return Any
	}
	v = resolved(v, root)
	kinds := ownKinds(v)
	for _, keyword := range unions {
		var union Kinds
		for _, b := range v.Get(keyword).List() {
			union |= kindsWithin(b, root, depth-1, left)
		}
		kinds = narrowed(kinds, union)
	}
	for _, b := range v.Get("allOf").List() {
		kinds = narrowed(kinds, kindsWithin(b, root, depth-1, left))
	}
	return kinds
}

// ownKinds returns the kinds that a schema allows, its branches aside.
func ownKinds(v *Value) Kinds {
	kinds := narrowed(Any, typeKinds(v.Get("type")))
	var union Kinds
	for _, one := range v.Get("enum").List() {
		union |= one.Kind
	}
	if c := v.Get("const"); c != nil {
		union |= c.Kind
	}
	if kinds = narrowed(kinds, union); kinds != Any {
		return kinds
	}
	for _, name := range v.Names() {
		if k := keywords[name]; k.Implies {
			kinds = narrowed(kinds, k.About)
		}
	}
	return kinds
}

// Whole reports whether the types that the schema or its branches name allow no numbers but integers.
func (s Schema) Whole() bool {
	left := maxBranches
	return wholeWithin(s.value(), s.root(), maxReferences, &left)
}

func wholeWithin(v, root *Value, depth int, left *int) bool {
	if *left--; depth == 0 || *left < 0 {
		return false
	}
	v = resolved(v, root)
	names := v.Get("type").Strings()
	if t := v.Get("type"); t != nil && t.Is(String) {
		names = []string{t.Text}
	}
	if slices.Contains(names, "integer") {
		return !slices.Contains(names, "number")
	}
	whole := false
	for _, keyword := range unions {
		for _, b := range v.Get(keyword).List() {
			if numbers := kindsWithin(b, root, depth-1, left)&Number != 0; numbers && !wholeWithin(b, root, depth-1, left) {
				return false
			} else if numbers {
				whole = true
			}
		}
	}
	return whole
}

// narrowed returns the kinds in both sets. An empty set has no effect, and neither has one that contradicts a.
func narrowed(a, b Kinds) Kinds {
	if a&b == 0 {
		return a
	}
	return a & b
}
