package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// raw is the bare text of a value that follows s: strings without quotes, everything else as JSON.
func (c *conversion) raw(s *jsonschema.Value, path, name string, depth int) (*cfg.Expr, error) {
	if !c.Spend() || depth > algebra.MaxDepth {
		return nil, algebra.Errorf(path, "references lead in a circle, or to too much")
	}
	if !s.Is(jsonschema.Object) || len(s.Keys) == 0 {
		return c.rawOther(s, path, name)
	}
	s, err := c.WellFormed(s, path)
	if err != nil {
		return nil, err
	}
	e, err := c.rawForm(s, path, name, depth)
	if err == nil && e != c.Bare && s.Get("nullable").IsTrue() {
		e = cfg.Alt(e, c.rules.Value("null", c.Spelling))
	}
	return e, err
}

// rawForm goes by the shape of s.
func (c *conversion) rawForm(s *jsonschema.Value, path, name string, depth int) (*cfg.Expr, error) {
	s, err := c.positive(s, path)
	switch {
	case err != nil:
		return nil, err
	case s.IsFalse():
		return cfg.Nothing, nil
	case s.HasAny("const", "enum"):
		values, err := c.Constants(s, path)
		return c.rawConstants(values, path), err
	case s.Has("$ref"):
		return c.rawReference(s, path, name, depth)
	case s.Has("allOf"):
		merged, where, err := c.AllOf(s, path)
		if err != nil {
			return nil, err
		}
		return c.raw(merged, where, name, depth+1)
	case s.Has(algebra.Conditioned):
		return c.rawUnion(s, algebra.Conditioned, path, name, depth)
	case s.Has("anyOf"):
		return c.rawUnion(s, "anyOf", path, name, depth)
	case s.Has("oneOf"):
		return c.rawUnion(s, "oneOf", path, name, depth)
	case s.Get("type").Is(jsonschema.Array):
		var parts []algebra.Alternative
		for i, one := range algebra.PerType(s) {
			parts = append(parts, algebra.Alternative{Schema: one, Path: path, Number: i})
		}
		return c.rawAlternatives(parts, name, depth)
	case algebra.ImpliedType(s) == "string":
		return c.rawString(s, path)
	}
	return c.rawOther(s, path, name)
}

// rawReference is what the reference leads to; one that leads out of the schema is anything.
func (c *conversion) rawReference(s *jsonschema.Value, path, name string, depth int) (*cfg.Expr, error) {
	target, err := c.Resolved(s, path)
	if err != nil {
		return nil, err
	}
	if target.Has("$ref") {
		return c.rawOther(target, path, name)
	}
	return c.raw(target, path, name, depth+1)
}

// rawOther is a value that is no string; any text where strings are among what is allowed.
func (c *conversion) rawOther(s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	e, err := c.visit(s, path, name)
	if err == nil && c.Kinds(s)&algebra.StringType != 0 {
		return c.Bare, nil
	}
	return e, err
}

func (c *conversion) rawUnion(s *jsonschema.Value, key, path, name string, depth int) (*cfg.Expr, error) {
	parts, err := c.Alternatives(s, key, path)
	if err != nil {
		return nil, err
	}
	return c.rawAlternatives(parts, name, depth)
}

func (c *conversion) rawAlternatives(parts []algebra.Alternative, name string, depth int) (*cfg.Expr, error) {
	var out []*cfg.Expr
	for _, one := range parts {
		e, err := c.raw(one.Schema, one.Path, name+"-"+strconv.Itoa(one.Number), depth+1)
		if err != nil {
			return nil, err
		}
		if e == c.Bare {
			return e, nil
		}
		out = append(out, e)
	}
	return cfg.Alt(out...), nil
}

