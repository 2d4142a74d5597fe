package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// mergeMembers returns a with the members of a and b merged.
func (d *Document) mergeMembers(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	out := a.But()
	for _, key := range []string{"properties", "patternProperties"} {
		named, err := d.mergeNamed(a, b, key, path)
		if err != nil {
			return nil, err
		}
		if len(named.Keys) > 0 || a.Has(key) || b.Has(key) {
			out.Set(key, named)
		}
	}
	more, err := d.Both(a.Get("additionalProperties"), b.Get("additionalProperties"), jsonschema.Pointer(path, "additionalProperties"))
	if more != nil {
		out.Set("additionalProperties", more)
	}
	return out, err
}

// mergeNamed merges the members that a and b declare under key. Members that one of them does not
// declare follow its schema for additional ones.
func (d *Document) mergeNamed(a, b *jsonschema.Value, key, path string) (*jsonschema.Value, error) {
	out := jsonschema.NewObject()
	for _, s := range []*jsonschema.Value{a, b} {
		for _, name := range s.Get(key).Names() {
			if out.Has(name) {
				continue
			}
			where := jsonschema.Pointer(jsonschema.Pointer(path, key), name)
			v, err := d.Both(d.named(a, key, name, path), d.named(b, key, name, path), where)
			if IsContradiction(err) && !slices.Contains(append(a.Get("required").Strings(), b.Get("required").Strings()...), name) {
				v, err = jsonschema.NewBool(false), nil
			}
			if err != nil {
				return nil, err
			}
			out.Set(name, v)
		}
	}
	return out, nil
}

// named returns the schema of a member in s; nil if unspecified. If s forbids additional members
// while another schema that must hold declares some, nothing would be valid; the ban is then
// applied to both together, and noted.
func (d *Document) named(s *jsonschema.Value, key, name, path string) *jsonschema.Value {
	open := s.Get("additionalProperties")
	switch {
	case s.Get(key).Has(name):
		return s.Get(key).Get(name)
	case open == nil || key == "properties" && len(d.PatternsOf(s, name)) > 0:
		return nil
	case open.IsFalse():
		d.Note(jsonschema.Pointer(path, "additionalProperties"), "not enforced for the members of other schemas that must hold, too")
		return nil
	}
	return open
}

// Both merges v and w, either of which may be nil.
func (d *Document) Both(v, w *jsonschema.Value, path string) (*jsonschema.Value, error) {
	switch {
	case v == nil:
		return w, nil
	case w == nil:
		return v, nil
	}
	return d.Merge(v, w, path)
}

// mergeItems merges the items of a and b, position by position, into out.
func (d *Document) mergeItems(out, a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	fixed, more := Tuple(a)
	others, otherMore := Tuple(b)
	if len(fixed)+len(others) == 0 && more == nil && otherMore == nil {
		return out, nil
	}
	item := func(fixed []*jsonschema.Value, more *jsonschema.Value, i int) *jsonschema.Value {
		if i < len(fixed) {
			return fixed[i]
		}
		return more
	}
	out = out.But("prefixItems", "items")
	prefix := jsonschema.NewArray()
	for i := range max(len(fixed), len(others)) {
		v, err := d.Both(item(fixed, more, i), item(others, otherMore, i), jsonschema.Pointer(path, "prefixItems", i))
		if IsContradiction(err) {
			v, err = jsonschema.NewBool(false), nil
		}
		if err != nil {
			return nil, err
		}
		prefix.Items = append(prefix.Items, v)
	}
	if len(prefix.Items) > 0 {
		out.Set("prefixItems", prefix)
	}
	rest, err := d.Both(more, otherMore, jsonschema.Pointer(path, "items"))
	if IsContradiction(err) {
		rest, err = jsonschema.NewBool(false), nil
	}
	if rest != nil {
		out.Set("items", rest)
	}
	return out, err
}
