package grammar

import (
	"encoding/json"
	"slices"
)

// kinds is a set of the types of JSON Schema.
type kinds uint8

const (
	nullType kinds = 1 << iota
	boolType
	integerType
	fractionType // numbers that are no integers
	stringType
	arrayType
	objectType
	anyType = nullType | boolType | integerType | fractionType | stringType | arrayType | objectType
)

// typeNames are the types by their names.
var typeNames = map[string]kinds{
	"null": nullType, "boolean": boolType, "integer": integerType, "number": integerType | fractionType,
	"string": stringType, "array": arrayType, "object": objectType,
}

// namedKinds are the types that a type, or list of types, names.
func namedKinds(types *value) kinds {
	out := typeNames[types.text]
	for _, name := range types.strings() {
		out |= typeNames[name]
	}
	return out
}

// kindOf is the type of a value.
func kindOf(v *value) kinds {
	if r := v.rational(); v.kind == numberKind && r != nil && !r.IsInt() {
		return fractionType
	}
	return [...]kinds{nullType, boolType, integerType, stringType, arrayType, objectType}[v.kind]
}

// hasType says whether v is of one of types.
func hasType(v, types *value) bool { return kindOf(v)&namedKinds(types) != 0 }

// kinds are the types of the values that may follow s, or more than those.
func (c *converter) kinds(s *value) kinds {
	switch {
	case s.isFalse():
		return 0
	case !s.is(objectKind):
		return anyType
	}
	if known, ok := c.kindsOf[s]; ok {
		return known
	}
	c.kindsOf[s] = anyType // what it is within itself
	out := c.ownKinds(s)
	if s.get("nullable").isTrue() {
		out |= nullType
	}
	c.kindsOf[s] = out
	return out
}

func (c *converter) ownKinds(s *value) kinds {
	out := anyType
	if s.hasAny("const", "enum") {
		out = 0
		for _, v := range constantsIn(s) {
			out |= kindOf(v)
		}
	}
	if s.has("type") {
		if both := out & namedKinds(s.get("type")); both != 0 || !s.hasAny("const", "enum") {
			out = both
		}
	} else if implied := typeNames[impliedType(s)]; implied != 0 && out == anyType {
		out = implied
	}
	if s.get("$ref").is(stringKind) {
		if target, err := c.resolve(s.get("$ref").text, "#"); err == nil {
			out &= c.kinds(target)
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if s.has(key) {
			var any kinds
			for _, one := range s.get(key).items {
				any |= c.kinds(one)
			}
			out &= any
		}
	}
	for _, one := range s.get("allOf").list() {
		out &= c.kinds(one)
	}
	return out
}

// complemented is s with the types that are left where "not" rules out all values of some types; false where none is left.
func (c *converter) complemented(s *value) *value {
	out := s.get("not")
	switch {
	case out == nil:
		return s
	case out.isTrue(), out.isEmpty():
		return &value{kind: boolKind}
	case c.kinds(s)&^(boolType|nullType) == 0 && out.hasAny("const", "enum"):
		return c.enumerated(s)
	case !out.is(objectKind) || len(out.keys) > 1 || !out.has("type"):
		return s
	}
	ruledOut := namedKinds(out.get("type"))
	if ruledOut&(integerType|fractionType) == integerType {
		return s // no type has the other numbers
	}
	left := &value{kind: arrayKind}
	for _, name := range []string{"object", "array", "string", "number", "integer", "boolean", "null"} {
		kind := typeNames[name]
		if c.kinds(s)&^ruledOut&kind == kind && (name != "integer" || c.kinds(s)&fractionType == 0) {
			left.items = append(left.items, stringValue(name))
		}
	}
	if len(left.items) == 0 {
		return &value{kind: boolKind}
	}
	s = s.but("not")
	s.set("type", left)
	return s
}

// enumerated is s, which only allows booleans and null, with an enumeration of these.
func (c *converter) enumerated(s *value) *value {
	all := &value{kind: arrayKind}
	for _, v := range []*value{{kind: boolKind, bool: true}, {kind: boolKind}, {}} {
		if c.kinds(s)&kindOf(v) != 0 {
			all.items = append(all.items, v)
		}
	}
	s = s.but()
	s.set("enum", all)
	return s
}

// ResolvesToString says whether a value that follows schema is, or may be, a string: by its type or one of its types, by
// keywords that only strings have, by a constant, by one of its alternatives, or by all the parts that must hold together.
// A schema that cannot be read does not.
func ResolvesToString(schema json.RawMessage) bool {
	root, err := decode(schema)
	if err != nil {
		return false
	}
	localise(root, schema)
	return resolvesToString(root, root, 0)
}

func resolvesToString(root, s *value, depth int) bool {
	if !s.is(objectKind) || depth > maxReferences {
		return false
	}
	resolves := func(v *value) bool { return resolvesToString(root, v, depth+1) }
	switch {
	case s.get("$ref").is(stringKind):
		target, err := (&converter{root: root}).resolve(s.get("$ref").text, "#")
		return err == nil && resolves(target)
	case s.has("type"):
		return namedKinds(s.get("type"))&stringType != 0
	case s.has("const"):
		return s.get("const").is(stringKind)
	case s.get("enum").is(arrayKind):
		return len(s.get("enum").strings()) > 0
	case s.get("anyOf").is(arrayKind):
		return slices.ContainsFunc(s.get("anyOf").items, resolves)
	case s.get("oneOf").is(arrayKind):
		return slices.ContainsFunc(s.get("oneOf").items, resolves)
	case s.get("allOf").is(arrayKind):
		return len(s.get("allOf").items) > 0 && !slices.ContainsFunc(s.get("allOf").items, func(v *value) bool { return !resolves(v) })
	}
	return s.hasAny("minLength", "maxLength", "pattern") || knownFormat(s.get("format"))
}
