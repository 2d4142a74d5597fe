package assemble

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// tagWithTagged reads arguments in markup, each with its name: <parameter=a>1</parameter>. They may
// come in any order, be repeated or missing. The tool's JSON Schema determines the types of values.
type tagWithTagged struct {
	*assembly
	e edges
}

// edges are the trimmed markers around arguments, and the template's own white space beside them.
type edges struct {
	dialect.Arguments
	lead, tail         string // around a value
	nameLead, nameTail string // around a name
	own                string // the name of the argument, where a marker behind its value holds it
}

func edgesOf(g, trimmed dialect.Arguments) edges {
	before := g.NameSuffix + g.ValuePrefix
	return edges{
		Arguments: trimmed,
		lead:      before[len(strings.TrimRight(before, " \t\r\n")):],
		nameLead:  g.NamePrefix[len(strings.TrimRight(g.NamePrefix, " \t\r\n")):],
		nameTail:  before[:len(before)-len(strings.TrimLeft(before, " \t\r\n"))],
		tail:      g.ValueSuffix[:len(g.ValueSuffix)-len(strings.TrimLeft(g.ValueSuffix, " \t\r\n"))],
	}
}

func (f tagWithTagged) begins() []string {
	return nonempty(f.e.Start, f.e.NamePrefix)
}

// follows returns the texts one of which follows a value and its markers.
func (f tagWithTagged) follows() []string {
	return nonempty(f.e.Separator, f.e.NamePrefix, f.e.End, f.m.Tools.Function.Close, f.m.Tools.PerCallEnd, f.m.Tools.SectionEnd)
}

func (f tagWithTagged) args(t turn.Tool) peg.ID {
	kids := []peg.ID{}
	if f.e.Start != "" {
		kids = append(kids, f.Marker(f.e.Start, f.Space()))
	}
	members := f.OncePer("members", t.Parameters.Key(), func() peg.ID { return f.Tag(peg.Object, f.members(t)) })
	if distinctive(f.e.NamePrefix) {
		members = f.Choice(f.Once("~object", f.asObject), members)
	}
	kids = append(kids, members)
	if f.e.End != "" {
		kids = append(kids, f.Marker(f.e.End, f.Space()))
	}
	return f.Seq(kids...)
}

// asObject matches the arguments as one JSON object in place of the markup.
func (f tagWithTagged) asObject() peg.ID {
	return f.Seq(f.Peek(f.ObjectAhead()), f.Tag(peg.Arguments, f.Value(peg.ObjectValue|python)), f.Space())
}

// members matches the arguments one by one. The parser accepts any of them, in any order and
// number; grammars require those that the tool requires.
func (f tagWithTagged) members(t turn.Tool) peg.ID {
	unknown, ok := f.unknown()
	if ok && f.Shared() > maxRules {
		f.note("the request declares too many arguments: for its last tools, the constraint does not enforce their schemas")
		return f.Star(f.argument(unknown))
	}
	var ways []peg.ID
	list := turn.List{Wrap: f.argument}
	required, properties := t.Parameters.Required(), t.Parameters.Properties()
	for _, p := range properties {
		ways = append(ways, f.declared(p))
		list.Arguments = append(list.Arguments, turn.Argument{Node: ways[len(ways)-1], Required: slices.Contains(required, p.Name)})
	}
	if additional, open := t.Parameters.Additional(); open && ok {
		list.Arguments = append(list.Arguments, turn.Argument{Node: f.additional(properties, additional), Repeated: true})
	}
	if ok {
		ways = append(ways, f.Once("~unknown-argument", func() peg.ID { return unknown }))
	}
	if len(ways) == 0 {
		return f.Empty()
	}
	if f.writesLiterals() && f.e.Separator != "" {
		list.Separator = f.e.Separator
		list.Wrap = func(ways ...peg.ID) peg.ID { return f.Seq(f.Lit(f.e.NamePrefix), f.Choice(ways...), f.Space()) }
	}
	return f.Choice(f.OnlyHere("any-arguments", f.Star(f.argument(ways...))), f.Complete(list))
}

// maxRules bounds the rules for the arguments of all tools. Arguments of further tools are not
// distinguished: their values are typed by what they look like.
const maxRules = 5000

// additional matches an argument that a tool allows besides those declared.
func (f tagWithTagged) additional(declared []jsonschema.Property, s jsonschema.Schema) peg.ID {
	ends, _ := f.keyEnds()
	if f.writesLiterals() {
		ends = notInNames
	}
	names := make([]string, len(declared))
	for i, p := range declared {
		names[i] = p.Name
	}
	return f.OncePer("additional", strings.Join(names, "\x00")+" "+s.Key(), func() peg.ID { return f.member(f.OtherThan(names, ends...), s.Bare()) })
}

// notInNames holds the characters outside turn.NameRanges: only names tell code from prose.
var notInNames = []peg.Range{{Hi: ','}, {Lo: '/', Hi: '/'}, {Lo: ':', Hi: '@'}, {Lo: '[', Hi: '^'}, {Lo: '`', Hi: '`'}, {Lo: '{', Hi: utf8.MaxRune}}

