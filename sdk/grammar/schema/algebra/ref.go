package algebra

import (
	"strings"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Resolve returns the subschema at a JSON pointer in a fragment.
func (d *Document) Resolve(ref, path string) (*jsonschema.Value, error) {
	if v := d.root.Lookup(ref); v != nil {
		return v, nil
	}
	if len(ref) > 1 && ref[1] != '/' {
		return nil, Errorf(jsonschema.Pointer(path, "$ref"), "%q names no anchor of this schema", ref)
	}
	return nil, Errorf(jsonschema.Pointer(path, "$ref"), "%q refers to nothing in this schema", ref)
}

// Resolved follows the reference that s consists of, and those that it leads to. A reference to
// another document is returned as it is.
func (d *Document) Resolved(s *jsonschema.Value, path string) (*jsonschema.Value, error) {
	for range maxReferences {
		if !s.Has("$ref") || !strings.HasPrefix(s.Get("$ref").Text, "#") {
			return s, nil
		}
		target, err := d.Resolve(s.Get("$ref").Text, path)
		if err != nil {
			return nil, err
		}
		beside := d.WithoutAnnotations(s.But("$ref"))
		if beside == nil || d.Implies(target, beside) {
			s = target
			continue
		}
		return d.Merge(beside, target, path)
	}
	return nil, Errorf(path, "circular references")
}
