package schema

import (
	"strings"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// target is the rule for a referenced schema, and the number of objects and arrays around the first
// reference.
type target struct {
	rule   *cfg.Rule
	inside int
}

// reference returns the rule for the subschema that $ref refers to. Keywords beside it apply, too.
func (c *conversion) reference(s *jsonschema.Value, path string) (*cfg.Expr, error) {
	ref := s.Get("$ref").Text
	if !strings.HasPrefix(ref, "#") {
		c.Note(jsonschema.Pointer(path, "$ref"), "%q is not in this schema: any value is allowed there", ref)
		return c.rules.Value("value", c.Spelling), nil
	}
	to, err := c.Resolve(ref, path)
	if err != nil {
		return nil, err
	}
	key, where := ref, ref
	beside := c.WithoutAnnotations(s.But("$ref"))
	if beside != nil && !c.Implies(to, beside) {
		key, where = ref+" "+beside.Compact(), path
	}
	known, ok := c.refs[key]
	switch {
	case ok && known.rule.Body == nil && known.inside == c.inside:
		return cfg.Nothing, nil // a reference to itself, with nothing in between, adds no alternative
	case ok:
		return known.rule.Call(), nil
	}
	r := c.rules.NewRule(c.Scope + "-" + strings.TrimLeft(ref[strings.LastIndexByte(ref, '/')+1:], "#"))
	c.refs[key] = target{r, c.inside}
	if to, err = c.WithSiblings(s.But("$ref"), to, path); err == nil {
		r.Body, err = c.visit(to, where, r.Name)
	}
	return r.Call(), err
}
