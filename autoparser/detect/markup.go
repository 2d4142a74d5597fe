package detect

import (
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// endOfArguments returns the end of the JSON arguments that follow a name and contain an argument;
// -1 if there are none.
func endOfArguments(text, name, argument, _ string) int {
	if l, ok := literalWith(text, strings.Index(text, name), argument); ok {
		return l.end
	}
	return -1
}

// endOfValue returns the end of a value; -1 if it is missing.
func endOfValue(text, _, _, value string) int {
	if at := strings.Index(text, value); at >= 0 {
		return at + len(value)
	}
	return -1
}

// spanner returns the end of a call's arguments.
type spanner func(text, name, argument, value string) int

// span returns the range from the name of a call to the end of its arguments; false if they are not
// there in this order.
func (end spanner) span(text, name, argument, value string) (span, bool) {
	s := span{strings.Index(text, name), end(text, name, argument, value)}
	return s, s.start >= 0 && s.end > s.start
}

// markupCalls learns how calls with names in markup are written.
func (d *detective) markupCalls(one, two string, end spanner) {
	one, two = namedOnce(one), namedOnce(two)
	first, _ := end.span(one, probe.Function, probe.Argument, probe.Value)
	s1, ok1 := end.span(two, probe.Function, probe.Argument, probe.Value)
	s2, ok2 := end.span(two, probe.OtherFunction, probe.OtherArgument, probe.OtherValue)
	var both []span
	if ok1 && ok2 && s1.end <= s2.start {
		both = []span{s1, s2}
	}
	f := frameOf(one, first, two, both)
	if both == nil && d.Dialect.Tools.Format == dialect.TagWithTagged {
		f = codeFrame(f, one[first.start+len(probe.Function):], one[first.end:])
	}
	d.framed(f, one, two)
	d.opened(f.open)
	if d.Dialect.Tools.Format == dialect.TagWithJSON {
		second := ""
		if both != nil {
			second = two[s2.start+len(probe.OtherFunction) : s2.end]
		}
		d.jsonArguments(one[first.start+len(probe.Function):first.end], second, f.close)
	} else {
		second := ""
		if both != nil {
			second, _, _ = strings.Cut(two[s2.start+len(probe.OtherFunction):s2.end], probe.OtherArgument)
		}
		d.taggedArguments(f.close, second)
	}
	if repeated := d.repeatedNeedle(); repeated != "" {
		d.abandonCalls("T1: names of functions or arguments stand in closing markers, too, or in another place that a parser cannot know: %q", repeated)
	}
	d.confirmMarkup()
}

// namedOnce replaces the names of functions and arguments in their closing tags by the placeholder,
// and those of functions wherever they stand again: a name may be in the header of a message, too.
func namedOnce(text string) string {
	text = closersNamed(text)
	for _, name := range []string{probe.Function, probe.OtherFunction} {
		if before, behind, ok := strings.Cut(text, name); ok {
			text = before + name + strings.ReplaceAll(behind, name, dialect.NamePlaceholder)
		}
	}
	return text
}

// closersNamed replaces the names of functions and arguments in their closing tags by the
// placeholder.
func closersNamed(text string) string {
	var out strings.Builder
	for _, s := range diff.Segments(text) {
		if s.Marker {
			for _, name := range []string{probe.Function, probe.OtherFunction, probe.Argument, probe.OtherArgument} {
				s.Text = strings.ReplaceAll(s.Text, "/"+name, "/"+dialect.NamePlaceholder)
			}
		}
		out.WriteString(s.Text)
	}
	return out.String()
}

// repeatedNeedle returns a marker that contains a part of a probe; "" if none does.
func (d *detective) repeatedNeedle() string {
	t := d.Dialect.Tools
	for _, marker := range append(d.Dialect.Markers(), t.CallSeparator) {
		for _, needle := range []string{probe.Function, probe.OtherFunction, probe.Argument, probe.OtherArgument, probe.Value, probe.OtherValue} {
			if strings.Contains(marker, needle) {
				return marker
			}
		}
	}
	return ""
}

// opened splits the text before a name: its first marker opens the call, the rest belongs to the
// name.
func (d *detective) opened(open string) {
	start, prefix := d.idBefore(open)
	learn(d, &d.Dialect.Tools.PerCallStart, start, from("T2", open))
	learn(d, &d.Dialect.Tools.Function.NamePrefix, prefix, from("T3", open+probe.Function))
}

// closed splits the text after the arguments: its last marker closes the call, if one opened it;
// the rest closes the arguments and the function.
func (d *detective) closed(behind string) {
	t := &d.Dialect.Tools
	behind = d.idBehind(behind)
	rest, end := behind, ""
	if t.PerCallStart != "" {
		rest, end = diff.TrailingMarker(behind)
	}
	learn(d, &t.PerCallEnd, strings.TrimSpace(end), from("T2", behind))
	if t.Arguments.Start != "" {
		closing, after := leadingMarker(rest)
		learn(d, &t.Arguments.End, closing, from("T6", rest))
		rest = after
	}
	if !blank(rest) {
		learn(d, &t.Function.Close, rest, from("T3", behind))
	}
}

// jsonArguments learns the end of the name, and possibly an id, from the text between the name and
// the brace. inner begins after the name, second after that of a second call.
func (d *detective) jsonArguments(inner, second, behind string) {
	arguments, _ := literalWith(inner, 0, probe.Argument)
	if len(arguments.members) > 0 && arguments.members[0].key.quote == '\'' {
		learn(d, &d.Dialect.Tools.JSON.PythonDicts, true, from("T1", inner))
	}
	other, _ := literalWith(second, 0, probe.OtherArgument)
	suffix := d.idBetween(inner[:arguments.start], second[:other.start])
	learn(d, &d.Dialect.Tools.Function.NameSuffix, suffix, from("T3", inner))
	d.closed(trimLeft(behind))
}

// taggedArguments learns the markup of arguments from two arguments of one call (T5): what precedes
// the first and again the second begins each. second is the text between the name and the first
// argument of another call.
func (d *detective) taggedArguments(behind, second string) {
	t5, ok := d.answers.Of("T5")
	if !ok {
		d.abandonCalls("T5: a call with two arguments is not rendered")
		return
	}
	text := namedOnce(d.callsIn(t5.TextB))
	_, rest, _ := strings.Cut(text, probe.Function)
	first, rest, ok1 := strings.Cut(rest, probe.Argument)
	assign, rest, ok2 := strings.Cut(rest, probe.Value)
	between, rest, ok3 := strings.Cut(rest, probe.OtherArgument)
	_, last, ok4 := strings.Cut(rest, probe.OtherValue)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		d.abandonCalls("T5: arguments are not rendered in their order, each with its value")
		return
	}
	a := &d.Dialect.Tools.Arguments
	prefix := trimLeft(diff.CommonSuffix(first, between))
	valueEnd := diff.CommonPrefix(between, last)
	learn(d, &a.NamePrefix, prefix, from("A1", between+probe.OtherArgument))
	nameSuffix, container := endOfName(d.Dialect.Tools.PerCallStart+d.Dialect.Tools.Function.NamePrefix, d.idBetween(strings.TrimSuffix(first, prefix), strings.TrimSuffix(second, prefix)))
	if strings.Contains(container, dialect.NamePlaceholder) {
		nameSuffix, container = nameSuffix+container, ""
	}
	learn(d, &d.Dialect.Tools.Function.NameSuffix, nameSuffix, from("T3", probe.Function+first))
	learn(d, &a.Start, container, from("T6", probe.Function+first))
	suffix, valuePrefix := endOfName(prefix, assign)
	learn(d, &a.NameSuffix, suffix, from("A1", probe.Argument+assign))
	learn(d, &a.ValuePrefix, valuePrefix, from("A2", assign+probe.Value))
	learn(d, &a.ValueSuffix, valueEnd, from("A2", probe.Value+between))
	separator := strings.TrimSuffix(strings.TrimPrefix(between, valueEnd), prefix)
	learn(d, &a.Separator, separator, from("T5", between))
	if blank(valueEnd + separator + prefix) {
		d.abandonCalls("T5: nothing but white space tells where a value ends: %q", probe.Value+between+probe.OtherArgument)
		return
	}
	d.closed(strings.TrimPrefix(behind, valueEnd))
	d.typedValues()
	d.literalValues()
	d.confirmTagged()
}

