package schema

import (
	"strconv"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/list"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// array returns an array of items, of a fixed beginning, or of both.
func (c *conversion) array(s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	c.inside++
	defer func() { c.inside-- }()
	s = algebra.Normalized(s)
	fixed, items := algebra.Tuple(s)
	lo, hi, items := algebra.ItemCounts(s, len(fixed), items)
	if values := c.distinctValues(s, path); values != nil {
		space := c.rules.Space.Call()
		return cfg.Seq(cfg.Text("["), space, list.Distinct(c.rules, c.each(values), lo, hi, name+"-distinct"), space, cfg.Text("]")), nil
	}
	var kids []*cfg.Expr
	for i, f := range fixed {
		e, err := c.unless(c.visit(f, jsonschema.Pointer(path, "prefixItems", i), name+"-"+strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		if e.Op == cfg.OpNever {
			items = nil
			break
		}
		kids = append(kids, e)
	}
	more, err := c.unless(c.item(items, path, name, len(fixed) > 0))
	if err != nil {
		return nil, err
	}
	if more == nil || more.Op == cfg.OpNever {
		more = nil
		hi = within(hi, len(kids))
	}
	if hi >= 0 && !s.Has("minItems") {
		lo = min(lo, hi)
	}
	if hi >= 0 && lo > hi {
		return nil, algebra.Contradiction(path, "at least %d and at most %d items cannot both hold", lo, hi)
	}
	space := c.rules.Space.Call()
	return cfg.Seq(cfg.Text("["), space, list.Items(c.rules, kids, more, lo, hi), space, cfg.Text("]")), nil
}

// within returns the smaller of two bounds; hi < 0 means unbounded.
func within(hi, most int) int {
	if hi < 0 {
		return most
	}
	return min(hi, most)
}

// item returns one of the items after the fixed ones; nil if there are none.
func (c *conversion) item(items *jsonschema.Value, path, name string, behind bool) (*cfg.Expr, error) {
	switch {
	case items == nil:
		return nil, nil
	case items.IsEmpty() && !behind:
		return c.rules.Value("object", c.Spelling), nil
	}
	e, err := c.visit(items, jsonschema.Pointer(path, "items"), name+"-item")
	if err == nil && rules.IsCompound(e) {
		e = c.rules.Rule(name+"-item", e)
	}
	return e, err
}

// maxDistinct bounds the values of which no two items may be equal: there is a rule for every set
// of values still left.
const maxDistinct = 6

// distinctValues returns the values of the items of s if they are few and no two items may be
// equal, and nil otherwise.
func (c *conversion) distinctValues(s *jsonschema.Value, path string) []*jsonschema.Value {
	if !s.Get("uniqueItems").IsTrue() || s.Has("prefixItems") || s.Get("items").Is(jsonschema.Array) || !s.Get("items").Is(jsonschema.Object) {
		return nil
	}
	items, err := c.Resolved(s.Get("items"), path)
	if err != nil || !items.Is(jsonschema.Object) {
		return nil
	}
	if c.Kinds(items)&^(algebra.BoolType|algebra.NullType) == 0 && !items.HasAny("const", "enum") {
		items = c.AsEnum(items)
	}
	if !items.HasAny("const", "enum") || len(algebra.ConstantsIn(items)) > maxDistinct || items.Get("nullable").IsTrue() {
		return nil
	}
	values, err := c.Constants(items, jsonschema.Pointer(path, "items"))
	if err != nil {
		return nil
	}
	return values
}
