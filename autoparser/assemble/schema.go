package assemble

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// schema is a JSON Schema within the one of a tool's parameters, which its references lead into. The zero value allows
// everything.
type schema struct {
	raw  json.RawMessage
	root json.RawMessage
	seen *texts
}

// parameter is an argument that a tool declares.
type parameter struct {
	name   string
	schema schema
}

// Limits of what a schema is looked at for its kinds: references and branches within each other, and branches in all. A schema
// that refers to itself, or is made to be large, allows everything beyond them.
const (
	maxReferences = 32
	maxBranches   = 1024
)

// parametersOf lists the properties of an object schema in their own order.
func (t *texts) parametersOf(parameters json.RawMessage) []parameter {
	var out []parameter
	root := schema{parameters, parameters, t}
	for _, part := range append([]schema{root.resolved()}, root.resolved().list("allOf")...) {
		for _, p := range t.membersOf(part.resolved().member("properties")) {
			if !slices.ContainsFunc(out, func(known parameter) bool { return known.name == p.Name }) {
				out = append(out, parameter{p.Name, root.at(p.Value).bare()})
			}
		}
	}
	return out
}

// requiredBy lists the properties that an object schema requires.
func (t *texts) requiredBy(parameters json.RawMessage) []string {
	root := schema{parameters, parameters, t}.resolved()
	var all []string
	for _, part := range append([]schema{root}, root.list("allOf")...) {
		var names []string
		if json.Unmarshal(part.resolved().member("required"), &names) == nil {
			all = append(all, names...)
		}
	}
	return all
}

// annotations are keywords that say nothing of what is valid.
var annotations = []string{"description", "title", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly"}

// bare is the schema without annotations, so that schemas that differ in nothing else are the same.
func (s schema) bare() schema {
	annotated := func(m chat.Field) bool { return slices.Contains(annotations, m.Name) }
	if !slices.ContainsFunc(s.members(), annotated) {
		return s
	}
	return s.at(object(slices.DeleteFunc(slices.Clone(s.members()), annotated)))
}

// key is the same for schemas that mean the same wherever they stand.
func (s schema) key() string {
	if bytes.Contains(s.raw, []byte(`"$ref"`)) {
		return string(s.raw) + string(s.root)
	}
	return string(s.raw)
}

// kinds says which kinds of values the schema allows, as far as its keywords tell.
func (s schema) kinds() peg.Values {
	left := maxBranches
	return s.kindsWithin(maxReferences, &left)
}

func (s schema) kindsWithin(depth int, left *int) peg.Values {
	if *left--; depth == 0 || *left < 0 {
		return peg.AnyJSON
	}
	s = s.resolved()
	kinds := s.ownKinds()
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := s.list(keyword); len(branches) > 0 {
			var union peg.Values
			for _, b := range branches {
				union |= b.kindsWithin(depth-1, left)
			}
			kinds = narrowed(kinds, union)
		}
	}
	for _, b := range s.list("allOf") {
		kinds = narrowed(kinds, b.kindsWithin(depth-1, left))
	}
	return kinds
}

// ownKinds is what the schema says without its branches.
func (s schema) ownKinds() peg.Values {
	kinds := peg.AnyJSON
	if t := s.member("type"); t != nil {
		kinds = narrowed(kinds, typeKinds(t))
	}
	if values := items(s.member("enum")); len(values) > 0 {
		var union peg.Values
		for _, v := range values {
			union |= kindOf(v)
		}
		kinds = narrowed(kinds, union)
	}
	if c := s.member("const"); c != nil {
		kinds = narrowed(kinds, kindOf(c))
	}
	if kinds != peg.AnyJSON {
		return kinds
	}
	for _, m := range s.members() {
		if k, ok := keywordKinds[m.Name]; ok {
			kinds = narrowed(kinds, k)
		}
	}
	return kinds
}

// keywordKinds are keywords that make sense for one kind of value only. Strictly they say nothing of other kinds, but whoever
// writes one without a type means that kind.
var keywordKinds = map[string]peg.Values{
	"properties": peg.ObjectValue, "required": peg.ObjectValue, "additionalProperties": peg.ObjectValue,
	"items": peg.ArrayValue, "prefixItems": peg.ArrayValue, "minItems": peg.ArrayValue, "maxItems": peg.ArrayValue,
	"pattern": peg.StringValue, "minLength": peg.StringValue, "maxLength": peg.StringValue, "format": peg.StringValue,
	"minimum": peg.NumberValue, "maximum": peg.NumberValue, "multipleOf": peg.NumberValue,
}

