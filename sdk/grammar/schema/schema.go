// Package schema turns JSON Schemas into grammars.
//
// A conversion walks the schema from the root. At each subschema it first removes what a grammar
// has no notation for: package algebra resolves references, merges what must hold together, and
// rewrites negations and conditions as choices. What remains is dispatched on its keywords:
//
//	const, enum             constant.go
//	$ref                    reference.go: one rule for each target
//	anyOf, oneOf            union.go
//	object, array           object.go, names.go, array.go, and package list for the commas
//	string                  string.go and limit.go, and package pattern for regular expressions and formats
//	number, integer         number.go, and package number for digits within bounds
//
// Formats that write strings without quotes go through raw.go, which applies the same keywords to
// raw text. A keyword that is not enforced is noted (unsupported.go); a schema that no value
// follows is an error.
package schema

import (
	"cmp"
	"strconv"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/sdk/grammar/rules"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/algebra"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Error is an error in a schema, with its place.
type Error = algebra.Error

// Contradiction returns the error of a schema that no value follows.
func Contradiction(path, format string, args ...any) error {
	return algebra.Contradiction(path, format, args...)
}

// Converter turns the JSON Schemas of one program into expressions.
type Converter struct {
	rules  *rules.Set
	budget int
}

// New returns a converter that adds its rules to r.
func New(r *rules.Set) *Converter { return &Converter{r, algebra.MaxVisits} }

// Source is a schema and its place in a program.
type Source struct {
	Schema   jsonschema.Schema
	Scope    string // the name of the enclosing rule, if any
	Spelling rules.Spelling
	Bare     *cfg.Expr // what a string is without quotes; nil: values are JSON
	Escaped  bool      // a string without quotes is escaped nevertheless
	Delims   []string  // what ends a string without quotes
}

// Convert returns the values that follow a schema.
func (s *Converter) Convert(of Source) (*cfg.Expr, error) {
	root := of.Schema.Value()
	c := &conversion{
		Source: of, rules: s.rules, refs: map[string]target{},
		Document: algebra.New(root, s.rules.Notes, &s.budget, s.rules.Work),
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

// conversion is the state of one conversion. Its methods take a subschema and its path.
type conversion struct {
	*algebra.Document
	Source
	rules  *rules.Set
	refs   map[string]target
	inside int // the number of enclosing objects and arrays
}

// top converts the whole schema. Only a string at the top is without quotes.
func (c *conversion) top(s *jsonschema.Value, name string) (*cfg.Expr, error) {
	if c.Bare != nil {
		return c.raw(s, "#", name, 0)
	}
	if s.IsEmpty() {
		return c.rules.Value("object", c.Spelling), nil
	}
	return c.visit(s, "#", name)
}

// visit returns the JSON of a value that follows s.
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

// positive rewrites negations and conditions of s as constants, types and choices. What cannot be
// rewritten is noted.
func (c *conversion) positive(s *jsonschema.Value, path string) (*jsonschema.Value, error) {
	if !s.HasAny("const", "enum") {
		s = c.RewriteNegatedTypes(s)
	}
	if s.IsFalse() || s.HasAny("const", "enum") {
		return s, nil
	}
	s, err := c.RewriteConditions(s, path, true)
	if err == nil {
		c.unsupported(s, path)
	}
	return s, err
}

// form dispatches on the keywords of s.
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

// typed dispatches on the type of s, or on keywords that only one type has.
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

// types returns the union over a list of types.
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
