package algebra

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Tuple returns the schemas of the first items and that of the others, which is nil if unspecified.
func Tuple(s *jsonschema.Value) (fixed []*jsonschema.Value, items *jsonschema.Value) {
	prefix, items := s.Get("prefixItems"), s.Get("items")
	switch {
	case items.Is(jsonschema.Array):
		return items.Items, s.Get("additionalItems")
	case prefix.Is(jsonschema.Array):
		return prefix.Items, items
	case items == nil && prefix.Is(jsonschema.Object):
		return nil, prefix
	}
	return nil, items
}

// ItemCounts returns the bounds on the number of items, and the schema of the items after the fixed
// ones; nil if there are none. All fixed items are required unless a bound asks for fewer, and
// there are no others unless s describes them or a bound asks for more.
func ItemCounts(s *jsonschema.Value, fixed int, items *jsonschema.Value) (lo, hi int, more *jsonschema.Value) {
	lo, hi = Count(s.Get("minItems"), fixed), Count(s.Get("maxItems"), -1)
	switch {
	case items.IsFalse():
		return lo, hi, nil
	case items == nil && (fixed == 0 || lo > fixed || hi > fixed):
		return lo, hi, jsonschema.NewBool(true)
	}
	return lo, hi, items
}

// PatternsOf returns the patterns in patternProperties that a name matches.
func (d *Document) PatternsOf(s *jsonschema.Value, name string) []string {
	var out []string
	for _, source := range s.Get("patternProperties").Names() {
		if d.Matches(source, name) == Yes {
			out = append(out, source)
		}
	}
	return out
}

// Property is a member that an object may have.
type Property struct {
	Name     string
	Schema   *jsonschema.Value
	Path     string
	Required bool
}

// Properties returns the members that s names, and the schema of additional ones: nil or false if
// there are none. Without properties an object is open, and with them it is closed, unless s says
// otherwise.
func (d *Document) Properties(s *jsonschema.Value, path string) ([]Property, *jsonschema.Value) {
	declared, open := s.Get("properties"), s.Get("additionalProperties")
	needed := s.Get("required").Strings()
	if declared == nil && open == nil && !s.Has("patternProperties") {
		open = jsonschema.NewBool(true)
	}
	required := make(map[string]bool, len(needed))
	for _, k := range needed {
		required[k] = true
	}
	var props []Property
	if declared != nil {
		within := jsonschema.Pointer(path, "properties")
		for _, k := range declared.Keys {
			props = append(props, Property{k, declared.Get(k), jsonschema.Pointer(within, k), required[k]})
		}
	}
	for _, k := range needed {
		if !declared.Has(k) && required[k] {
			required[k] = false // also if listed twice
			props = append(props, Property{k, d.undeclared(s, k, path), jsonschema.Pointer(path, "required"), true})
		}
	}
	return props, open
}

// undeclared returns the schema of a member that is required but not declared.
func (d *Document) undeclared(s *jsonschema.Value, name, path string) *jsonschema.Value {
	open := s.Get("additionalProperties")
	switch {
	case len(d.PatternsOf(s, name)) > 0 || open == nil:
	case open.IsFalse():
		d.Note(jsonschema.Pointer(path, "additionalProperties"), "not enforced for %q, which is required", name)
	default:
		return open
	}
	return jsonschema.NewBool(true)
}
