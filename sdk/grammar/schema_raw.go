package grammar

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// raw is the bare text of a value that follows s: strings without quotes, everything else as JSON.
func (c *converter) raw(s *value, path, name string, depth int) (*expr, error) {
	if c.b.room--; c.b.room < 0 || depth > maxDepth {
		return nil, bad(path, "references lead in a circle, or to too much")
	}
	if !s.is(objectKind) || len(s.keys) == 0 {
		return c.rawOther(s, path, name)
	}
	s, err := c.wellFormed(s, path)
	if err != nil {
		return nil, err
	}
	e, err := c.rawForm(s, path, name, depth)
	if err == nil && e != c.bare && s.get("nullable").isTrue() {
		e = alt(e, c.b.primitive("null", c.spelling))
	}
	return e, err
}

// rawForm goes by the shape of s.
func (c *converter) rawForm(s *value, path, name string, depth int) (*expr, error) {
	s, err := c.positive(s, path)
	switch {
	case err != nil:
		return nil, err
	case s.isFalse():
		return nothing, nil
	case s.hasAny("const", "enum"):
		values, err := c.constantsOf(s, path)
		return c.rawConstants(values, path), err
	case s.has("$ref"):
		return c.rawReference(s, path, name, depth)
	case s.has("allOf"):
		merged, where, err := c.allOf(s, path)
		if err != nil {
			return nil, err
		}
		return c.raw(merged, where, name, depth+1)
	case s.has(conditioned):
		return c.rawUnion(s, conditioned, path, name, depth)
	case s.has("anyOf"):
		return c.rawUnion(s, "anyOf", path, name, depth)
	case s.has("oneOf"):
		return c.rawUnion(s, "oneOf", path, name, depth)
	case s.get("type").is(arrayKind):
		var parts []alternative
		for i, one := range perType(s) {
			parts = append(parts, alternative{one, path, i, false})
		}
		return c.rawAlternatives(parts, name, depth)
	case impliedType(s) == "string":
		return c.rawString(s, path)
	}
	return c.rawOther(s, path, name)
}

// rawReference is what the reference leads to; one that leads out of the schema is anything.
func (c *converter) rawReference(s *value, path, name string, depth int) (*expr, error) {
	target, err := c.resolved(s, path)
	if err != nil {
		return nil, err
	}
	if target.has("$ref") {
		return c.rawOther(target, path, name)
	}
	return c.raw(target, path, name, depth+1)
}

// rawOther is a value that is no string; any text where strings are among what is allowed.
func (c *converter) rawOther(s *value, path, name string) (*expr, error) {
	e, err := c.visit(s, path, name)
	if err == nil && c.kinds(s)&stringType != 0 {
		return c.bare, nil
	}
	return e, err
}

func (c *converter) rawUnion(s *value, key, path, name string, depth int) (*expr, error) {
	parts, err := c.alternatives(s, key, path)
	if err != nil {
		return nil, err
	}
	return c.rawAlternatives(parts, name, depth)
}

func (c *converter) rawAlternatives(parts []alternative, name string, depth int) (*expr, error) {
	var out []*expr
	for _, one := range parts {
		e, err := c.raw(one.schema, one.path, name+"-"+strconv.Itoa(one.number), depth+1)
		if err != nil {
			return nil, err
		}
		if e == c.bare {
			return e, nil
		}
		out = append(out, e)
	}
	return alt(out...), nil
}

// rawConstants are literal values, strings bare. What the program could not read, because it contains the delimiter that
// ends the text, is left out and noted.
func (c *converter) rawConstants(values []*value, path string) *expr {
	var kids []*expr
	for _, v := range values {
		e, written := c.constant(v), v.compact()
		if v.kind == stringKind {
			if written = v.text; c.escaped {
				written = escape(v.text, '"')
			}
			e = text(written)
		}
		if d := c.delimiterIn(written); d != "" {
			c.note(path, "%s is left out: it contains %q, which ends the text", clip(v.compact()), d)
			continue
		}
		kids = append(kids, e)
	}
	return alt(kids...)
}

func (c *converter) delimiterIn(s string) string {
	for _, d := range c.delims {
		if d != "" && strings.Contains(s, d) {
			return d
		}
	}
	return ""
}

// rawString is a string without quotes: text up to the delimiter, held to all that s says as far as that can be said
// together in a few rules.
func (c *converter) rawString(s *value, path string) (*expr, error) {
	if c.escaped {
		content, err := c.content(s, path)
		if err != nil || content == nil {
			return c.bare, err
		}
		return content(false), nil
	}
	limits, err := c.rawLimits(s, path)
	if err != nil || len(limits) == 0 {
		return c.bare, err
	}
	exprs, out := texts(limits, patternWriter{b: c.b})
	if !c.safe(exprs) {
		exprs = append(exprs, c.bare)
	}
	if len(exprs) == 1 && len(out) == 0 {
		return exprs[0], nil
	}
	if e := c.b.product(c.b.scope+"-text", exprs, out); e != nil {
		return e, nil
	}
	if first := limits[0]; !first.not && c.safe(exprs[:1]) {
		c.noteOthers(limits[1:], path, "beside "+first.keyword)
		return exprs[0], nil
	}
	c.noteOthers(limits, path, "in text without quotes")
	return c.bare, nil
}

// rawLimits are what the pattern, the format, "not" and the lengths of s say.
func (c *converter) rawLimits(s *value, path string) ([]textLimit, error) {
	lo, hi := count(s.get("minLength"), 0), count(s.get("maxLength"), -1)
	if hi >= 0 && lo > hi {
		return nil, contradiction(path, "at least %d and at most %d characters cannot both hold", lo, hi)
	}
	out := c.needed(c.textLimits(s, path))
	for _, l := range out {
		lo, hi = l.left(lo, hi)
	}
	if lo > 0 || hi >= 0 {
		keyword := "minLength"
		if hi >= 0 {
			keyword = "maxLength"
		}
		out = append(out, textLimit{keyword, anySpan, false, func(patternWriter) *expr {
			return times(min(lo, maxProduct+1), min(hi, maxProduct+1), oneOf(everyChar))
		}})
	}
	return out, nil
}

// noteOthers notes the keywords that are not held to.
func (c *converter) noteOthers(limits []textLimit, path, where string) {
	for _, l := range limits {
		c.note(at(path, l.keyword), "not held to %s", where)
	}
}

// safe says whether no text of one of exprs can contain a delimiter, because none can contain the character that it begins
// with.
func (c *converter) safe(exprs []*expr) bool {
	return slices.ContainsFunc(exprs, func(e *expr) bool {
		return !slices.ContainsFunc(c.delims, func(d string) bool {
			first, _ := utf8.DecodeRuneInString(d)
			return d == "" || contains(e, first)
		})
	})
}
