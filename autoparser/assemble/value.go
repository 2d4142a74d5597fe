package assemble

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// The value of an argument in markup is text; only the schema tells its type. A value is read, in
// this order, as
//
//	a number, a boolean or null   if the schema allows one and the whole text is one
//	an object or an array         if the schema allows one and the text begins like one
//	a string                      otherwise, as it is
//
// so that a value of the wrong type is delivered as text rather than lost.

// value matches a value of the given kinds, and the marker after it. Equal values share a rule.
func (f tagWithTagged) value(s jsonschema.Schema, kinds peg.Values) peg.ID {
	return f.OncePer("value", fmt.Sprint(f.e.own, kinds, s.Key()), func() peg.ID { return f.newValue(s, kinds) })
}

func (f tagWithTagged) newValue(s jsonschema.Schema, kinds peg.Values) peg.ID {
	var kids []peg.ID
	if kinds&turn.Scalars != 0 {
		kids = append(kids, f.Seq(f.ShortBefore(s, kinds, f.suffixAhead()), f.Space()))
	}
	if kinds&turn.Containers != 0 {
		kids = append(kids, f.Seq(f.long(s, kinds), f.Space()))
	}
	if kinds&peg.StringValue != 0 {
		kids = append(kids, f.text(s))
	} else {
		kids = append(kids, f.OnlyHere("mistyped", f.text(jsonschema.Schema{})))
	}
	return f.Seq(f.Choice(kids...), f.suffix())
}

// suffix matches the marker after a value, which models forget before the next argument and before
// the end of the call.
func (f tagWithTagged) suffix() peg.ID {
	own := f.Lit(f.e.ValueSuffix)
	if len(f.without()) == 0 {
		return own
	}
	return f.Choice(own, f.Once("~no-suffix", func() peg.ID { return f.Seq(f.Peek(f.lostEnd()), f.Omitted(f.e.ValueSuffix)) }))
}

// suffixAhead is a lookahead for suffix.
func (f tagWithTagged) suffixAhead() peg.ID {
	return f.per("suffix-ahead", func() peg.ID {
		end := f.Seq(f.Blanks(), f.Lit(f.e.ValueSuffix))
		if len(f.without()) > 0 {
			end = f.Choice(end, f.OnlyHere("lost-suffix-ahead", f.Blanks(), f.lostEnd()))
		}
		return f.Peek(end)
	})
}

// long matches an object or an array as JSON or Python writes it; grammars allow only JSON.
func (f tagWithTagged) long(s jsonschema.Schema, kinds peg.Values) peg.ID {
	lenient := f.Once("~lenient-value", func() peg.ID { return f.Tag(peg.Scalar, f.Value(turn.Containers|python)) })
	exact := f.Tag(peg.Scalar, f.exact(turn.Containers, s.Only((kinds&turn.Containers).Kinds())))
	return f.Seq(f.Space(), f.Peek(f.ContainerAhead()), f.Choice(lenient, exact))
}

// text matches a string as it is, without the template's own white space at its edges, which grammars
// require: any other is part of the string. It continues past a marker that is not followed by what may follow a value.
func (f tagWithTagged) text(s jsonschema.Schema) peg.ID {
	ends := nonempty(f.e.tail+f.e.ValueSuffix, f.e.ValueSuffix)
	first := f.RawSchema(s.Only(jsonschema.String), f.Until(slices.Concat(ends, f.falseEnds())...))
	for _, text := range append(f.without(), f.starts()...) {
		ends = append(ends, nonempty(f.e.tail+text, "\n"+text, text)...) // whose line break belongs to the marker, then
	}
	spelled := f.per("~spelled-in-text", func() peg.ID {
		return f.Seq(f.Not(f.valueEnd()), f.OneOf(ends...), f.Until(ends...))
	})
	lenient := f.per("~lenient-text", func() peg.ID { return f.Until(ends...) })
	text := []peg.ID{f.Tag(peg.String, f.Choice(lenient, first), f.Star(spelled)), f.Choice(f.Once("~space", f.Space), f.Lit(f.e.tail))}
	if f.e.lead != "" {
		text = append([]peg.ID{f.Tolerate(f.Lit(f.e.lead))}, text...)
	}
	return f.Seq(text...)
}

