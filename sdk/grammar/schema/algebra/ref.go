package algebra

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
)

// Resolve finds what a JSON pointer in a fragment points to.
func (c *Document) Resolve(ref, path string) (*value.Value, error) {
	v := c.root
	for _, step := range value.Pointer(ref) {
		if v = v.Child(step); v == nil {
			return nil, Errorf(value.At(path, "$ref"), "%q points to nothing in this schema", ref)
		}
	}
	if len(ref) > 1 && ref[1] != '/' {
		return nil, Errorf(value.At(path, "$ref"), "%q names no anchor of this schema", ref)
	}
	return v, nil
}

// Resolved follows the references that s consists of. One that leads out of the schema stays.
func (c *Document) Resolved(s *value.Value, path string) (*value.Value, error) {
	for range maxReferences {
		if !s.Has("$ref") || !strings.HasPrefix(s.Get("$ref").Text, "#") {
			return s, nil
		}
		target, err := c.Resolve(s.Get("$ref").Text, path)
		if err != nil {
			return nil, err
		}
		beside := c.Constraints(s.But("$ref"))
		if beside == nil || c.Implies(target, beside) {
			s = target
			continue
		}
		return c.Merge(beside, target, path)
	}
	return nil, Errorf(path, "references lead in a circle")
}
