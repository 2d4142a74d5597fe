package schema

import (
	"strconv"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// union returns a choice of the subschemas under key.
func (c *conversion) union(s *jsonschema.Value, key, path, name string) (*cfg.Expr, error) {
	parts, err := c.Alternatives(s, key, path)
	if err != nil {
		return nil, err
	}
	var kids []*cfg.Expr
	var ruledOut error
	for _, one := range parts {
		e, err := c.visit(one.Schema, one.Path, name+"-"+strconv.Itoa(one.Number))
		switch {
		case algebra.IsContradiction(err):
			ruledOut = err
			continue
		case err != nil:
			return nil, err
		}
		kids = append(kids, e)
	}
	if len(kids) == 0 {
		return nil, ruledOut
	}
	return cfg.Alt(objectsLast(kids)...), nil
}

// objectsLast joins the objects among kids, so that they share the brace and the white space after
// it, if one of them begins with an optional member. Otherwise a longest-match lexer would continue
// into the first member of one object and miss those of the others.
func objectsLast(kids []*cfg.Expr) []*cfg.Expr {
	var out, insides []*cfg.Expr
	var before []*cfg.Expr
	loose := false
	for _, k := range kids {
		body := k
		if k.Op == cfg.OpCall && k.Rule.Body != nil {
			body = k.Rule.Body
		}
		if body.Op != cfg.OpSequence || body.Kids[0].Op != cfg.OpLiteral || body.Kids[0].Text != "{" || body.Kids[1].Op != cfg.OpCall {
			out = append(out, k)
			continue
		}
		before, insides = body.Kids[:2], append(insides, cfg.Seq(body.Kids[2:]...))
		loose = loose || body.Kids[2].Op != cfg.OpCall
	}
	if len(insides) < 2 || !loose {
		return kids
	}
	return append(out, cfg.Seq(before[0], before[1], cfg.Alt(insides...)))
}
