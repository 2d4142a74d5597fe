package schema

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// str is a string: held to all that s says of it, as far as that can be said together in a few rules.
func (c *conversion) str(s *jsonschema.Value, path string) (*cfg.Expr, error) {
	content, err := c.content(s, path)
	if err != nil || content == nil {
		return c.rules.Value("string", c.Spelling), err
	}
	return c.rules.Quoted(c.Spelling, content), nil
}

// content makes the inside of a string that s describes, between single or double quotes; nil is any string.
func (c *conversion) content(s *jsonschema.Value, path string) (func(single bool) *cfg.Expr, error) {
	lo, hi := algebra.Count(s.Get("minLength"), 0), algebra.Count(s.Get("maxLength"), -1)
	if hi >= 0 && lo > hi {
		return nil, algebra.Contradiction(path, "at least %d and at most %d characters cannot both hold", lo, hi)
	}
	limits := c.textLimits(s, path)
	switch {
	case len(limits) > 0:
		return c.limited(limits, lo, hi, path), nil
	case lo > 0 || hi >= 0:
		return func(single bool) *cfg.Expr { return c.rules.Repeat(lo, hi, c.rules.Char(single)) }, nil
	}
	return nil, nil
}

// limited is a string of lo to hi characters that keeps to all of limits, as far as that can be said in a few rules. What is
// left out is noted: the lengths first, the first limit never.
func (c *conversion) limited(limits []textLimit, lo, hi int, path string) func(single bool) *cfg.Expr {
	limits = c.needed(limits)
	for _, l := range limits {
		lo, hi = l.Left(lo, hi)
	}
	if e := c.together(limits, lo, hi); e != nil {
		return e
	}
	first, last := limits[0].keyword, limits[len(limits)-1].keyword
	switch {
	case limits[0].not:
		c.Note(path, "%q is not held to", first)
		return func(single bool) *cfg.Expr { return c.rules.Repeat(lo, hi, c.rules.Char(single)) }
	case hi >= 0:
		c.Note(jsonschema.Pointer(path, "maxLength"), "not held to beside %q", first)
		return c.limited(limits, lo, -1, path)
	case lo > 0:
		c.Note(jsonschema.Pointer(path, "minLength"), "not held to beside %q", first)
		return c.limited(limits, 0, -1, path)
	case last == first:
		c.Note(jsonschema.Pointer(path, last), "what it looks ahead for is not held to: it takes too many rules to say")
	default:
		c.Note(jsonschema.Pointer(path, last), "not held to beside %q", first)
	}
	return c.limited(limits[:len(limits)-1], 0, -1, path)
}

// together is a string of lo to hi characters that keeps to all of limits; nil if that cannot be said in a few rules.
func (c *conversion) together(limits []textLimit, lo, hi int) func(single bool) *cfg.Expr {
	if len(limits) == 1 && !limits[0].not && lo == 0 && hi < 0 {
		return func(single bool) *cfg.Expr { return limits[0].of(pattern.Inside(c.rules, single)) }
	}
	if max(lo, hi) > rules.MaxProduct {
		return nil
	}
	made := map[bool]*cfg.Expr{}
	for _, single := range []bool{false, true} {
		if single && !c.Spelling.Quotes {
			continue
		}
		in, out := texts(limits, pattern.Inside(c.rules, single))
		if len(out) > 0 {
			in = append(in, cfg.Star(c.rules.PlainChar(single)))
		}
		if lo > 0 || hi >= 0 {
			in = append(in, cfg.Times(lo, hi, c.rules.Char(single)))
		}
		if made[single] = c.rules.Intersection(c.Scope+"-text", in, out); made[single] == nil {
			return nil
		}
	}
	return func(single bool) *cfg.Expr { return made[single] }
}

func (c *conversion) unheldFormat(format, path string) {
	if !pattern.IsAnyText(format) {
		c.Note(jsonschema.Pointer(path, "format"), "%q is not held to", format)
	}
}

// pattern is the inside of a string that matches a regular expression of JSON Schema. Between ^ and $ the expression is
// the whole text; without them it may stand anywhere in it.
func (c *conversion) pattern(source string) (func(single bool) *cfg.Expr, error) {
	ways, err := pattern.Parse(source)
	if err != nil {
		return nil, err
	}
	return c.standing(ways), nil
}

// standing is the inside of a string in which one of ways stands.
func (c *conversion) standing(ways []pattern.Way) func(single bool) *cfg.Expr {
	return func(single bool) *cfg.Expr {
		return pattern.Inside(c.rules, single).Anywhere(ways)
	}
}
