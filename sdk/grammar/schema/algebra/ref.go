package algebra

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Resolve finds what a JSON pointer in a fragment points to.
func (c *Document) Resolve(ref, path string) (*jsonschema.Value, error) {
	if v := c.root.Lookup(ref); v != nil {
		return v, nil
	}
	if len(ref) > 1 && ref[1] != '/' {
		return nil, Errorf(jsonschema.Pointer(path, "$ref"), "%q names no anchor of this schema", ref)
	}
	return nil, Errorf(jsonschema.Pointer(path, "$ref"), "%q refers to nothing in this schema", ref)
}

// Resolved follows the references that s consists of. One that leads out of the schema stays.
func (c *Document) Resolved(s *jsonschema.Value, path string) (*jsonschema.Value, error) {
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
	return nil, Errorf(path, "circular references")
}
