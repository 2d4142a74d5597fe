package assemble

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// tagWithTagged reads arguments that stand in markup, each with its name: <parameter=a>1</parameter>. They may come in any
// order, be repeated or missing; what type a value has is the tool's JSON Schema to say.
type tagWithTagged struct{ *assembly }

// edge are the markers of one argument.
type edges struct {
	start, end             string // around all arguments
	namePrefix, nameSuffix string
	valuePrefix            string
	valueSuffix            string
	separator              string
	lead, tail             string // the template's own white space at the edges of a value
}

func (f tagWithTagged) edges() edges {
	trim := strings.TrimSpace
	g := f.d.Tools.Arguments
	before := g.NameSuffix + g.ValuePrefix
	return edges{
		start: trim(g.Start), end: trim(g.End),
		namePrefix: trim(g.NamePrefix), nameSuffix: trim(g.NameSuffix),
		valuePrefix: trim(g.ValuePrefix), valueSuffix: trim(g.ValueSuffix),
		separator: trim(g.Separator),
		lead:      before[len(strings.TrimRight(before, " \t\r\n")):],
		tail:      g.ValueSuffix[:len(g.ValueSuffix)-len(strings.TrimLeft(g.ValueSuffix, " \t\r\n"))],
	}
}

func (f tagWithTagged) begins() []string {
	e := f.edges()
	return nonempty(e.start, e.namePrefix, f.m.close, f.m.callEnd, f.m.sectionEnd)
}

// follows are the texts one of which stands behind a value and its markers.
func (f tagWithTagged) follows() []string {
	e := f.edges()
	return nonempty(e.separator, e.namePrefix, e.end, f.m.close, f.m.callEnd, f.m.sectionEnd)
}

func (f tagWithTagged) args(t tool) peg.ID {
	e := f.edges()
	arg := []peg.ID{f.Lit(e.namePrefix), f.byKey(t), f.Space()}
	if e.separator != "" {
		arg = append(arg, f.Optional(f.Lit(e.separator), f.Space()))
	}
	kids := []peg.ID{}
	if e.start != "" {
		kids = append(kids, f.tolerate(f.Lit(e.start), f.Space()))
	}
	kids = append(kids, f.Tag(peg.Object, f.Star(arg...)))
	if e.end != "" {
		kids = append(kids, f.tolerate(f.Lit(e.end), f.Space()))
	}
	return f.Seq(kids...)
}

// byKey is the rest of an argument, from its name: one alternative for each that the tool declares, and one for others.
func (f tagWithTagged) byKey(t tool) peg.ID {
	var kids []peg.ID
	for _, p := range parametersOf(t.Parameters) {
		kids = append(kids, f.Seq(f.key(f.Lit(p.name)), f.value(p.schema)))
	}
	if chars, ok := f.keyChars(); ok {
		kids = append(kids, f.only("unknown-argument", f.key(chars), f.value(schema{})))
	}
	return f.Choice(kids...)
}

// key is the name of an argument and what closes it.
func (f tagWithTagged) key(name peg.ID) peg.ID {
	e := f.edges()
	if e.nameSuffix == "" {
		return f.Atomic(f.Tag(peg.Key, name), f.Lit(e.valuePrefix))
	}
	kids := []peg.ID{f.Atomic(f.Tag(peg.Key, name), f.Lit(e.nameSuffix))}
	if e.valuePrefix != "" {
		kids = append(kids, f.tolerate(f.Space(), f.Lit(e.valuePrefix)))
	}
	return f.Seq(kids...)
}

// keyChars is any name of an argument: everything up to the first character of what closes it.
func (f tagWithTagged) keyChars() (peg.ID, bool) {
	e := f.edges()
	first, _ := utf8.DecodeRuneInString(e.nameSuffix + e.valuePrefix)
	ranges := append(slices.Clone(blank), peg.Range{Lo: first, Hi: first}, peg.Range{Lo: '<', Hi: '>'})
	return f.NotChars(1, maxName, ranges...), first != utf8.RuneError
}