// unknown matches an argument of any name; false if nothing tells where its name ends.
func (f tagWithTagged) unknown() (peg.ID, bool) {
	ranges, ok := f.keyEnds()
	if !ok || f.closesArguments() {
		return 0, false
	}
	return f.Once("unknown", func() peg.ID { return f.member(f.NotChars(1, turn.MaxName, ranges...), jsonschema.Schema{}) }), true
}

// declared matches an argument of a tool from its name on. Tools with equal arguments share a rule.
func (f tagWithTagged) declared(p jsonschema.Property) peg.ID {
	bare := p.Schema.Bare()
	return f.OncePer("argument", p.Name+" "+bare.Key(), func() peg.ID { return f.closedBy(p.Name).member(f.Lit(p.Name), bare) })
}

// argument matches one of several arguments from its first marker on.
func (f tagWithTagged) argument(ways ...peg.ID) peg.ID {
	kids := []peg.ID{f.attribute(f.e.NamePrefix), f.stray(f.e.nameLead), f.Choice(ways...), f.Space()}
	if s := f.e.Separator; s != "" {
		kids = append(kids, f.Optional(f.Lit(s), f.Space()))
	}
	return f.Seq(kids...)
}

// member matches the name of an argument and its value. In some formats an attribute tells whether
// the value is a string: the marker after the name was seen with a string, and has the opposite
// truth value if the value is JSON.
func (f tagWithTagged) member(name peg.ID, s jsonschema.Schema) peg.ID {
	if f.writesLiterals() {
		return f.literal(name, s)
	}
	closing := f.closing()
	if before, after, ok := strings.Cut(closing, f.d.Tools.Arguments.TextType); ok && len(before)+len(after) < len(closing) {
		return f.typed(name, s, before, after)
	}
	kinds := peg.Values(s.Kinds())
	text, json, ok := typeMarks(closing)
	if !ok {
		return f.Seq(f.key(name, closing), f.value(s, kinds))
	}
	untyped := f.OnlyHere("untyped", f.key(name, withoutType(closing)), f.value(s, kinds))
	switch {
	case kinds == peg.StringValue:
		return f.Choice(f.Seq(f.key(name, text), f.value(s, kinds)), f.OnlyHere("not-text", f.key(name, json), f.value(jsonschema.Schema{}, peg.AnyJSON)), untyped)
	case kinds&peg.StringValue == 0:
		return f.Choice(f.Seq(f.key(name, json), f.value(s, kinds)), f.OnlyHere("as-text", f.key(name, text), f.value(s, kinds)), untyped)
	}
	return f.Choice(f.Seq(f.key(name, text), f.value(s, peg.StringValue)), f.Seq(f.key(name, json), f.value(s, kinds&^peg.StringValue)), untyped)
}

// withoutType returns a marker without the attribute that tells the value's type: of "
// string="true"> it leaves ">.
func withoutType(closing string) string {
	before, _, _ := strings.Cut(closing, " ")
	return before + closing[strings.LastIndexByte(closing, '"')+1:]
}

// typeMarks returns the spellings of a marker before strings and before other values, if it has an
// attribute for that.
func typeMarks(closing string) (text, json string, ok bool) {
	const yes, no = `="true"`, `="false"`
	switch {
	case strings.Contains(closing, yes):
		return closing, strings.Replace(closing, yes, no, 1), true
	case strings.Contains(closing, no):
		return closing, strings.Replace(closing, no, yes, 1), true
	}
	return "", "", false
}

// closing returns the marker that closes the name of an argument.
func (f tagWithTagged) closing() string {
	if f.e.NameSuffix == "" {
		return f.e.ValuePrefix
	}
	return f.e.NameSuffix
}

// key matches the name of an argument and what closes it.
func (f tagWithTagged) key(name peg.ID, closing string) peg.ID {
	key := f.Atomic(f.Tag(peg.Key, name), f.stray(f.e.nameTail), f.attributeEnd(closing, f.Lit(closing)))
	if f.e.NameSuffix == "" || f.e.ValuePrefix == "" {
		return key
	}
	return f.Seq(key, f.Choice(f.Seq(f.Space(), f.Lit(f.e.ValuePrefix)), f.Seq(f.Omitted(f.e.ValuePrefix), f.Space())))
}

// stray matches white space at an edge of a name. Grammars include it only where the template
// writes some.
func (f tagWithTagged) stray(own string) peg.ID {
	if own != "" {
		return f.Blanks()
	}
	return f.SmallGap()
}

// keyEnds returns the characters that no argument name contains, including the first one of what
// closes it; false if nothing closes it.
func (f tagWithTagged) keyEnds() ([]peg.Range, bool) {
	first, _ := utf8.DecodeRuneInString(f.closing())
	ranges := append(slices.Clone(turn.Blank), peg.Range{Lo: first, Hi: first}, peg.Range{Lo: '<', Hi: '>'})
	if first == '"' {
		ranges = append(ranges, peg.Range{Lo: '\'', Hi: '\''})
	}
	if f.e.NamePrefix == "" {
		ranges = append(ranges, peg.Range{Lo: '(', Hi: ','}, peg.Range{Lo: '[', Hi: ']'})
	}
	return ranges, first != utf8.RuneError
}
