package schema

import (
	"math/big"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/number"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// integer returns an integer.
func (c *conversion) integer(s *jsonschema.Value, path string) (*cfg.Expr, error) {
	l, err := c.Bounds(s, path)
	if err != nil {
		return nil, err
	}
	if l.Lo == nil && l.Hi == nil {
		return c.rules.Value("integer", rules.Spelling{}), nil
	}
	c.Work.Spend(stepsOfNumber)
	e := number.Integers(l)
	if e.Op == cfg.OpNever {
		return nil, algebra.Contradiction(path, "no integer is between these bounds")
	}
	return e, nil
}

// stepsOfNumber is what the digits of a number within bounds cost.
const stepsOfNumber = 1000

// number returns a number with or without a fraction. With bounds it has no exponent.
func (c *conversion) number(s *jsonschema.Value, path string) (*cfg.Expr, error) {
	l, err := c.Bounds(s, path)
	if err != nil {
		return nil, err
	}
	if l.Lo == nil && l.Hi == nil {
		return c.rules.Value("number", rules.Spelling{}), nil
	}
	c.Work.Spend(stepsOfNumber)
	e := number.Decimals(l)
	if e.Op == cfg.OpNever {
		return nil, algebra.Contradiction(path, "no number of at most %d digits behind the point is between these bounds", number.MaxPlaces)
	}
	return e, nil
}

// multiples returns the numbers that follow s, which has "multipleOf"; nil if that cannot be
// expressed.
func (c *conversion) multiples(s *jsonschema.Value, path string) *cfg.Expr {
	step := s.Get("multipleOf").Rational()
	kind := algebra.ImpliedType(s)
	if step == nil || step.Sign() <= 0 || kind != "integer" && kind != "number" {
		return nil
	}
	l, err := c.Bounds(s, path)
	if err != nil {
		return nil
	}
	if kind == "integer" {
		step = new(big.Rat).SetInt(step.Num()) // the integers among the multiples
	}
	c.Work.Spend(stepsOfNumber)
	if few := number.Multiples(l, step); few != nil {
		return few
	}
	all := number.AllMultiples(step)
	if all == nil || l.Lo == nil && l.Hi == nil {
		return all
	}
	within := number.Decimals(l)
	if step.IsInt() {
		within = number.Integers(l)
	}
	if within.Op == cfg.OpNever {
		return nil
	}
	return c.rules.Intersection(c.Scope+"-multiple", []*cfg.Expr{within, all}, nil)
}
