package schema

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/list"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
)

// constants are literal values.
func (c *conversion) constants(values []*value.Value) *cfg.Expr {
	return cfg.Alt(c.each(values)...)
}

// each are values, each as an expression.
func (c *conversion) each(values []*value.Value) []*cfg.Expr {
	kids := make([]*cfg.Expr, len(values))
	for i, v := range values {
		kids[i] = c.constant(v)
	}
	return kids
}

// constant is one value, in each of its spellings: blanks may stand behind its commas and colons.
func (c *conversion) constant(v *value.Value) *cfg.Expr {
	var kids []*cfg.Expr
	switch v.Kind {
	case value.String:
		return c.rules.Quoted(c.Spelling, func(single bool) *cfg.Expr {
			if single {
				return cfg.Text(rules.Escape(v.Text, '\''))
			}
			return cfg.Text(rules.Escape(v.Text, '"'))
		})
	case value.Bool, value.Null:
		return c.rules.Word(v.Compact(), c.Spelling)
	case value.Array:
		for i, item := range v.Items {
			kids = append(kids, list.Comma(c.rules, i > 0), c.constant(item))
		}
		return cfg.Seq(cfg.Text("["), cfg.Seq(kids...), cfg.Text("]"))
	case value.Object:
		for i, k := range v.Keys {
			kids = append(kids, list.Comma(c.rules, i > 0), c.constant(value.NewString(k)), cfg.Text(":"), c.rules.Space.Call(), c.constant(v.Fields[k]))
		}
		return cfg.Seq(cfg.Text("{"), cfg.Seq(kids...), cfg.Text("}"))
	}
	return cfg.Text(v.Text)
}
