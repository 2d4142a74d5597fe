package schema

import (
	"strconv"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
	"github.com/dragoman-project/dragoman/internal/cfg/words"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// others returns a member not named in props: one whose name matches a pattern, or an additional
// one; nil if there is none.
func (c *conversion) others(s, open *jsonschema.Value, props []algebra.Property, path, name string) (*cfg.Expr, error) {
	var taken []string
	for _, p := range props {
		taken = append(taken, p.Name)
	}
	patterns := s.Get("patternProperties")
	var kids []*cfg.Expr
	for i, source := range patterns.Names() {
		where := jsonschema.Pointer(jsonschema.Pointer(path, "patternProperties"), source)
		key := keys{taken: taken, patterns: []string{source}, names: s.Get("propertyNames")}
		member, err := c.other(key, patterns.Get(source), where, name+"-pattern-"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		c.disjoint(patterns, i, where)
		kids = append(kids, member)
	}
	if open != nil && !open.IsFalse() {
		key := keys{taken: taken, except: patterns.Names(), names: s.Get("propertyNames")}
		member, err := c.other(key, open, jsonschema.Pointer(path, "additionalProperties"), name+"-additional")
		if err != nil {
			return nil, err
		}
		kids = append(kids, member)
	}
	if more := cfg.Alt(kids...); more.Op != cfg.OpNever {
		return more, nil
	}
	return nil, nil
}

// other returns a member with one of keys and a value that follows s.
func (c *conversion) other(k keys, s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	e, err := c.unless(c.visit(s, path, name))
	if err != nil || e.Op == cfg.OpNever {
		return e, err
	}
	key, err := c.key(k, path)
	if err != nil || key.Op == cfg.OpNever {
		return key, err
	}
	return c.rules.Rule(name+"-kv", cfg.Seq(key, cfg.Text(":"), c.rules.Space.Call(), e)), nil
}

// keys describes the names that a member may have.
type keys struct {
	taken    []string          // names of other members
	patterns []string          // a name matches all of these
	except   []string          // and none of these
	names    *jsonschema.Value // and follows this schema, if any
}

// key returns one of keys, in quotes.
func (c *conversion) key(k keys, path string) (*cfg.Expr, error) {
	var of []func(single bool) *cfg.Expr
	if values := algebra.ConstantNames(k.names); values != nil {
		return c.listedKey(k, values), nil
	}
	if s := k.names; s != nil && !s.IsTrue() {
		content, err := c.nameContent(s, path)
		if err != nil {
			return nil, err
		}
		if content == nil && s.IsFalse() {
			return cfg.Nothing, nil
		}
		if content != nil {
			of = append(of, content)
		}
	}
	for _, source := range k.patterns {
		content, err := c.pattern(source)
		if err != nil {
			c.Note(path, "the pattern of member names is not enforced: %v", err)
			continue
		}
		of = append(of, content)
	}
	var but []func(single bool) *cfg.Expr
	for _, source := range k.except {
		if content, err := c.pattern(source); err == nil {
			but = append(but, content)
		}
	}
	switch {
	case len(k.taken) > 0 && len(of)+len(but) == 0:
		of = append(of, func(single bool) *cfg.Expr { return c.otherThan(k.taken, single) })
	case len(k.taken) > 0:
		but = append(but, func(single bool) *cfg.Expr { return taken(k.taken, single) })
	}
	return c.intersected(of, but, path), nil
}

// taken returns the inside of a string that is one of names.
func taken(names []string, single bool) *cfg.Expr {
	quote := '"'
	if single {
		quote = '\''
	}
	kids := make([]*cfg.Expr, len(names))
	for i, name := range names {
		kids[i] = cfg.Text(jsonschema.Escape(name, quote))
	}
	return cfg.Alt(kids...)
}

// intersected returns a string that matches all of the contents, and none of but.
func (c *conversion) intersected(of, but []func(single bool) *cfg.Expr, path string) *cfg.Expr {
	switch {
	case len(of)+len(but) == 0:
		return c.rules.Value("string", c.Spelling)
	case len(of) == 1 && len(but) == 0:
		return c.rules.Quoted(c.Spelling, of[0])
	}
	fits := true
	e := c.rules.Quoted(c.Spelling, func(single bool) *cfg.Expr {
		var in, out []*cfg.Expr
		for _, content := range of {
			in = append(in, content(single))
		}
		for _, content := range but {
			out = append(out, content(single))
		}
		if len(in) == 0 {
			in = append(in, cfg.Star(c.rules.Char(single)))
		}
		together := c.rules.Intersection(c.Scope+"-name", in, out)
		if together == nil {
			fits, together = false, in[0]
		}
		return together
	})
	if !fits {
		c.Note(path, "not all restrictions on member names are enforced: together they take too many rules")
	}
	return e
}

// nameContent returns the inside of a name that follows s; nil if it may be anything.
func (c *conversion) nameContent(s *jsonschema.Value, path string) (func(single bool) *cfg.Expr, error) {
	s, err := c.Resolved(s, path)
	if err != nil || !s.Is(jsonschema.Object) {
		return nil, err
	}
	if s, err = c.WellFormed(s, path); err != nil {
		return nil, err
	}
	c.unsupported(s, path)
	if s.HasAny("$ref", "allOf", "anyOf", "oneOf") || s.Has("type") && !algebra.HasName(s.Get("type"), "string") {
		c.Note(path, "propertyNames is not enforced")
		return nil, nil
	}
	return c.content(s, path)
}

// listedKey returns the constants among keys.
func (c *conversion) listedKey(k keys, values []*jsonschema.Value) *cfg.Expr {
	var kids []*cfg.Expr
	for _, v := range values {
		if v.Kind == jsonschema.String && k.allow(c.Document, v.Text) && c.Fits(v, k.names, 0) != algebra.No {
			kids = append(kids, c.constant(v))
		}
	}
	return cfg.Alt(kids...)
}

// allow reports whether a name is not taken and matches the patterns.
func (k keys) allow(d *algebra.Document, name string) bool {
	d.Work.Spend(len(k.taken))
	for _, t := range k.taken {
		if t == name {
			return false
		}
	}
	for _, source := range k.patterns {
		if d.Matches(source, name) == algebra.No {
			return false
		}
	}
	for _, source := range k.except {
		if d.Matches(source, name) == algebra.Yes {
			return false
		}
	}
	return true
}

// maxApart bounds the patterns of names that are compared with each other.
const maxApart = 32

// disjoint notes if a name may match several patterns, since its member must then follow several
// schemas.
func (c *conversion) disjoint(patterns *jsonschema.Value, i int, path string) {
	if i >= maxApart {
		c.Note(path, "enforced alone: whether a name may also match one of %d other patterns is not known", i)
		return
	}
	for _, other := range patterns.Keys[:i] {
		if patterns.Get(other).Equal(patterns.Get(patterns.Keys[i])) || c.apartPatterns(other, patterns.Keys[i]) {
			continue
		}
		c.Note(path, "enforced alone: a name may also match the pattern %q", other)
	}
}

// apartPatterns reports whether no text matches both patterns.
func (c *conversion) apartPatterns(a, b string) bool {
	x, err := c.pattern(a)
	y, err2 := c.pattern(b)
	if err != nil || err2 != nil {
		return false
	}
	e := c.rules.Intersection("", []*cfg.Expr{x(false), y(false)}, nil)
	return e != nil && e.Op == cfg.OpNever
}

// stepsOfLetter is what a character of a name costs that others must not begin with.
const stepsOfLetter = 32

// otherThan returns the inside of a string that is neither one of names nor a prefix of one.
// Escapes are never part of a name.
func (c *conversion) otherThan(names []string, single bool) *cfg.Expr {
	quote := '"'
	if single {
		quote = '\''
	}
	escaped := make([]string, len(names))
	for i, n := range names {
		c.Work.Spend(stepsOfLetter * len(n))
		escaped[i] = jsonschema.Escape(n, quote)
	}
	return words.OtherThan(escaped, rules.StringChars.Minus(charset.Of(string(quote))), c.rules.Escape(single), cfg.Star(c.rules.Char(single)))
}
