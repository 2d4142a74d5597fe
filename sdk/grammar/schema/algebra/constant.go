package algebra

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Constants are the values of s that const or enum lists, as far as they fit what stands beside. If none has the type
// that stands there, it is not enforced: lists of numbers beside the type of strings, and the like, are meant as they stand.
func (c *Document) Constants(s *jsonschema.Value, path string) ([]*jsonschema.Value, error) {
	listed, beside := s.Get("enum").List(), c.Constraints(s.But("enum"))
	if s.Has("const") {
		listed, beside = []*jsonschema.Value{s.Get("const")}, c.Constraints(s.But("const"))
	}
	if beside == nil {
		return listed, nil
	}
	if values := c.fitting(listed, beside, path); len(values) > 0 {
		return values, nil
	}
	if values := c.fitting(listed, beside.But("type"), path); len(values) > 0 && beside.Has("type") {
		c.Note(jsonschema.Pointer(path, "type"), "not enforced: no constant has this type")
		return values, nil
	}
	return nil, Contradiction(path, "no constant satisfies the other keywords")
}

// fitting are the values that fit s. Keywords of which that is not known are noted.
func (c *Document) fitting(values []*jsonschema.Value, s *jsonschema.Value, path string) []*jsonschema.Value {
	var out []*jsonschema.Value
	for _, v := range values {
		fits := Yes
		for _, k := range s.Keys {
			one := c.keywordFits(v, k, s, 0)
			if fits = fits.and(one); one == unknown {
				c.Note(jsonschema.Pointer(path, k), "not enforced beside constants")
			}
		}
		if fits != No {
			out = append(out, v)
		}
	}
	return out
}

// StringsAmong are those of values that are strings.
func StringsAmong(values []*jsonschema.Value) []string {
	return jsonschema.NewArray(values...).Strings()
}

// ConstantNames are the names that a schema of names lists; nil if it lists none.
func ConstantNames(s *jsonschema.Value) []*jsonschema.Value {
	if s.HasAny("const", "enum") {
		return ConstantsIn(s)
	}
	return nil
}

func ConstantsIn(s *jsonschema.Value) []*jsonschema.Value {
	if s.Has("const") {
		return []*jsonschema.Value{s.Get("const")}
	}
	return s.Get("enum").Items
}