// rawConstants are literal values, strings bare. What the program could not read, because it contains the delimiter that
// ends the text, is left out and noted.
func (c *conversion) rawConstants(values []*jsonschema.Value, path string) *cfg.Expr {
	var kids []*cfg.Expr
	for _, v := range values {
		e, written := c.constant(v), v.Compact()
		if v.Kind == jsonschema.String {
			if written = v.Text; c.Escaped {
				written = jsonschema.Escape(v.Text, '"')
			}
			e = cfg.Text(written)
		}
		if d := c.delimiterIn(written); d != "" {
			c.Note(path, "%s is left out: it contains %q, which ends the text", notes.Clip(v.Compact()), d)
			continue
		}
		kids = append(kids, e)
	}
	return cfg.Alt(kids...)
}

func (c *conversion) delimiterIn(s string) string {
	for _, d := range c.Delims {
		if d != "" && strings.Contains(s, d) {
			return d
		}
	}
	return ""
}

// rawString is a string without quotes: text up to the delimiter, held to all that s says as far as that can be said
// together in a few rules.
func (c *conversion) rawString(s *jsonschema.Value, path string) (*cfg.Expr, error) {
	if c.Escaped {
		content, err := c.content(s, path)
		if err != nil || content == nil {
			return c.Bare, err
		}
		return content(false), nil
	}
	limits, err := c.rawLimits(s, path)
	if err != nil || len(limits) == 0 {
		return c.Bare, err
	}
	exprs, out := texts(limits, pattern.Writer{Rules: c.rules})
	if !c.safe(exprs) {
		exprs = append(exprs, c.Bare)
	}
	if len(exprs) == 1 && len(out) == 0 {
		return exprs[0], nil
	}
	if e := c.rules.Intersection(c.Scope+"-text", exprs, out); e != nil {
		return e, nil
	}
	if first := limits[0]; !first.not && c.safe(exprs[:1]) {
		c.noteOthers(limits[1:], path, "beside "+first.keyword)
		return exprs[0], nil
	}
	c.noteOthers(limits, path, "in text without quotes")
	return c.Bare, nil
}

// rawLimits are what the pattern, the format, "not" and the lengths of s say.
func (c *conversion) rawLimits(s *jsonschema.Value, path string) ([]textLimit, error) {
	lo, hi := algebra.Count(s.Get("minLength"), 0), algebra.Count(s.Get("maxLength"), -1)
	if hi >= 0 && lo > hi {
		return nil, algebra.Contradiction(path, "at least %d and at most %d characters cannot both hold", lo, hi)
	}
	out := c.needed(c.textLimits(s, path))
	for _, l := range out {
		lo, hi = l.Left(lo, hi)
	}
	if lo > 0 || hi >= 0 {
		keyword := "minLength"
		if hi >= 0 {
			keyword = "maxLength"
		}
		out = append(out, textLimit{keyword, anySpan, false, func(pattern.Writer) *cfg.Expr {
			return cfg.Times(min(lo, rules.MaxProduct+1), min(hi, rules.MaxProduct+1), cfg.Class(charset.All))
		}})
	}
	return out, nil
}

// noteOthers notes the keywords that are not held to.
func (c *conversion) noteOthers(limits []textLimit, path, where string) {
	for _, l := range limits {
		c.Note(jsonschema.Pointer(path, l.keyword), "not held to %s", where)
	}
}

// safe says whether no text of one of exprs can contain a delimiter, because none can contain the character that it begins
// with.
func (c *conversion) safe(exprs []*cfg.Expr) bool {
	return slices.ContainsFunc(exprs, func(e *cfg.Expr) bool {
		return !slices.ContainsFunc(c.Delims, func(d string) bool {
			first, _ := utf8.DecodeRuneInString(d)
			return d == "" || contains(e, first)
		})
	})
}

// contains says whether r may stand somewhere in a text that e matches.
func contains(e *cfg.Expr, r rune) bool {
	switch e.Op {
	case cfg.OpLiteral:
		return strings.ContainsRune(e.Text, r)
	case cfg.OpClass:
		return e.Set.Has(r)
	case cfg.OpCall:
		return contains(e.Rule.Body, r)
	}
	return slices.ContainsFunc(e.Kids, func(k *cfg.Expr) bool { return contains(k, r) })
}
