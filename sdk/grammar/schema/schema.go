package schema

import (
	"cmp"
	"strconv"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Error is what is wrong with a schema, and where.
type Error = algebra.Error

// Contradiction is the error of a schema that no value follows.
func Contradiction(path, format string, args ...any) error {
	return algebra.Contradiction(path, format, args...)
}

// Converter turns the schemas of one program into expressions.
type Converter struct {
	rules *rules.Set
	room  int
}

func New(r *rules.Set) *Converter { return &Converter{r, algebra.MaxSchemaWork} }

// Source is a schema, and where in a program it stands.
type Source struct {
	Schema   jsonschema.Schema
	Scope    string // the name of the rule around it; empty: none
	Spelling rules.Spelling
	Bare     *cfg.Expr // what a string is where the text is a bare string; nil: values are JSON
	Escaped  bool      // a bare string stands between quotes all the same
	Delims   []string  // what ends a bare string
}

// Convert is the expression of what follows the schema.
func (s *Converter) Convert(of Source) (*cfg.Expr, error) {
	root := of.Schema.Value()
	c := &conversion{
		Source: of, rules: s.rules, refs: map[string]target{},
		Document: algebra.New(root, s.rules.Notes, &s.room),
	}
	e, err := c.top(root, cmp.Or(of.Scope, "value"))
	if err != nil {
		return nil, err
	}
	if e.Op == cfg.OpNever {
		c.Note("#", "no value follows it")
	}
	return e, nil
}

// conversion turns one schema into expressions. A *value is a subschema, path is where it stands.
type conversion struct {
	*algebra.Document
	Source
	rules  *rules.Set
	refs   map[string]target
	inside int // objects and arrays around what is visited
}

// top is the whole schema. Where the text is bare, strings are bare, and nothing below them.
func (c *conversion) top(s *jsonschema.Value, name string) (*cfg.Expr, error) {
	if c.Bare != nil {
		return c.raw(s, "#", name, 0)
	}
	if s.IsEmpty() {
		return c.rules.Value("object", c.Spelling), nil
	}
	return c.visit(s, "#", name)
}

// visit is the JSON text of a value that follows s. Each question takes what it answers; the first that fits does.
func (c *conversion) visit(s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	if err := c.Enter(path); err != nil {
		return nil, err
	}
	defer c.Leave()
	switch {
	case s.IsTrue(), s.IsEmpty():
		return c.rules.Value("value", c.Spelling), nil
	case s.IsFalse():
		return cfg.Nothing, nil
	case !s.Is(jsonschema.Object):
		return nil, algebra.Errorf(path, "expected an object or a boolean, found %s", s.Kind.Noun())
	}
	s, err := c.WellFormed(s, path)
	if err != nil {
		return nil, err
	}
	e, err := c.form(s, path, name)
	if err == nil && s.Get("nullable").IsTrue() {
		e = cfg.Alt(e, c.rules.Value("null", c.Spelling))
	}
	return e, err
}

// positive is s with what it rules out, and says under conditions, put as what there is instead: constants, types and choices. What
// cannot be put so is noted.
func (c *conversion) positive(s *jsonschema.Value, path string) (*jsonschema.Value, error) {
	if !s.HasAny("const", "enum") {
		s = c.Complemented(s)
	}
	if s.IsFalse() || s.HasAny("const", "enum") {
		return s, nil
	}
	s, err := c.Conditional(s, path, true)
	if err == nil {
		c.unsupported(s, path)
	}
	return s, err
}

// form goes by the shape of s.
func (c *conversion) form(s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	s, err := c.positive(s, path)
	switch {
	case err != nil:
		return nil, err
	case s.IsFalse():
		return cfg.Nothing, nil
	case s.HasAny("const", "enum"):
		values, err := c.Constants(s, path)
		return c.constants(values), err
	case s.Has("$ref"):
		return c.reference(s, path)
	case s.Has("allOf"):
		merged, where, err := c.AllOf(s, path)
		if err != nil {
			return nil, err
		}
		return c.visit(merged, where, name)
	case s.Has(algebra.Conditioned):
		return c.union(s, algebra.Conditioned, path, name)
	case s.Has("anyOf"):
		return c.union(s, "anyOf", path, name)
	case s.Has("oneOf"):
		return c.union(s, "oneOf", path, name)
	case s.Get("type").Is(jsonschema.Array):
		return c.types(s, path, name)
	}
	return c.typed(s, path, name)
}

// typed goes by the type of s, or by the keywords that only one type has.
func (c *conversion) typed(s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	kind := algebra.ImpliedType(s)
	switch kind {
	case "object":
		return c.object(s, path, name)
	case "array":
		return c.array(s, path, name)
	case "string":
		return c.str(s, path)
	case "integer", "number":
		if multiples := c.multiples(s, path); multiples != nil {
			return multiples, nil
		}
		if kind == "integer" {
			return c.integer(s, path)
		}
		return c.number(s, path)
	case "boolean", "null":
		return c.rules.Value(kind, c.Spelling), nil
	}
	return c.rules.Value("value", c.Spelling), nil
}

// types is the union over a list of types.
func (c *conversion) types(s *jsonschema.Value, path, name string) (*cfg.Expr, error) {
	var kids []*cfg.Expr
	for i, one := range algebra.PerType(s) {
		e, err := c.visit(one, path, name+"-"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		kids = append(kids, e)
	}
	return cfg.Alt(kids...), nil
}