// narrowed is what both sets allow; a contradiction is taken for a mistake in the second.
func narrowed(a, b peg.Values) peg.Values {
	if a&b == 0 {
		return a
	}
	return a & b
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
	if kinds == 0 {
		return peg.AnyJSON
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

// of is the schema that allows what s allows of the given kinds, for use by itself: its references find their targets.
func (s schema) of(kinds peg.Values) json.RawMessage { return s.ofWithin(kinds, maxReferences) }

func (s schema) ofWithin(kinds peg.Values, depth int) json.RawMessage {
	if s.raw == nil {
		return nil
	}
	if s.kinds()&^kinds == 0 {
		return s.standalone()
	}
	if kinds == peg.StringValue {
		return s.strings(depth)
	}
	var names []string
	for _, k := range kindNames {
		if k.name != "integer" && s.kinds()&kinds&k.kind != 0 {
			names = append(names, k.name)
		}
	}
	out, err := json.Marshal(map[string][]string{"type": names})
	if err != nil {
		return nil
	}
	return out
}

// strings is what s says of strings, where it allows other kinds besides.
func (s schema) strings(depth int) json.RawMessage {
	if depth == 0 {
		return json.RawMessage(`{"type":"string"}`)
	}
	r := s.resolved()
	for _, keyword := range []string{"anyOf", "oneOf"} {
		var found []schema
		for _, b := range r.list(keyword) {
			if b.kinds()&peg.StringValue != 0 {
				found = append(found, b)
			}
		}
		if len(found) == 1 {
			return found[0].ofWithin(peg.StringValue, depth-1)
		}
	}
	var fields []chat.Field
	for _, m := range r.members() {
		switch m.Name {
		case "type", "anyOf", "oneOf":
		case "enum":
			texts := slices.DeleteFunc(items(m.Value), func(v json.RawMessage) bool { return kindOf(v) != peg.StringValue })
			m.Value = list(texts)
			fields = append(fields, m)
		default:
			fields = append(fields, m)
		}
	}
	fields = append([]chat.Field{{Name: "type", Value: json.RawMessage(`"string"`)}}, fields...)
	return s.at(object(fields)).standalone()
}

// standalone is the schema with the definitions that its references may lead to.
func (s schema) standalone() json.RawMessage {
	s = s.resolvedElsewhere()
	if !bytes.Contains(s.raw, []byte(`"$ref"`)) || bytes.Equal(s.raw, s.root) {
		return s.raw
	}
	fields := slices.Clone(s.members())
	root := s.at(s.root)
	for _, name := range []string{"$defs", "definitions"} {
		if defs := root.member(name); defs != nil && s.member(name) == nil {
			fields = append(fields, chat.Field{Name: name, Value: defs})
		}
	}
	return object(fields)
}

// resolvedElsewhere follows a reference that leads to another place than the definitions.
func (s schema) resolvedElsewhere() schema {
	var ref string
	if json.Unmarshal(s.member("$ref"), &ref) != nil || strings.HasPrefix(ref, "#/$defs/") || strings.HasPrefix(ref, "#/definitions/") {
		return s
	}
	return s.resolved()
}

// resolved follows the references of s to a schema that is none; one that leads nowhere allows everything.
func (s schema) resolved() schema {
	for range maxReferences {
		var ref string
		if raw := s.member("$ref"); raw == nil || json.Unmarshal(raw, &ref) != nil {
			return s
		}
		s = s.pointer(ref)
	}
	return s.at(nil)
}

// at is another schema in the same document.
func (s schema) at(raw json.RawMessage) schema {
	return schema{bytes.TrimSpace(raw), s.root, s.seen}
}

func (s schema) members() []chat.Field { return s.seen.membersOf(s.raw) }

func (s schema) member(name string) json.RawMessage {
	for _, m := range s.members() {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// list is the value of a keyword that lists schemas.
func (s schema) list(keyword string) []schema {
	var out []schema
	for _, raw := range items(s.member(keyword)) {
		out = append(out, s.at(raw))
	}
	return out
}

// pointer is the schema that a reference of the form #/a/b leads to.
func (s schema) pointer(ref string) schema {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return s.at(nil)
	}
	at := s.at(s.root)
	for _, step := range strings.Split(path, "/")[1:] {
		at = s.at(at.member(strings.NewReplacer("~1", "/", "~0", "~").Replace(step)))
	}
	return at
}
