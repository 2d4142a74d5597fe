package assemble

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// tagged reads calls whose names stand in markup; inner reads their arguments.
type tagged struct {
	*assembly
	inner interface {
		// begins returns the texts one of which begins the arguments, after the name and its markup.
		begins() []string
		// args matches the arguments of t.
		args(t turn.Tool) peg.ID
	}
}

// opening returns the text before the name if it is a marker, or if there is no other marker: then
// words are enough, because what follows the name tells a call from prose.
func (f tagged) opening() string {
	p := f.m.Tools.Function.NamePrefix
	first, _ := utf8.DecodeRuneInString(p)
	switch {
	case distinctive(p) && strings.ContainsRune(diff.Openers+"{", first) || special(p):
		return p
	case f.m.Tools.SectionStart != "" || f.m.Tools.PerCallStart != "":
		return ""
	case f.beginsWithID():
		return f.m.Tools.CallID.Prefix
	case distinctive(p) || !f.nameFirst() && len(p) >= shortestWords && len(f.m.Tools.Function.NameSuffix) >= shortestWords:
		return p
	}
	return ""
}

// shortestWords is the length of the shortest text around a name that tells a call from prose
// without being a marker.
const shortestWords = 4

// beginsWithID reports whether only its own marker precedes the id of a call.
func (f tagged) beginsWithID() bool {
	return f.d.Tools.CallID.Position == dialect.CallIDBeforeName && f.m.Tools.PerCallStart == "" && distinctive(f.m.Tools.CallID.Prefix)
}

func (f tagged) before() peg.ID {
	prefix := f.attribute(f.m.Tools.Function.NamePrefix)
	if own := f.d.Tools.Function.NamePrefix; own != strings.TrimRight(own, " \t\r\n") {
		prefix = f.Seq(prefix, f.Space())
	}
	switch {
	case f.d.Tools.CallID.Position != dialect.CallIDBeforeName:
		return prefix
	case f.beginsWithID():
		return f.Seq(f.id(), f.Space(), prefix)
	}
	return f.Seq(f.Tolerate(f.Seq(f.id(), f.Space())), prefix)
}

func (f tagged) ways() []peg.ID { return []peg.ID{f.Seq(f.before(), f.byName(f), f.closers())} }

func (f tagged) name(of ...turn.Tool) peg.ID {
	if len(of) != 1 {
		return f.Atomic(f.oneNamed(of), f.closing(""))
	}
	return f.Atomic(f.oneNamed(of), f.closing(of[0].Name))
}

func (f tagged) anyName() (peg.ID, bool) {
	chars := slices.Clone(turn.NameRanges)
	if first, _ := utf8.DecodeRuneInString(f.m.Tools.Function.NameSuffix); slices.ContainsFunc(chars, func(r peg.Range) bool { return r.Lo <= first && first <= r.Hi }) {
		return 0, false // nothing tells where the name ends
	}
	if f.markerless() || f.closesByName() {
		return 0, false // only the name tells a call from prose
	}
	for _, c := range ":/" {
		if first, _ := utf8.DecodeRuneInString(f.m.Tools.Function.NameSuffix); first != c {
			chars = append(chars, peg.Range{Lo: c, Hi: c})
		}
	}
	name := []peg.ID{f.Tag(peg.CallName, f.Chars(1, turn.MaxName, chars...))}
	if f.m.Tools.Function.NameSuffix != "" {
		name = append(name, f.closing(""))
	}
	if f.m.Tools.Function.NameSuffix == "" || len(f.ends()) == 0 {
		name = append(name, f.Peek(f.begun("{", turn.Fence))) // a word alone is prose
	}
	return f.Atomic(name...), true
}

// closing matches what closes the name: its suffix, which may contain it again, or, if there is
// none, what must follow. An unknown name is empty.
func (f tagged) closing(name string) peg.ID {
	if before, after, twice := strings.Cut(f.d.Tools.Function.NameSuffix, dialect.NamePlaceholder); twice {
		again := f.OnlyHere("other-name", f.AnyName())
		if name != "" {
			again = f.Choice(f.Lit(name), again)
		}
		return f.Seq(f.spaced(before), again, f.spaced(after), f.argumentAhead())
	}
	if f.m.Tools.Function.NameSuffix != "" {
		return f.Seq(f.attributeEnd(f.m.Tools.Function.NameSuffix, f.spaced(f.d.Tools.Function.NameSuffix)), f.argumentAhead())
	}
	return f.Peek(f.begun(f.ends()...))
}

// begun matches what follows the name and its markup: an id, the beginning of the arguments, or one
// of ends.
func (f tagged) begun(ends ...string) peg.ID {
	texts := slices.Concat(f.inner.begins(), ends)
	if id := f.idPrefix(); id != "" {
		texts = append(nonempty(id, f.m.Tools.CallID.Suffix), texts...)
	}
	return f.Seq(f.Blanks(), f.OneOf(nonempty(texts...)...))
}

// ends returns the markers one of which follows the name of a call without arguments.
func (f tagged) ends() []string {
	return nonempty(f.m.Tools.Function.Close, f.m.Tools.PerCallEnd, f.m.Tools.SectionEnd)
}

func (f tagged) ahead() peg.ID {
	header := f.Seq(f.before(), f.name(f.Tools...))
	if f.closesByName() || f.writesLiterals() || len(f.ends()) == 0 {
		return header
	}
	return f.Seq(header, f.begun(append(respaced(f.ends()...), "{", turn.Fence)...))
}

func (f tagged) arguments(t turn.Tool) peg.ID {
	if f.closesByName() {
		return f.Seq(f.Space(), f.inner.args(t), f.Marker(f.closeOf(t.Name), f.Space()))
	}
	if f.d.Tools.CallID.Position == dialect.CallIDBetweenNameAndArgs {
		return f.Seq(f.Space(), f.Once("between", f.idOrSuffix), f.Space(), f.inner.args(t))
	}
	return f.Seq(f.Space(), f.inner.args(t))
}

func (f tagged) closers() peg.ID {
	if f.d.Tools.CallID.Position == dialect.CallIDAfterArgs {
		return f.Seq(f.Optional(f.id(), f.Space()), f.closed(), f.Optional(f.id(), f.Space()))
	}
	return f.closed()
}

// closed matches the marker after the arguments.
func (f tagged) closed() peg.ID {
	if f.m.Tools.Function.Close == "" {
		return f.Empty()
	}
	return f.Marker(f.m.Tools.Function.Close, f.Space())
}

// idPrefix returns the text between the name and an id after it.
func (f tagged) idPrefix() string {
	if f.d.Tools.CallID.Position != dialect.CallIDBetweenNameAndArgs {
		return ""
	}
	return f.m.Tools.CallID.Prefix
}

// id matches the id of a call with its markers.
func (f tagged) id() peg.ID {
	prefix, suffix := f.m.Tools.CallID.Prefix, f.m.Tools.CallID.Suffix
	return f.Seq(f.Lit(prefix), f.Space(), f.Tag(peg.CallID, f.Chars(1, turn.MaxName, append(slices.Clone(turn.NameRanges), peg.Range{Lo: ':', Hi: ':'})...)),
		f.Space(), f.Lit(suffix))
}

// idOrSuffix matches the id between name and arguments. A model that leaves it out may still write
// the marker after it.
func (f tagged) idOrSuffix() peg.ID {
	suffix := f.m.Tools.CallID.Suffix
	return f.Choice(f.id(), f.OnlyHere("no-id", f.Optional(f.Lit(suffix))))
}
