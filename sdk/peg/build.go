package peg

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Builder builds programs. Each method adds a node and returns its ID, for use as a kid of other nodes; a node may have
// several parents. The zero value is ready to use.
type Builder struct {
	nodes []Node
	rules map[string]ID
}

// Grow allocates space for n more nodes.
func (b *Builder) Grow(n int) { b.nodes = slices.Grow(b.nodes, n) }

func (b *Builder) add(n Node) ID {
	if len(b.nodes) == cap(b.nodes) {
		b.Grow(max(16, len(b.nodes))) // append would grow large slices by a quarter, and copy most nodes five times
	}
	b.nodes = append(b.nodes, n)
	return ID(len(b.nodes) - 1)
}

// Build returns the program with the given root. It copies nothing: the builder must not be used afterwards.
func (b *Builder) Build(root ID) *Program { return &Program{Nodes: b.nodes, Root: root} }

// Empty always matches, and consumes nothing.
func (b *Builder) Empty() ID { return b.add(Node{Op: Empty}) }

// End matches at the end of the input.
func (b *Builder) End() ID { return b.add(Node{Op: End}) }

// Lit matches text; an empty text always matches.
func (b *Builder) Lit(text string) ID {
	if text == "" {
		return b.Empty()
	}
	return b.add(Node{Op: Literal, Text: text})
}

// Seq matches kids one after the other.
func (b *Builder) Seq(kids ...ID) ID {
	if len(kids) == 1 {
		return kids[0]
	}
	return b.add(Node{Op: Sequence, Kids: kids})
}

// Choice matches the first of kids that matches.
func (b *Builder) Choice(kids ...ID) ID {
	if len(kids) == 1 {
		return kids[0]
	}
	return b.add(Node{Op: Choice, Kids: kids})
}

// Repeat matches kid lo to hi times; hi < 0 means no upper bound.
func (b *Builder) Repeat(lo, hi int, kid ID) ID {
	return b.add(Node{Op: Repeat, Min: lo, Max: hi, Kids: []ID{kid}})
}

// Optional matches kids in sequence, or nothing.
func (b *Builder) Optional(kids ...ID) ID { return b.Repeat(0, 1, b.Seq(kids...)) }

// Star matches kids in sequence any number of times.
func (b *Builder) Star(kids ...ID) ID { return b.Repeat(0, -1, b.Seq(kids...)) }

// Plus matches kids in sequence at least once.
func (b *Builder) Plus(kids ...ID) ID { return b.Repeat(1, -1, b.Seq(kids...)) }

// Peek succeeds, consuming nothing, where kid would match.
func (b *Builder) Peek(kid ID) ID { return b.add(Node{Op: Peek, Kids: []ID{kid}}) }

// Not succeeds, consuming nothing, where kid would not match.
func (b *Builder) Not(kid ID) ID { return b.add(Node{Op: Not, Kids: []ID{kid}}) }

// Any matches one character.
func (b *Builder) Any() ID { return b.add(Node{Op: Any}) }

// Chars matches lo to hi characters in the given ranges; hi < 0 means no upper bound.
func (b *Builder) Chars(lo, hi int, ranges ...Range) ID {
	return b.add(Node{Op: Chars, Min: lo, Max: hi, Ranges: ranges})
}

// NotChars matches lo to hi characters outside the given ranges; hi < 0 means no upper bound.
func (b *Builder) NotChars(lo, hi int, ranges ...Range) ID {
	return b.add(Node{Op: Chars, Min: lo, Max: hi, Ranges: ranges, Negated: true})
}

// Space matches white space, possibly none.
func (b *Builder) Space() ID { return b.add(Node{Op: Space}) }

// Until matches up to the nearest of delims, not consuming it, or up to the end of the input.
func (b *Builder) Until(delims ...string) ID { return b.add(Node{Op: Until, Delims: delims}) }

// Rest matches the rest of the input.
func (b *Builder) Rest() ID { return b.Until() }

// Value matches one value of the kinds v.
func (b *Builder) Value(v Values) ID { return b.add(Node{Op: Value, Values: v}) }

// StringContent matches the inside of a string up to quote (one byte), which it does not consume.
func (b *Builder) StringContent(quote string) ID {
	return b.add(Node{Op: StringContent, Text: quote})
}

// Rule names kid. For a rule that refers to itself, call Ref first and then Rule.
func (b *Builder) Rule(name string, kid ID) ID {
	id := b.Ref(name)
	b.nodes[id].Kids = []ID{kid}
	return id
}

// Ref refers to the rule of that name, which may be defined later. Validate reports one that never is.
func (b *Builder) Ref(name string) ID {
	if id, ok := b.rules[name]; ok {
		return id
	}
	if b.rules == nil {
		b.rules = map[string]ID{}
	}
	id := b.add(Node{Op: Rule, Text: name})
	b.rules[name] = id
	return id
}

// Trigger names kid as the beginning of a call: a lazy grammar starts there, and parsing resumes there after recovery.
func (b *Builder) Trigger(name string, kid ID) ID {
	return b.add(Node{Op: Trigger, Text: name, Kids: []ID{kid}})
}

// Atomic matches kids in sequence and delivers nothing of them until they are complete.
func (b *Builder) Atomic(kids ...ID) ID { return b.add(Node{Op: Atomic, Kids: []ID{b.Seq(kids...)}}) }

// Schema matches kid, a JSON value; the grammar enforces the JSON Schema on it. Without a schema it is kid itself.
func (b *Builder) Schema(schema jsonschema.Schema, kid ID) ID {
	if schema.IsZero() {
		return kid
	}
	return b.add(Node{Op: Schema, JSONSchema: schema, Kids: []ID{kid}})
}

// RawSchema matches kid, the bare text of a string value; the grammar enforces the JSON Schema on it. Without a schema it
// is kid itself.
func (b *Builder) RawSchema(schema jsonschema.Schema, kid ID) ID {
	if schema.IsZero() {
		return kid
	}
	return b.add(Node{Op: Schema, JSONSchema: schema, Raw: true, Kids: []ID{kid}})
}

// Tag gives the text of kids, in sequence, the meaning role.
func (b *Builder) Tag(role Role, kids ...ID) ID {
	return b.add(Node{Op: Tag, Role: role, Kids: []ID{b.Seq(kids...)}})
}

// Given delivers text as if the output had it here; role is CallName, CallID or Key.
func (b *Builder) Given(role Role, text string) ID {
	return b.add(Node{Op: Tag, Role: role, Text: text, Kids: []ID{b.Empty()}})
}

// Missing matches the empty text, and makes the report count that marker should stand here and does not. Use it in rules for
// the parser alone, as an alternative to what requires the marker.
func (b *Builder) Missing(marker string) ID {
	return b.add(Node{Op: Tag, Role: Missing, Text: marker, Kids: []ID{b.Empty()}})
}

// Prompt matches the generation prompt up to the first of delims in it.
func (b *Builder) Prompt(delims ...string) ID { return b.add(Node{Op: Prompt, Delims: delims}) }
