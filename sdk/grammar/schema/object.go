package schema

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/list"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// object returns an object with its properties in the order of the schema, the required ones first:
// models write them in this order, and any order would need a rule for every subset.
func (c *conversion) object(s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	c.inside++
	defer func() { c.inside-- }()
	s = algebra.Normalized(s)
	props, open := c.Properties(s, path)
	bounded := s.HasAny("patternProperties", "propertyNames", "minProperties", "maxProperties")
	if len(props) == 0 && !bounded && (open.IsTrue() || open.IsEmpty()) {
		return c.rules.Value("object", c.Spelling), nil
	}
	list := list.Members{Rules: c.rules, Name: name, Note: func(keyword, format string, args ...any) { c.Note(jsonschema.Pointer(path, keyword), format, args...) }}
	for _, p := range props {
		member, err := c.member(p, s, path, name)
		if !p.Required {
			member, err = c.unless(member, err)
		}
		switch {
		case err != nil:
			return nil, err
		case p.Required:
			list.Required = append(list.Required, member)
		case member.Op != cfg.OpNever:
			list.Optionals = append(list.Optionals, member)
		}
	}
	more, err := c.others(s, open, props, path, name)
	if err != nil {
		return nil, err
	}
	if more != nil && more.Op != cfg.OpCall {
		more = c.rules.Rule(name+"-more", more)
	}
	list.More = more
	inner, ok := list.Between(algebra.Count(s.Get("minProperties"), 0), algebra.Count(s.Get("maxProperties"), -1))
	if !ok {
		return nil, algebra.Contradiction(path, "no number of members is between these bounds")
	}
	space := c.rules.Space.Call()
	return cfg.Seq(cfg.Text("{"), space, inner, space, cfg.Text("}")), nil
}

// unless returns e, or cfg.Nothing if what is optional contradicts itself: then only that is
// impossible.
func (c *conversion) unless(e *cfg.Expr, err error) (*cfg.Expr, error) {
	if algebra.IsContradiction(err) {
		return cfg.Nothing, nil
	}
	return e, err
}

// member returns the rule for `"name": value`; cfg.Nothing if the member is impossible.
func (c *conversion) member(p algebra.Property, s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	schema := p.Schema
	var err error
	for _, source := range c.PatternsOf(s, p.Name) {
		if schema, err = c.Merge(schema, s.Get("patternProperties").Get(source), p.Path); err != nil {
			return nil, err
		}
	}
	if names := s.Get("propertyNames"); names != nil && c.Fits(jsonschema.NewString(p.Name), names, 0) == algebra.No {
		if p.Required {
			return nil, algebra.Contradiction(jsonschema.Pointer(path, "propertyNames"), "it does not allow %q, which is required", p.Name)
		}
		return cfg.Nothing, nil
	}
	full := name + "-" + p.Name
	e, err := c.visit(schema, p.Path, full)
	if err != nil || e.Op == cfg.OpNever {
		return e, err
	}
	space := c.rules.Space.Call()
	return c.rules.Rule(full+"-kv", cfg.Seq(c.constant(jsonschema.NewString(p.Name)), space, cfg.Text(":"), space, e)), nil
}
