package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// mergeMembers is a, with the members that a and b name, and what others must be.
func (c *Document) mergeMembers(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	out := a.But()
	for _, key := range []string{"properties", "patternProperties"} {
		named, err := c.mergeNamed(a, b, key, path)
		if err != nil {
			return nil, err
		}
		if len(named.Keys) > 0 || a.Has(key) || b.Has(key) {
			out.Set(key, named)
		}
	}
	more, err := c.Both(a.Get("additionalProperties"), b.Get("additionalProperties"), jsonschema.Pointer(path, "additionalProperties"))
	if more != nil {
		out.Set("additionalProperties", more)
	}
	return out, err
}

// mergeNamed are the members that a and b name under key. What one of them does not name follows what it says of others.
func (c *Document) mergeNamed(a, b *jsonschema.Value, key, path string) (*jsonschema.Value, error) {
	out := jsonschema.NewObject()
	for _, s := range []*jsonschema.Value{a, b} {
		for _, name := range s.Get(key).Names() {
			if out.Has(name) {
				continue
			}
			where := jsonschema.Pointer(jsonschema.Pointer(path, key), name)
			v, err := c.Both(c.named(a, key, name, path), c.named(b, key, name, path), where)
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

// named is what s says of a member; nil if nothing. That a schema allows no other members than its own would leave nothing
// where several schemas must hold together and each names its own: it is taken to be meant for all of them together.
func (c *Document) named(s *jsonschema.Value, key, name, path string) *jsonschema.Value {
	open := s.Get("additionalProperties")
	switch {
	case s.Get(key).Has(name):
		return s.Get(key).Get(name)
	case open == nil || key == "properties" && len(c.PatternsOf(s, name)) > 0:
		return nil
	case open.IsFalse():
		c.Note(jsonschema.Pointer(path, "additionalProperties"), "not enforced for the members of other schemas that must hold, too")
		return nil
	}
	return open
}

// Both is v and w together; nil if there is neither.
func (c *Document) Both(v, w *jsonschema.Value, path string) (*jsonschema.Value, error) {
	switch {
	case v == nil:
		return w, nil
	case w == nil:
		return v, nil
	}
	return c.Merge(v, w, path)
}

// mergeItems adds the items of a and b to out, each together with the one at the same place.
func (c *Document) mergeItems(out, a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
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
		v, err := c.Both(item(fixed, more, i), item(others, otherMore, i), jsonschema.Pointer(path, "prefixItems", i))
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
	rest, err := c.Both(more, otherMore, jsonschema.Pointer(path, "items"))
	if IsContradiction(err) {
		rest, err = jsonschema.NewBool(false), nil
	}
	if rest != nil {
		out.Set("items", rest)
	}
	return out, err
}
