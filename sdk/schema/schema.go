// Package schema reads JSON Schemas for those who build programs of them.
//
// The grammar of a JSON value is made from its schema elsewhere (package grammar). But where a format does not write
// arguments as JSON, a program needs to know the schema's shape: which properties there are, which are required, what kinds
// of values a property has, and what remains of its schema for values of one kind.
//
//	{"type":"object","properties":{"a":{"type":["string","null"],"maxLength":9}},"required":["a"]}
//	  Properties()        → a
//	  a.Kinds()           → string|null
//	  a.Only(StringValue) → {"type":"string","maxLength":9}
//
// Nothing here fails: a schema that makes no sense allows everything, and whether it can be held to is said where the
// grammar is made.
//
// Words that must not be confused: a *kind* is one of the six kinds of JSON values, a *type* the keyword of that name; a
// *branch* is a schema within anyOf, oneOf or allOf.
package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Schema is a JSON Schema within a document, which its references lead into. The zero value allows everything.
type Schema struct {
	raw json.RawMessage
	in  *document
}

// document is what all schemas within it share: each object of it is taken apart once.
type document struct {
	root json.RawMessage

	mu    sync.Mutex
	known map[string][]chat.Field // the members of an object
}

func (d *document) members(raw json.RawMessage) []chat.Field {
	if d == nil {
		return members(raw)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	out, ok := d.known[string(raw)]
	if !ok {
		out = members(raw)
		d.known[string(raw)] = out
	}
	return out
}

// Property is a property that an object schema declares.
type Property struct {
	Name   string
	Schema Schema
}

// maxReferences is how many references are followed one after the other, and how deep branches nest.
const maxReferences = 32

// maxBranches is how many branches are looked at for the kinds of a schema; one with more of them allows everything.
const maxBranches = 1024

// New is the schema of a whole document.
func New(text json.RawMessage) Schema {
	text = bytes.TrimSpace(text)
	return Schema{text, &document{root: text, known: map[string][]chat.Field{}}}
}

// Key tells schemas apart: those with equal keys are equal.
func (s Schema) Key() string {
	if !s.refers() {
		return string(s.raw)
	}
	return string(s.raw) + "\x00" + string(s.root())
}

// Properties lists the properties of an object schema in their own order.
func (s Schema) Properties() []Property {
	var out []Property
	for _, part := range s.parts() {
		for _, p := range s.in.members(part.member("properties")) {
			if !slices.ContainsFunc(out, func(known Property) bool { return known.Name == p.Name }) {
				out = append(out, Property{p.Name, s.at(p.Value)})
			}
		}
	}
	return out
}

// Required lists the names of the properties that an object schema requires.
func (s Schema) Required() []string {
	var all []string
	for _, part := range s.parts() {
		var names []string
		if json.Unmarshal(part.member("required"), &names) == nil {
			all = append(all, names...)
		}
	}
	return all
}

// Additional is the schema of properties that are not declared; false: there are none. Schemas that declare properties are
// taken at their word: others are allowed only where they say so.
func (s Schema) Additional() (Schema, bool) {
	for _, part := range s.parts() {
		if a := part.member("additionalProperties"); a != nil {
			return s.at(a), string(a) != "false"
		}
	}
	return Schema{}, len(s.Properties()) == 0
}

// together are keywords that say something of the properties of an object together, or of those that it does not name.
var together = []string{"allOf", "anyOf", "oneOf", "not", "if", "minProperties", "maxProperties", "patternProperties",
	"propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"}

// Unread lists the keywords of an object schema that Properties, Required and Additional leave out: what reads the properties
// one by one does not hold to them.
func (s Schema) Unread() (names []string) {
	named := func(keyword string) bool { return bytes.Contains(s.root(), []byte(`"`+keyword+`"`)) }
	if !slices.ContainsFunc(together, named) { // as in most schemas, which need not be taken apart
		return nil
	}
	for i, part := range s.parts() {
		for _, name := range together {
			if raw := part.member(name); raw != nil && string(raw) != "{}" && !s.reads(part, i == 0, name, raw) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reads says whether a keyword of a part is taken in all the same: what parts looks into, and what the required ones fulfil.
func (s Schema) reads(part Schema, own bool, name string, raw json.RawMessage) bool {
	switch name {
	case "allOf":
		return own
	case "anyOf", "oneOf":
		_, ok := part.branch(name, peg.ObjectValue)
		return own && ok
	case "minProperties":
		var least float64
		return json.Unmarshal(raw, &least) == nil && least <= float64(len(s.Required()))
	}
	return false
}

// annotations are keywords that say nothing of what is valid.
var annotations = []string{"description", "title", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly"}

// Bare is the schema without annotations of its own, so that schemas that differ in nothing else are equal.
func (s Schema) Bare() Schema {
	annotated := func(m chat.Field) bool { return slices.Contains(annotations, m.Name) }
	if !slices.ContainsFunc(s.members(), annotated) {
		return s
	}
	return s.at(object(slices.DeleteFunc(slices.Clone(s.members()), annotated)))
}

// Items is the schema of the items of an array.
func (s Schema) Items() Schema { return s.at(s.resolved().member("items")) }

// parts are s and what it is put together from, where it describes an object: all of allOf, and a branch that alone does.
func (s Schema) parts() []Schema {
	own := s.resolved()
	out := []Schema{own}
	for _, b := range own.list("allOf") {
		out = append(out, b.resolved())
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if b, ok := own.branch(keyword, peg.ObjectValue); ok {
			out = append(out, b.resolved())
		}
	}
	return out
}

// branch is the one branch of a union that allows a kind.
func (s Schema) branch(keyword string, kind peg.Values) (Schema, bool) {
	var found []Schema
	for _, b := range s.list(keyword) {
		if b.Kinds()&kind != 0 {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		return Schema{}, false
	}
	return found[0], true
}

// Only is the schema that allows what s allows of some kinds, for use by itself; nil allows everything of them.
func (s Schema) Only(kinds peg.Values) json.RawMessage {
	switch {
	case s.raw == nil:
		return nil
	case s.Kinds()&^kinds == 0:
		return s.standalone()
	case kinds == peg.StringValue:
		return s.strings()
	}
	var names []string
	for _, k := range kindNames {
		if k.name != "integer" && s.Kinds()&kinds&k.kind != 0 {
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
func (s Schema) strings() json.RawMessage {
	own := s.resolved()
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if b, ok := own.branch(keyword, peg.StringValue); ok && b.Kinds() == peg.StringValue { // any other may lead back here
			return b.standalone()
		}
	}
	fields := []chat.Field{{Name: "type", Value: json.RawMessage(`"string"`)}}
	for _, m := range own.members() {
		switch m.Name {
		case "type", "anyOf", "oneOf":
			continue
		case "enum":
			m.Value = array(slices.DeleteFunc(items(m.Value), func(v json.RawMessage) bool { return kindOf(v) != peg.StringValue }))
		}
		fields = append(fields, m)
	}
	return s.at(object(fields)).standalone()
}

// refers says whether there is a reference in s.
func (s Schema) refers() bool { return bytes.Contains(s.raw, []byte(`"$ref"`)) }

// resolved follows the references of s to a schema that is none; one that leads nowhere allows everything.
func (s Schema) resolved() Schema {
	for range maxReferences {
		var ref string
		if raw := s.member("$ref"); raw == nil || json.Unmarshal(raw, &ref) != nil {
			return s
		}
		s = s.pointer(ref)
	}
	return s.at(nil)
}

// pointer is the schema that a reference of the form #/a/b leads to.
func (s Schema) pointer(ref string) Schema {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return s.at(nil)
	}
	at := s.at(s.root())
	for _, step := range strings.Split(path, "/")[1:] {
		at = s.at(at.member(unescaped(step)))
	}
	return at
}

// root is the whole document.
func (s Schema) root() json.RawMessage {
	if s.in == nil {
		return nil
	}
	return s.in.root
}

// members are the keywords of the schema with their values.
func (s Schema) members() []chat.Field { return s.in.members(s.raw) }

// at is another schema in the same document.
func (s Schema) at(raw json.RawMessage) Schema { return Schema{bytes.TrimSpace(raw), s.in} }

// member is the value of a keyword, nil if there is none.
func (s Schema) member(name string) json.RawMessage {
	for _, m := range s.members() {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// list is the value of a keyword that lists schemas.
func (s Schema) list(keyword string) []Schema {
	var out []Schema
	for _, raw := range items(s.member(keyword)) {
		out = append(out, s.at(raw))
	}
	return out
}
