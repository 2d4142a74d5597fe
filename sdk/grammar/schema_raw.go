package grammar

import (
	"slices"
	"strconv"
	"strings"
)

// raw is the bare text of a value that follows s: strings without quotes, everything else as JSON.
func (c *converter) raw(s *value, path, name string, depth int) (*expr, error) {
	if depth > maxReferences {
		return nil, bad(path, "references lead in a circle")
	}
	if !s.is(objectKind) || len(s.keys) == 0 {
		return c.rawOther(s, path, name)
	}
	if err := c.wellFormed(s, path); err != nil {
		return nil, err
	}
	c.unsupported(s, path)
	switch {
	case s.has("$ref"):
		return c.rawReference(s, path, name, depth)
	case s.has("const"):
		return c.rawConstants([]*value{s.get("const")}, path), nil
	case s.has("enum"):
		return c.rawConstants(s.get("enum").items, path), nil
	case s.has("anyOf"):
		return c.rawUnion(s.get("anyOf").items, at(path, "anyOf"), name, depth)
	case s.has("oneOf"):
		return c.rawUnion(s.get("oneOf").items, at(path, "oneOf"), name, depth)
	case s.get("type").is(arrayKind):
		return c.rawUnion(perType(s), path, name, depth)
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
	if err == nil && c.allowsString(s) {
		return c.bare, nil
	}
	return e, err
}

func (c *converter) allowsString(s *value) bool {
	switch {
	case !s.is(objectKind):
		return s.isTrue()
	case len(s.keys) == 0:
		return true
	}
	return resolvesToString(c.root, s, 0) || impliedType(s) == "" && !s.hasAny("allOf")
}

func (c *converter) rawUnion(kids []*value, path, name string, depth int) (*expr, error) {
	var out []*expr
	for i, k := range kids {
		e, err := c.raw(k, path+"/"+strconv.Itoa(i), name+"-"+strconv.Itoa(i), depth+1)
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
		switch {
		case v.kind != stringKind:
			kids = append(kids, c.constant(v))
		case c.escaped:
			kids = append(kids, text(escape(v.text, '"')))
		default:
			kids = append(kids, text(v.text))
		}
		if last := kids[len(kids)-1]; last.op == literal {
			if d := c.delimiterIn(last.text); d != "" {
				c.note(path, "%s is left out: it contains %q, which ends the text", clip(v.compact()), d)
				kids = kids[:len(kids)-1]
			}
		}
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

// rawString is a string without quotes. Formats are held to, and patterns that cannot match a delimiter; other patterns and
// lengths are not, since the delimiter that ends the text would have to be kept out of them.
func (c *converter) rawString(s *value, path string) (*expr, error) {
	if !c.escaped {
		if p := s.get("pattern"); p != nil {
			if e := c.rawPattern(p.text); e != nil {
				c.onlyFirst(s, path, "pattern", "format", "minLength", "maxLength")
				return e, nil
			}
		}
		if f := s.get("format"); f != nil && slices.Contains(formats, f.text) {
			return c.b.format(f.text), nil
		}
		c.onlyFirst(s, path, "type", "pattern", "format", "minLength", "maxLength")
		return c.bare, nil
	}
	content, err := c.content(s, path)
	if err != nil || content == nil {
		return c.bare, err
	}
	return content(false), nil
}