// endOfName splits the text between a name and what follows it into what closes the name and what
// opens the next part. open is the text before the name: if that is a marker, and two or more
// follow the name, the first of them closes it.
//
//	>⏎                        closes the marker that the name stands in
//	</arg_key>⏎<arg_value>    closes the one before the name, and opens another
//	:<|"|>                    ends the name, and opens another
func endOfName(open, text string) (suffix, next string) {
	start, end := diff.FirstMarker(text)
	_, before := diff.TrailingMarker(open)
	closes := diff.Closing(text[start:end]) || blank(text[:start]) && before != "" && markers(text) > 1
	if bracket := strings.IndexAny(text, diff.Closers); bracket >= 0 && bracket < start {
		_, width := utf8.DecodeRuneInString(text[bracket:])
		end = bracket + width
	} else if !closes {
		end = start
	}
	n := withSpace(text, end)
	return text[:n], text[n:]
}

// confirmTagged looks for the arguments in calls with another argument, another value, and a value
// of another type.
func (d *detective) confirmTagged() {
	a := d.Dialect.Tools.Arguments
	if a.ValuesAreJSON {
		return
	}
	for _, c := range []struct{ id, name, value string }{
		{"A1", probe.OtherArgument, probe.Value},
		{"A2", probe.Argument, probe.OtherValue},
		{"T4", probe.Argument, probe.Number},
	} {
		if other, ok := d.answers.Of(c.id); ok && (a.TextType == "" || c.value != probe.Number) {
			d.confirm(c.id, d.callsIn(other.TextB), a.NamePrefix+c.name+a.NameSuffix+a.ValuePrefix+c.value+strings.ReplaceAll(a.ValueSuffix, dialect.NamePlaceholder, c.name))
		}
	}
}

// confirmMarkup looks for the name in a call of another function, and for the whole markup in a
// call without arguments.
func (d *detective) confirmMarkup() {
	t := d.Dialect.Tools
	if t.Format == dialect.ToolsNone {
		return
	}
	open := t.PerCallStart + t.Function.NamePrefix
	if t.CallID.Position == dialect.CallIDBeforeName {
		open = t.Function.NamePrefix
	}
	if t3, ok := d.answers.Of("T3"); ok {
		d.confirm("T3", d.callsIn(t3.TextB), open+probe.OtherFunction+strings.ReplaceAll(t.Function.NameSuffix, dialect.NamePlaceholder, probe.OtherFunction))
	}
	if t6, ok := d.answers.Of("T6"); ok {
		text := d.callsIn(t6.TextA)
		d.confirm("T6", text, open+probe.Function)
		d.confirm("T6", text, strings.ReplaceAll(t.Function.Close, dialect.NamePlaceholder, probe.Function)+t.PerCallEnd)
	}
}
