package assemble

import (
	"cmp"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// Where values of arguments are written as JSON or Python, as in f(city="Oslo", days=3), a value
// tells its own type and end. Only grammars enforce the schema.

// writesLiterals reports whether the values of arguments are JSON.
func (a *assembly) writesLiterals() bool { return a.d.Tools.Arguments.ValuesAreJSON }

// bareOpeners returns the texts that begin calls without markers: the name of a tool with what
// opens its arguments, after the bracket of a list or else at the beginning of a line; and what
// models write around code.
func (f tagged) bareOpeners() []string {
	before := "\n"
	switch {
	case f.arrayed():
		before = "["
	case f.closesByName():
		before = ""
	}
	openers := make([]string, 0, 2*len(f.Tools))
	for _, t := range f.Tools {
		opener := before + f.m.Tools.Function.NamePrefix + t.Name + f.nameEnd()
		if f.arrayed() {
			openers = append(openers, "\n"+opener)
		}
		openers = append(openers, opener)
	}
	if distinctive(f.m.Tools.CallSeparator) {
		for _, t := range f.Tools {
			openers = append(openers, f.separated(f.m.Tools.Function.NamePrefix+t.Name+f.nameEnd())...)
		}
	}
	if f.bareCode() {
		openers = append(openers, "\n"+turn.Fence, "\n<", "<|", "<｜") // within a line, prose quotes code so
	}
	return openers
}

// nameEnd returns what ends the name of a call without markers.
func (f tagged) nameEnd() string {
	if before, _, twice := strings.Cut(f.d.Tools.Function.NameSuffix, dialect.NamePlaceholder); twice {
		_, end := diff.FirstMarker(before)
		return before[:end]
	}
	if f.nameFirst() {
		return cmp.Or(strings.TrimRight(f.d.Tools.Function.NameSuffix, " \t\r\n"), "\n")
	}
	return f.m.Tools.Function.NameSuffix
}

// nameFirst reports whether a call begins with the name of a tool, followed by the end of the line
// or a marker, and then by the arguments, an object. If the name stands twice, words may precede the
// first, and the arguments may be in markup.
func (a *assembly) nameFirst() bool {
	f := a.d.Tools.Function
	if strings.Contains(f.NameSuffix, dialect.NamePlaceholder) {
		return common(f.NamePrefix) && distinctive(f.NameSuffix)
	}
	return a.d.Tools.Format == dialect.TagWithJSON && f.NamePrefix == "" && (f.NameSuffix == "\n" || distinctive(strings.TrimSpace(f.NameSuffix)))
}

// argumentAhead matches, for calls without markers, what tells a call from prose after the name: an
// argument, or the end of the arguments and of the line.
func (f tagged) argumentAhead() peg.ID {
	if !f.markerless() || f.closesByName() {
		return f.Empty()
	}
	return f.Once("argument-ahead", func() peg.ID {
		if f.nameFirst() {
			return f.Peek(f.Seq(f.Blanks(), f.OneOf(nonempty(append(f.inner.begins(), f.m.Tools.Function.Close)...)...)))
		}
		key := f.Seq(f.AnyName(), f.Blanks(), f.OneOf(nonempty(f.m.Tools.Arguments.NameSuffix)...))
		ends := append([]string{"\n", ",", "]", "<|", "<｜"}, f.Ends...)
		none := f.Seq(f.Lit(f.m.Tools.Function.Close), f.Chars(0, 32, peg.Range{Lo: ' ', Hi: ' '}), f.Choice(f.OneOf(ends...), f.End()))
		return f.Peek(f.Seq(f.Blanks(), f.Choice(key, none)))
	})
}

// literal matches the name of an argument and its value.
func (f tagWithTagged) literal(name peg.ID, s jsonschema.Schema) peg.ID {
	key := []peg.ID{f.Atomic(f.Tag(peg.Key, name), f.Blanks(), f.Lit(f.closing())), f.Space()}
	if f.e.NameSuffix != "" && f.e.ValuePrefix != "" {
		key = append(key, f.Marker(f.e.ValuePrefix, f.Space()))
	}
	return f.Seq(append(key, f.literalValue(s), f.Space(), f.Lit(f.e.ValueSuffix))...)
}

// literalValue matches a quoted text or another value. If a marker ends it, a text may have lost
// its quotes.
func (f tagWithTagged) literalValue(s jsonschema.Schema) peg.ID {
	return f.OncePer("literal", s.Key(), func() peg.ID { return f.newLiteral(s) })
}

func (f tagWithTagged) newLiteral(s jsonschema.Schema) peg.ID {
	quoted := f.Once("~quoted", func() peg.ID { return f.Choice(f.quoted("'"), f.quoted(`"`)) })
	other := f.Seq(f.Not(f.Lit("'")), f.Not(f.Lit(`"`)), f.Tag(peg.Scalar, f.Schema(s.Only(jsonschema.Any), f.Value(peg.AnyPython))))
	ways := []peg.ID{quoted, other}
	if distinctive(f.e.ValueSuffix) {
		ways = append(ways, f.OnlyHere("unquoted", f.text(jsonschema.Schema{})))
	}
	return f.Choice(ways...)
}

// quoted matches a text up to the quote that ends it. Templates quote without escaping, and models
// learn it from them: a quote that is not followed by what may follow a value is part of the text.
func (f tagWithTagged) quoted(quote string) peg.ID {
	behind := nonempty(f.e.ValueSuffix)
	if len(behind) == 0 {
		behind = f.follows()
	}
	end := f.Seq(f.Lit(quote), f.Blanks(), f.Choice(f.OneOf(behind...), f.End()))
	inside := f.StringContent(quote)
	return f.Seq(f.Lit(quote), f.Tag(peg.QuotedString, inside, f.Star(f.Not(end), f.Lit(quote), inside)), f.Lit(quote))
}
