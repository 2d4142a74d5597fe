package grammar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Limits of one program's schemas: visits of a subschema, and references followed inside each other without a step.
const (
	maxSchemaWork = 1 << 17
	maxReferences = 64
	maxDepth      = 512 // of visits inside each other
)

// FromSchema makes the constraint for one JSON value that follows schema.
func FromSchema(schema json.RawMessage) (*Constraint, error) {
	var p peg.Builder
	return Build(p.Build(p.Schema(schema, p.Value(peg.AnyJSON))), Options{Mode: Strict})
}

// SchemaError is what is wrong with a schema, and where.
type SchemaError struct {
	Path    string // JSON pointer from the schema's root: "#/properties/a"
	Message string
}

func (e *SchemaError) Error() string { return "schema: " + e.Path + ": " + e.Message }

// converter turns one schema into expressions. A *value is a subschema, path is where it stands.
type converter struct {
	b        *builder
	root     *value
	refs     map[string]*rule
	spelling spelling
	bare     *expr    // what a string is where the text is a bare string; nil in JSON
	escaped  bool     // a bare string stands between quotes all the same
	delims   []string // what ends a bare string
	depth    int      // visits inside each other
}

// schema is node id, of kind Schema.
func (b *builder) schema(id peg.ID, n *peg.Node) *expr {
	root, err := decode(n.JSONSchema)
	if err != nil {
		return b.fail("program: node %d: schema: %w", id, err)
	}
	c := &converter{b: b, root: root, refs: map[string]*rule{}, spelling: b.spelling(n.Kids[0])}
	if n.Raw {
		leaf := b.leaf(n.Kids[0])
		c.bare, c.escaped, c.delims = b.expr(n.Kids[0]), leaf.Op == peg.StringContent, leaf.Delims
	}
	e, err := c.top(root, b.leaf(n.Kids[0]), cmp.Or(b.scope, "value"))
	if err != nil {
		return b.fail("program: node %d: %w", id, err)
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
	e, err := c.visit(s, "#", name)
	if err == nil && leaf.Op == peg.Value && same(e, c.b.primitive("value", c.spelling)) {
		return c.b.value(leaf.Values), nil
	}
	return e, err
}

func bad(path, format string, args ...any) error {
	return &SchemaError{Path: path, Message: fmt.Sprintf(format, args...)}
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
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%", "%20", " ")
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
	case s.isTrue():
		return c.b.primitive("value", c.spelling), nil
	case s.isFalse():
		return nothing, nil
	case !s.is(objectKind):
		return nil, bad(path, "expected an object or a boolean, found %v", s.kind)
	case len(s.keys) == 0:
		return c.b.primitive("object", c.spelling), nil
	}
	if err := c.wellFormed(s, path); err != nil {
		return nil, err
	}
	c.unsupported(s, path)
	e, err := c.form(s, path, name)
	if err == nil && s.get("nullable").isTrue() {
		e = alt(e, c.b.primitive("null", c.spelling))
	}
	return e, err
}

// form goes by the shape of s.
func (c *converter) form(s *value, path, name string) (*expr, error) {
	switch {
	case s.has("$ref"):
		return c.reference(s, path, name)
	case s.has("const"):
		return c.constants([]*value{s.get("const")}, nil), nil
	case s.has("enum"):
		return c.constants(s.get("enum").items, s.get("type")), nil
	case s.has("allOf"):
		return c.allOf(s, path, name)
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
	case "integer":
		return c.integer(s, path)
	case "number":
		return c.number(s, path)
	case "boolean", "null":
		return c.b.primitive(kind, c.spelling), nil
	case "":
		return c.b.primitive("value", c.spelling), nil
	}
	return nil, bad(at(path, "type"), "unknown type %q: there are object, array, string, number, integer, boolean and null", kind)
}

// impliedType is the type of s; without one, the type that its keywords are for, or "".
func impliedType(s *value) string {
	if t := s.get("type"); t != nil {
		return t.text
	}
	switch {
	case s.hasAny("properties", "additionalProperties", "required"):
		return "object"
	case s.hasAny("items", "prefixItems", "minItems", "maxItems"):
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

// constants are literal values; without those that the type rules out, if that leaves any.
func (c *converter) constants(values []*value, kind *value) *expr {
	var all, fitting []*expr
	for _, v := range values {
		e := c.constant(v)
		all = append(all, e)
		if kind == nil || hasType(v, kind) {
			fitting = append(fitting, e)
		}
	}
	if len(fitting) > 0 {
		all = fitting
	}
	return alt(all...)
}

// constant is one value, in each of its spellings.
func (c *converter) constant(v *value) *expr {
	if v.kind == stringKind {
		return c.b.quoted(c.spelling, func(single bool) *expr {
			if single {
				return text(escape(v.text, '\''))
			}
			return text(escape(v.text, '"'))
		})
	}
	if v.kind == boolKind || v.kind == nullKind {
		return c.b.word(v.compact(), c.spelling)
	}
	return text(v.compact())
}

func hasType(v, kind *value) bool {
	names := append(kind.strings(), kind.text)
	return slices.Contains(names, map[valueKind]string{
		nullKind: "null", boolKind: "boolean", numberKind: "number", stringKind: "string", arrayKind: "array", objectKind: "object",
	}[v.kind]) || v.kind == numberKind && slices.Contains(names, "integer")
}

// union is one of the subschemas under key; what stands beside key holds for each of them.
func (c *converter) union(s *value, key, path, name string) (*expr, error) {
	beside := c.constraints(s.but(key))
	var kids []*expr
	for i, one := range s.get(key).items {
		where := at(path, key, i)
		if beside != nil && !c.implies(one, beside) {
			merged, err := c.merge(beside, one, where, 0)
			if err != nil {
				return nil, err
			}
			one = merged
		}
		e, err := c.visit(one, where, name+"-"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		kids = append(kids, e)
	}
	return alt(kids...), nil
}
