package grammar

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Limits of one program's schemas: visits of a subschema, and references followed inside each other without a step.
const (
	maxSchemaWork = 1 << 17
	maxReferences = 64
	maxDepth      = 512 // of visits inside each other
	maxEffort     = 1 << 15
)

// FromSchema makes the constraint for one JSON value that follows schema.
func FromSchema(schema jsonschema.Schema) (*Constraint, error) {
	var p peg.Builder
	c, err := Build(p.Build(p.Schema(schema, p.Value(peg.AnyJSON))), Options{Mode: Strict})
	if errors.Is(err, errNoText) {
		err = contradiction("#", "no value follows it")
	}
	return c, err
}

// SchemaError is what is wrong with a schema, and where.
type SchemaError struct {
	Path    string // JSON pointer from the schema's root: "#/properties/a"
	Message string

	contradiction bool // the schema is well-formed, and no value follows it
}

func (e *SchemaError) Error() string { return "schema: " + e.Path + ": " + e.Message }

// converter turns one schema into expressions. A *value is a subschema, path is where it stands.
type converter struct {
	b        *builder
	root     *value
	refs     map[string]target
	spelling spelling
	bare     *expr    // what a string is where the text is a bare string; nil in JSON
	escaped  bool     // a bare string stands between quotes all the same
	delims   []string // what ends a bare string
	depth    int      // visits inside each other
	inside   int      // objects and arrays around what is visited
	effort   int      // how many more comparisons of constants and alternatives may be made
	kindsOf  map[*value]kinds
}

// schema is node id, of kind Schema.
func (b *builder) schema(id peg.ID, n *peg.Node) *expr {
	root, err := decode(n.JSONSchema.Raw())
	if err != nil {
		return b.fail("program: node %d: schema: %w", id, err)
	}
	localise(root, n.JSONSchema.Raw())
	c := &converter{
		b: b, root: root, refs: map[string]target{}, spelling: b.spelling(n.Kids[0]),
		effort: maxEffort, kindsOf: map[*value]kinds{},
	}
	if n.Raw {
		leaf := b.leaf(n.Kids[0])
		c.bare, c.escaped, c.delims = b.expr(n.Kids[0]), leaf.Op == peg.StringContent, leaf.Delims
	}
	e, err := c.top(root, b.leaf(n.Kids[0]), cmp.Or(b.scope, "value"))
	if err != nil {
		return b.fail("program: node %d: %w", id, err)
	}
	if e.op == never {
		c.note("#", "no value follows it")
	}
	return e
}

// leaf is the node at or below id that says where bare text ends.
func (b *builder) leaf(id peg.ID) *peg.Node {
	for range len(b.p.Nodes) {
		n := &b.p.Nodes[id]
		switch n.Op {
		case peg.Tag, peg.Atomic, peg.Rule, peg.Schema:
			id = n.Kids[0]
		case peg.Sequence, peg.Choice:
			if len(n.Kids) != 1 {
				return n
			}
			id = n.Kids[0]
		default:
			return n
		}
	}
	return &peg.Node{}
}

// spelling says how the values that node id matches are spelled: as its Value nodes say, or its literals. What is there
// for tolerance says nothing.
func (b *builder) spelling(id peg.ID) spelling {
	var s spelling
	seen := map[peg.ID]bool{}
	var walk func(id peg.ID)
	walk = func(id peg.ID) {
		n := &b.p.Nodes[id]
		if seen[id] || n.Op == peg.Rule && tolerance(n.Text) {
			return
		}
		seen[id] = true
		switch n.Op {
		case peg.Value:
			of := spellingOf(n.Values)
			s.literals, s.quotes = s.literals || of.literals, s.quotes || of.quotes
		case peg.Literal:
			s.literals = s.literals || n.Text == "True" || n.Text == "None"
		case peg.Peek, peg.Not:
			return
		}
		for _, k := range n.Kids {
			walk(k)
		}
	}
	walk(id)
	return s
}

// top is the whole schema. Where the text is bare, strings are bare, and nothing below them. A schema that allows anything
// allows what the program can read there.
func (c *converter) top(s *value, leaf *peg.Node, name string) (*expr, error) {
	if c.bare != nil {
		return c.raw(s, "#", name, 0)
	}
	if s.isEmpty() {
		return c.b.primitive("object", c.spelling), nil
	}
	e, err := c.visit(s, "#", name)
	if err == nil && leaf.Op == peg.Value && same(e, c.b.primitive("value", c.spelling)) {
		return c.b.value(leaf.Values), nil
	}
	return e, err
}

func bad(path, format string, args ...any) error {
	return &SchemaError{Path: path, Message: fmt.Sprintf(format, args...)}
}