// valueEnd matches the end of a value: its marker and something that may follow it, what follows if
// the marker is missing, or another call.
func (f tagWithTagged) valueEnd() peg.ID {
	follow := []peg.ID{f.End()}
	for _, text := range f.follows() {
		follow = append(follow, f.Lit(text))
	}
	end := f.Seq(f.Lit(f.e.ValueSuffix), f.Blanks(), f.Choice(follow...))
	if len(f.without()) > 0 {
		end = f.Choice(end, f.lostEnd())
	}
	if len(f.starts()) > 0 {
		end = f.Choice(end, f.nextCall())
	}
	return f.Seq(f.Blanks(), end)
}

// starts returns the markers one of which begins a call. A value that is never closed ends before
// the next call of a known tool, which it would swallow otherwise; its own call stays open.
func (f tagWithTagged) starts() []string {
	if len(f.without()) == 0 || len(f.begins()) == 0 {
		return nil
	}
	t := f.m.Tools
	return slices.DeleteFunc(nonempty(t.SectionStart, t.PerCallStart), common)
}

// nextCall matches the beginning of a call of a known tool, up to its first argument.
func (f tagWithTagged) nextCall() peg.ID {
	return f.Once("~next-call-in-value", func() peg.ID {
		call, marker := tagged{f.assembly, f}, f.Seq(f.OneOf(f.starts()...), f.Blanks())
		return f.Seq(marker, f.Optional(marker), call.before(), call.name(f.Tools...), f.Blanks(), f.OneOf(f.begins()...))
	})
}

// without returns the texts at which a value can end without its own marker: those before the next
// argument and at the end of the call, if they are markers.
func (f tagWithTagged) without() []string {
	if common(f.e.ValueSuffix) || f.writesLiterals() {
		return nil
	}
	texts := slices.DeleteFunc(nonempty(f.e.NamePrefix), common)
	if ends := f.callEnds(); len(ends) > 0 {
		texts = append(texts, ends[0])
	}
	return texts
}

// callEnds returns the markers that end a call after its arguments, in order.
func (f tagWithTagged) callEnds() []string {
	return slices.DeleteFunc(nonempty(f.e.End, f.m.Tools.Function.Close, f.m.Tools.PerCallEnd, f.m.Tools.SectionEnd), common)
}

// lostEnd matches what follows a value whose marker is missing: a declared argument, or the end of
// the call with what follows that. A text may contain either alone.
func (f tagWithTagged) lostEnd() peg.ID {
	return f.Once("~lost-end", func() peg.ID {
		var ways []peg.ID
		if names := f.declaredNames(); !common(f.e.NamePrefix) && len(names) > 0 {
			ways = append(ways, f.Seq(f.Lit(f.e.NamePrefix), f.OneOf(names...), f.Lit(f.closing())))
		}
		if ends := f.callEnds(); len(ends) > 0 {
			behind := []peg.ID{f.End()}
			for _, text := range nonempty(append(append(ends[1:], f.openers()...), f.Ends...)...) {
				behind = append(behind, f.Lit(text))
			}
			ways = append(ways, f.Seq(f.Lit(ends[0]), f.Blanks(), f.Choice(behind...)))
		}
		return f.Choice(ways...)
	})
}

// maxFalseEnds bounds the texts that grammars keep out of strings.
const maxFalseEnds = 64

// falseEnds returns the texts within a string that lostEnd takes for its end; none if there are too
// many.
func (f tagWithTagged) falseEnds() (texts []string) {
	if len(f.without()) == 0 {
		return nil
	}
	if !common(f.e.NamePrefix) {
		for _, name := range f.declaredNames() {
			texts = append(texts, f.e.NamePrefix+name+f.closing())
		}
	}
	prefix := f.m.Tools.Function.NamePrefix
	for _, start := range f.starts() {
		texts = append(texts, nonempty(start+prefix, start+"\n"+prefix)...)
	}
	if ends := f.callEnds(); len(ends) > 0 {
		for _, behind := range nonempty(slices.Concat(ends[1:], f.openers(), f.Ends)...) {
			texts = append(texts, ends[0]+behind, ends[0]+"\n"+behind)
		}
	}
	if len(texts) > maxFalseEnds {
		return nil
	}
	return texts
}

// manyNames bounds the argument names that are looked for within texts.
const manyNames = 256

// declaredNames returns the names of the tools' declared arguments; none if there are too many.
func (f tagWithTagged) declaredNames() []string {
	var names []string
	for _, t := range f.Tools {
		for _, p := range t.Parameters.Properties() {
			names = append(names, p.Name)
		}
	}
	if names = nonempty(names...); len(names) > manyNames {
		return nil
	}
	return names
}
