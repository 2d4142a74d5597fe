package schema

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/list"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// constants returns a choice of constants.
func (c *conversion) constants(values []*jsonschema.Value) *cfg.Expr {
	return cfg.Alt(c.each(values)...)
}

// each returns an expression for each constant.
func (c *conversion) each(values []*jsonschema.Value) []*cfg.Expr {
	kids := make([]*cfg.Expr, len(values))
	c.Work.Spend(2 * len(values))
	for i, v := range values {
		kids[i] = c.constant(v)
	}
	return kids
}

// constant returns all spellings of a constant: white space may follow commas and colons.
func (c *conversion) constant(v *jsonschema.Value) *cfg.Expr {
	var kids []*cfg.Expr
	switch v.Kind {
	case jsonschema.String:
		return c.rules.Quoted(c.Spelling, func(single bool) *cfg.Expr {
			if single {
				return cfg.Text(jsonschema.Escape(v.Text, '\''))
			}
			return cfg.Text(jsonschema.Escape(v.Text, '"'))
		})
	case jsonschema.Bool, jsonschema.Null:
		return c.rules.Word(v.Compact(), c.Spelling)
	case jsonschema.Array:
		for i, item := range v.Items {
			kids = append(kids, list.Comma(c.rules, i > 0), c.constant(item))
		}
		return cfg.Seq(cfg.Text("["), cfg.Seq(kids...), cfg.Text("]"))
	case jsonschema.Object:
		for i, k := range v.Keys {
			kids = append(kids, list.Comma(c.rules, i > 0), c.constant(jsonschema.NewString(k)), cfg.Text(":"), c.rules.Space.Call(), c.constant(v.Get(k)))
		}
		return cfg.Seq(cfg.Text("{"), cfg.Seq(kids...), cfg.Text("}"))
	}
	return cfg.Text(v.Text)
}
