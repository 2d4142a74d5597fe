package schema

import (
	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// str returns a string with as many restrictions of s as a few rules can express.
func (c *conversion) str(s *jsonschema.Value, path string) (*cfg.Expr, error) {
	content, err := c.content(s, path)
	if err != nil || content == nil {
		return c.rules.Value("string", c.Spelling), err
	}
	return c.rules.Quoted(c.Spelling, content), nil
}

// content returns the inside of a string that follows s, by the kind of quotes; nil means any
// string.
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

// limited returns a string of lo to hi characters within limits. If that takes too many rules,
// restrictions are dropped and noted: the lengths first, the first limit never.
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
		c.Note(path, "%q is not enforced", first)
		return func(single bool) *cfg.Expr { return c.rules.Repeat(lo, hi, c.rules.Char(single)) }
	case hi >= 0:
		c.Note(jsonschema.Pointer(path, "maxLength"), "not enforced beside %q", first)
		return c.limited(limits, lo, -1, path)
	case lo > 0:
		c.Note(jsonschema.Pointer(path, "minLength"), "not enforced beside %q", first)
		return c.limited(limits, 0, -1, path)
	case last == first:
		c.Note(jsonschema.Pointer(path, last), "its lookahead is not enforced: it takes too many rules")
	default:
		c.Note(jsonschema.Pointer(path, last), "not enforced beside %q", first)
	}
	return c.limited(limits[:len(limits)-1], 0, -1, path)
}

// together returns a string of lo to hi characters within limits, or nil if that takes too many
// rules.
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

func (c *conversion) noteFormat(format, path string) {
	if !pattern.IsAnyText(format) {
		c.Note(jsonschema.Pointer(path, "format"), "%q is not enforced", format)
	}
}

// pattern returns the inside of a string that matches a regular expression of JSON Schema: as a
// whole between ^ and $, anywhere otherwise.
func (c *conversion) pattern(source string) (func(single bool) *cfg.Expr, error) {
	c.Work.Spend(pattern.Cost(source))
	ways, err := pattern.Parse(source)
	if err != nil {
		return nil, err
	}
	return c.standing(ways), nil
}

// standing returns the inside of a string in which one of ways matches.
func (c *conversion) standing(ways []pattern.Way) func(single bool) *cfg.Expr {
	return func(single bool) *cfg.Expr {
		return pattern.Inside(c.rules, single).Anywhere(ways)
	}
}