// contradiction is the error of a schema that no value follows.
func contradiction(path, format string, args ...any) error {
	return &SchemaError{Path: path, Message: fmt.Sprintf(format, args...), contradiction: true}
}

func isContradiction(err error) bool {
	var e *SchemaError
	return errors.As(err, &e) && e.contradiction
}

// pathOf is where an error in a schema is.
func pathOf(err error) string {
	var e *SchemaError
	if !errors.As(err, &e) {
		return ""
	}
	return e.Path
}

func (c *converter) note(path, format string, args ...any) {
	c.b.note("schema: %s: %s", path, fmt.Sprintf(format, args...))
}

// at is the JSON pointer to what steps lead to from path: a field, or a field and the index of an item.
func at(path, field string, items ...int) string {
	path += "/" + pointerEscape.Replace(field)
	for _, i := range items {
		path += "/" + strconv.Itoa(i)
	}
	return path
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// visit is the JSON text of a value that follows s. Each question takes what it answers; the first that fits does.
func (c *converter) visit(s *value, path, name string) (*expr, error) {
	if c.b.room--; c.b.room < 0 {
		return nil, bad(path, "the program's schemas are too large: more than %d parts", maxSchemaWork)
	}
	if c.depth++; c.depth > maxDepth {
		return nil, bad(path, "what must hold here refers to itself")
	}
	defer func() { c.depth-- }()
	switch {
	case s.isTrue(), s.isEmpty():
		return c.b.primitive("value", c.spelling), nil
	case s.isFalse():
		return nothing, nil
	case !s.is(objectKind):
		return nil, bad(path, "expected an object or a boolean, found %v", s.kind)
	}
	s, err := c.wellFormed(s, path)
	if err != nil {
		return nil, err
	}
	e, err := c.form(s, path, name)
	if err == nil && s.get("nullable").isTrue() {
		e = alt(e, c.b.primitive("null", c.spelling))
	}
	return e, err
}

// positive is s with what it rules out, and says under conditions, put as what there is instead: constants, types and choices. What
// cannot be put so is noted.
func (c *converter) positive(s *value, path string) (*value, error) {
	if !s.hasAny("const", "enum") {
		s = c.complemented(s)
	}
	if s.isFalse() || s.hasAny("const", "enum") {
		return s, nil
	}
	s, err := c.conditional(s, path, true)
	if err == nil {
		c.unsupported(s, path)
	}
	return s, err
}

// form goes by the shape of s.
func (c *converter) form(s *value, path, name string) (*expr, error) {
	s, err := c.positive(s, path)
	switch {
	case err != nil:
		return nil, err
	case s.isFalse():
		return nothing, nil
	case s.hasAny("const", "enum"):
		values, err := c.constantsOf(s, path)
		return c.constants(values), err
	case s.has("$ref"):
		return c.reference(s, path)
	case s.has("allOf"):
		merged, where, err := c.allOf(s, path)
		if err != nil {
			return nil, err
		}
		return c.visit(merged, where, name)
	case s.has(conditioned):
		return c.union(s, conditioned, path, name)
	case s.has("anyOf"):
		return c.union(s, "anyOf", path, name)
	case s.has("oneOf"):
		return c.union(s, "oneOf", path, name)
	case s.get("type").is(arrayKind):
		return c.types(s, path, name)
	}
	return c.typed(s, path, name)
}

// typed goes by the type of s, or by the keywords that only one type has.
func (c *converter) typed(s *value, path, name string) (*expr, error) {
	kind := impliedType(s)
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
		return c.b.primitive(kind, c.spelling), nil
	}
	return c.b.primitive("value", c.spelling), nil
}

// impliedType is the type of s; without one, the type that its keywords are for, or "".
func impliedType(s *value) string {
	if t := s.get("type"); t != nil {
		return t.text
	}
	switch {
	case s.hasAny("properties", "additionalProperties", "required", "patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties"):
		return "object"
	case s.hasAny("items", "prefixItems", "minItems", "maxItems", "unevaluatedItems"):
		return "array"
	case s.hasAny("pattern", "minLength", "maxLength"), knownFormat(s.get("format")):
		return "string"
	case s.hasAny("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
		return "number"
	}
	return ""
}

// types is the union over a list of types.
func (c *converter) types(s *value, path, name string) (*expr, error) {
	var kids []*expr
	for i, one := range perType(s) {
		e, err := c.visit(one, path, name+"-"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		kids = append(kids, e)
	}
	return alt(kids...), nil
}

// perType is s for each of its types.
func perType(s *value) []*value {
	var out []*value
	for _, t := range s.get("type").items {
		one := s.but("type", "nullable")
		one.set("type", t)
		out = append(out, one)
	}
	return out
}
