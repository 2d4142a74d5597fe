package algebra

import (
	"slices"
	"strconv"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// AllOf merges the subschemas of allOf and the keywords beside it into one schema, and returns its
// path.
func (d *Document) AllOf(s *jsonschema.Value, path string) (*jsonschema.Value, string, error) {
	beside := d.WithoutAnnotations(s.But("allOf"))
	listed := s.Get("allOf").Items
	if beside == nil && len(listed) == 1 {
		return listed[0], jsonschema.Pointer(path, "allOf", 0), nil
	}
	if beside == nil {
		beside = jsonschema.NewObject()
	}
	parts, err := d.allResolved(listed, jsonschema.Pointer(path, "allOf"))
	if err != nil {
		return nil, "", err
	}
	implicit := len(parts) > 1 && !beside.Has("required") && !slices.ContainsFunc(parts, func(p *jsonschema.Value) bool { return p.Has("required") })
	for i, part := range parts {
		if alternatives := optionalProperties(d, part); alternatives != nil {
			parts[i] = alternatives
		} else if implicit && part.Has("properties") {
			parts[i] = requireAll(part)
		}
	}
	merged, err := d.mergeAll(beside.But(Unevaluated...), parts, path, 0)
	if err != nil {
		return nil, "", err
	}
	if merged.IsTrue() {
		merged = jsonschema.NewObject()
	}
	if merged.Is(jsonschema.Object) {
		merged = merged.With(beside, Unevaluated...)
	}
	return merged, path, nil
}

// mergedInTurn is the number of schemas that are merged one after the other.
const mergedInTurn = 16

// mergeAll merges parts, which are those of allOf from number first on, into a schema. Many are merged by halves, so that few
// merges are of large schemas.
func (d *Document) mergeAll(merged *jsonschema.Value, parts []*jsonschema.Value, path string, first int) (*jsonschema.Value, error) {
	var err error
	if half := len(parts) / 2; len(parts) > mergedInTurn {
		if merged, err = d.mergeAll(merged, parts[:half], path, first); err != nil {
			return nil, err
		}
		rest, err := d.mergeAll(jsonschema.NewObject(), parts[half:], path, first+half)
		if err != nil {
			return nil, err
		}
		return d.Merge(merged, rest, jsonschema.Pointer(path, "allOf", first+half))
	}
	for i, part := range parts {
		if merged, err = d.Merge(merged, part, jsonschema.Pointer(path, "allOf", first+i)); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

func (d *Document) allResolved(parts []*jsonschema.Value, path string) ([]*jsonschema.Value, error) {
	out := make([]*jsonschema.Value, len(parts))
	for i, p := range parts {
		var err error
		if out[i], err = d.Resolved(p, path+"/"+strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// requireAll returns s with all its properties required: those that several schemas describe
// together are meant to be present.
func requireAll(s *jsonschema.Value) *jsonschema.Value {
	out := s.But()
	names := jsonschema.NewArray()
	for _, k := range s.Get("properties").Keys {
		names.Items = append(names.Items, jsonschema.NewString(k))
	}
	out.Set("required", names)
	return out
}

// optionalProperties turns alternatives that only add properties into one schema with all of them
// optional; nil if part has another form.
func optionalProperties(d *Document, part *jsonschema.Value) *jsonschema.Value {
	if !part.Is(jsonschema.Object) || len(part.Keys) != 1 || !part.Has("anyOf") {
		return nil
	}
	properties := jsonschema.NewObject()
	for _, one := range part.Get("anyOf").Items {
		one, err := d.Resolved(one, "#")
		if err != nil || !one.Get("properties").Is(jsonschema.Object) || d.WithoutAnnotations(one.But("properties", "type")) != nil {
			return nil
		}
		for _, k := range one.Get("properties").Keys {
			properties.Set(k, one.Get("properties").Get(k))
		}
	}
	out := jsonschema.NewObject()
	out.Set("properties", properties)
	out.Set("required", jsonschema.NewArray())
	return out
}
