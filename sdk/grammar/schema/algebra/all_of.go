package algebra

import (
	"slices"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
)

// AllOf merges the subschemas and what stands beside them into one schema, and says where that stands.
func (c *Document) AllOf(s *value.Value, path string) (*value.Value, string, error) {
	beside := c.Constraints(s.But("allOf"))
	listed := s.Get("allOf").Items
	if beside == nil && len(listed) == 1 {
		return listed[0], value.At(path, "allOf", 0), nil
	}
	if beside == nil {
		beside = value.NewObject()
	}
	parts, err := c.allResolved(listed, value.At(path, "allOf"))
	if err != nil {
		return nil, "", err
	}
	implicit := len(parts) > 1 && !beside.Has("required") && !slices.ContainsFunc(parts, func(p *value.Value) bool { return p.Has("required") })
	merged := beside.But(Unevaluated...)
	for i, part := range parts {
		if alternatives := optionalProperties(c, part); alternatives != nil {
			part = alternatives
		} else if implicit && part.Has("properties") {
			part = requireAll(part)
		}
		if merged, err = c.Merge(merged, part, value.At(path, "allOf", i)); err != nil {
			return nil, "", err
		}
	}
	if merged.IsTrue() {
		merged = value.NewObject()
	}
	if merged.Is(value.Object) {
		merged = merged.With(beside, Unevaluated...)
	}
	return merged, path, nil
}

func (c *Document) allResolved(parts []*value.Value, path string) ([]*value.Value, error) {
	out := make([]*value.Value, len(parts))
	for i, p := range parts {
		var err error
		if out[i], err = c.Resolved(p, path+"/"+strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// requireAll is s with all its properties required: what several schemas together describe is meant to be there.
func requireAll(s *value.Value) *value.Value {
	out := s.But()
	names := &value.Value{Kind: value.Array}
	for _, k := range s.Get("properties").Keys {
		names.Items = append(names.Items, value.NewString(k))
	}
	out.Set("required", names)
	return out
}

// optionalProperties turns alternatives that only add properties into one schema with all of them, none required; nil if
// part is something else.
func optionalProperties(c *Document, part *value.Value) *value.Value {
	if !part.Is(value.Object) || len(part.Keys) != 1 || !part.Has("anyOf") {
		return nil
	}
	properties := value.NewObject()
	for _, one := range part.Get("anyOf").Items {
		one, err := c.Resolved(one, "#")
		if err != nil || !one.Get("properties").Is(value.Object) || c.Constraints(one.But("properties", "type")) != nil {
			return nil
		}
		for _, k := range one.Get("properties").Keys {
			properties.Set(k, one.Get("properties").Fields[k])
		}
	}
	out := value.NewObject()
	out.Set("properties", properties)
	out.Set("required", &value.Value{Kind: value.Array})
	return out
}
