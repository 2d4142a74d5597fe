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

// raw returns a value as raw text: strings without quotes, everything else in JSON.
func (c *conversion) raw(s *jsonschema.Value, path, name string, depth int) (*cfg.Expr, error) {
	if !c.Spend() || depth > algebra.MaxDepth {
		return nil, algebra.Errorf(path, "references are circular, or refer to too much")
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

// rawForm dispatches on the keywords of s.
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

// rawReference returns what a reference refers to; a reference out of the schema accepts anything.
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

// rawOther returns a value that is not a string; any text if strings are accepted, too.
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
	var ruledOut error
	for _, one := range parts {
		e, err := c.raw(one.Schema, one.Path, name+"-"+strconv.Itoa(one.Number), depth+1)
		if algebra.IsContradiction(err) {
			ruledOut = err
			continue
		}
		if err != nil {
			return nil, err
		}
		if e == c.Bare {
			return e, nil
		}
		out = append(out, e)
	}
	if len(out) == 0 && ruledOut != nil {
		return nil, ruledOut
	}
	return cfg.Alt(out...), nil
}

// rawConstants returns constants, strings without quotes. Those that contain the delimiter which
// ends the text, so that the program could not read them, are dropped and noted.
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

// rawString returns a string without quotes: text up to the delimiter, with as many restrictions of
// s as a few rules can express.
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

// rawLimits returns the restrictions by pattern, format, "not" and lengths.
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

// noteOthers notes keywords that are not enforced.
func (c *conversion) noteOthers(limits []textLimit, path, where string) {
	for _, l := range limits {
		c.Note(jsonschema.Pointer(path, l.keyword), "not enforced %s", where)
	}
}

// safe reports whether one of exprs cannot match text with a delimiter, because its texts do not
// contain the first character of any.
func (c *conversion) safe(exprs []*cfg.Expr) bool {
	return slices.ContainsFunc(exprs, func(e *cfg.Expr) bool {
		return !slices.ContainsFunc(c.Delims, func(d string) bool {
			first, _ := utf8.DecodeRuneInString(d)
			return d == "" || contains(e, first)
		})
	})
}

// contains reports whether r may occur in a text of e.
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
