package algebra

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Constants returns the values listed by const or enum that satisfy the other keywords. If none has
// the right type, the type is ignored and noted: numbers listed beside the type of strings, and the
// like, are meant as they stand.
func (d *Document) Constants(s *jsonschema.Value, path string) ([]*jsonschema.Value, error) {
	listed, beside := s.Get("enum").List(), d.WithoutAnnotations(s.But("enum"))
	if s.Has("const") {
		listed, beside = []*jsonschema.Value{s.Get("const")}, d.WithoutAnnotations(s.But("const"))
	}
	if beside == nil {
		return listed, nil
	}
	if values := d.fitting(listed, beside, path); len(values) > 0 {
		return values, nil
	}
	if values := d.fitting(listed, beside.But("type"), path); len(values) > 0 && beside.Has("type") {
		d.Note(jsonschema.Pointer(path, "type"), "not enforced: no constant has this type")
		return values, nil
	}
	return nil, Contradiction(path, "no constant satisfies the other keywords")
}

// fitting returns the values that follow s. Keywords for which that is unknown are noted.
func (d *Document) fitting(values []*jsonschema.Value, s *jsonschema.Value, path string) []*jsonschema.Value {
	var out []*jsonschema.Value
	for _, v := range values {
		fits := Yes
		for _, k := range s.Keys {
			one := d.keywordFits(v, k, s, 0)
			if fits = fits.and(one); one == unknown {
				d.Note(jsonschema.Pointer(path, k), "not enforced beside constants")
			}
		}
		if fits != No {
			out = append(out, v)
		}
	}
	return out
}

// StringsAmong returns the strings among values.
func StringsAmong(values []*jsonschema.Value) []string {
	return jsonschema.NewArray(values...).Strings()
}

// ConstantNames returns the names listed by a schema of names, or nil.
func ConstantNames(s *jsonschema.Value) []*jsonschema.Value {
	if s.HasAny("const", "enum") {
		return ConstantsIn(s)
	}
	return nil
}

// ConstantsIn returns the values listed by const or enum.
func ConstantsIn(s *jsonschema.Value) []*jsonschema.Value {
	if s.Has("const") {
		return []*jsonschema.Value{s.Get("const")}
	}
	return s.Get("enum").Items
}
