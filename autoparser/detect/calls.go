package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// calls learns how calls are written: as JSON, as JSON arguments after markup, or as markup (T1),
// and then what belongs to each call and what to all of them (T2). If no calls are rendered, the
// prompt may describe them (T8).
func (d *detective) calls() {
	t1, ok := d.answers.Of("T1")
	if !ok {
		d.toldCalls()
		return
	}
	d.contentBesideCalls(d.callsIn(t1.TextB))
	one := d.callsIn(t1.TextB)
	if !strings.Contains(one, probe.Function) || !strings.Contains(one, probe.Value) {
		d.lint("T1: a call is rendered without its name or its arguments")
		return
	}
	two := ""
	if t2, ok := d.answers.Of("T2"); ok {
		two = strings.ReplaceAll(d.callsIn(t2.TextB), probe.OtherID, probe.ID)
	}
	name := strings.Index(one, probe.Function)
	if call, ok := findCall(one, probe.Function, probe.Argument); ok {
		d.format(dialect.JSONNative, one)
		d.jsonCalls(call, one, two)
		d.toldMarkers(t1.TextA)
	} else if _, ok := literalWith(one, name, probe.Argument, probe.Value); ok {
		d.format(dialect.TagWithJSON, one)
		d.markupCalls(one, two, endOfArguments)
	} else if name < strings.Index(one, probe.Value) {
		d.format(dialect.TagWithTagged, one)
		d.markupCalls(one, two, endOfValue)
	} else {
		d.lint("T1: the name of a call does not come before its arguments")
	}
}

func (d *detective) format(f dialect.ToolFormat, seen string) {
	learn(d, &d.Dialect.Tools.Format, f, from("T1", seen))
}

// abandonCalls drops what was learned about calls: half a format would parse none.
func (d *detective) abandonCalls(format string, args ...any) {
	d.lint(format, args...)
	d.Dialect.Tools, d.Dialect.EndOfCalls = noTools(), ""
	d.forget(&d.Dialect.Tools)
	d.forget(&d.Dialect.EndOfCalls)
}

func noTools() dialect.Tools {
	return dialect.Tools{Format: dialect.ToolsNone, CallID: dialect.CallID{Position: dialect.CallIDNone}}
}

// callsIn returns the part of a rendering that replaces the text of an answer, without leading
// markers of reasoning. White space at the very end may differ between answers and calls.
func (d *detective) callsIn(text string) string {
	t1, _ := d.answers.Of("T1")
	answered, called := trimRight(t1.TextA), trimRight(text)
	s := diff.Texts(answered, called)
	start, end := len(s.Prefix), len(called)-len(s.Suffix)
	if before, after, ok := strings.Cut(answered, probe.Content); ok {
		// A call may begin or end with a letter that the answer happens to begin or end with.
		if start < len(before) {
			before = strings.TrimSuffix(before, d.Dialect.Content.Start)
		}
		start, end = min(start, len(before)), max(end, len(called)-len(after))
		if rest, ok := diff.Behind(tailOf(called), tailOf(before)); ok {
			start = len(called) - len(rest) // white space may differ, too
		}
	}
	return d.withoutContent(trimLeft(d.withoutReasoning(called[start:max(start, end)])))
}

// frame is the text around calls and after them.
type frame struct {
	sectionStart, open, separator, close, sectionEnd, rest string
}

// span is a range of a text.
type span struct{ start, end int }

// frameOf determines what belongs to each call and what to all of them. one is the rendering of one
// call, two that of two calls; first and both are the ranges of the calls in them, as far as known.
// What precedes the first call and again the second opens each call; what follows the first and
// again the last closes each.
func frameOf(one string, first span, two string, both []span) frame {
	before, behind := one[:first.start], one[first.end:]
	if len(both) < 2 {
		return singleFrame(before, behind)
	}
	between, last := two[both[0].end:both[1].start], two[both[1].end:]
	f := frame{open: trimLeft(diff.CommonSuffix(before, between)), close: diff.CommonPrefix(between, last)}
	f.separator = strings.TrimSuffix(strings.TrimPrefix(between, f.close), f.open)
	f.sectionStart = trimLeft(strings.TrimSuffix(before, f.open))
	f.rest = strings.TrimPrefix(last, f.close)
	if !blank(f.sectionStart) {
		f.sectionEnd = sectionEnd(f.sectionStart, f.rest)
		f.rest = f.rest[len(f.sectionEnd):]
	}
	return f
}

// singleFrame is the frame of a template that renders only one call. Everything around the call
// belongs to the section, unless more than one marker precedes the call: then the first opens the
// section, and as many at the end close it.
func singleFrame(before, behind string) frame {
	f := frame{sectionStart: trimLeft(before)}
	if f.sectionStart == "" {
		f.rest = behind
		return f
	}
	if first, rest := leadingMarker(f.sectionStart); first != "" && !blank(rest) {
		f.sectionStart, f.open = first, rest
		f.sectionEnd, f.close = lastMarkers(behind, markers(first))
		return f
	}
	f.sectionEnd = firstMarkers(behind, markers(f.sectionStart))
	f.rest = behind[len(f.sectionEnd):]
	return f
}

// lastMarkers splits off the end of a text with n markers; the whole text if it has none.
func lastMarkers(text string, n int) (end, before string) {
	if markers(text) == 0 {
		return text, ""
	}
	before = text
	for ; n > 0; n-- {
		start, stop := diff.LastMarker(before)
		if start == stop {
			break
		}
		before = before[:start]
	}
	return text[len(before):], before
}

// firstMarkers returns the beginning of a text with n markers, including the white space around
// them; the whole text if it has none. What follows belongs to the end of the turn.
func firstMarkers(text string, n int) string {
	if markers(text) == 0 {
		return text
	}
	out := ""
	for ; n > 0 && text != ""; n-- {
		marker := throughMarker(text)
		out, text = out+marker, text[len(marker):]
	}
	return out
}

// framed learns what belongs to the section, from one call if there are no two to compare.
func (d *detective) framed(f frame, one, two string) {
	by := from("T2", two)
	if two == "" {
		by = from("T1", one)
	}
	t := &d.Dialect.Tools
	learn(d, &t.SectionStart, f.sectionStart, by)
	learn(d, &t.SectionEnd, strings.TrimSpace(f.sectionEnd), by)
	learn(d, &t.CallSeparator, f.separator, by)
	d.ended(f.rest, by)
}

// ended learns that messages with calls end differently, if a marker is left that closes none of
// the calls.
func (d *detective) ended(rest string, by source) {
	end := strings.TrimSpace(throughMarker(rest))
	_, behind, _ := strings.Cut(rest, end)
	end = withMarkers(end, behind, d.Dialect.UserStart+d.Dialect.AssistantStart)
	if markers(end) > 0 && end != d.Dialect.EndOfTurn {
		learn(d, &d.Dialect.EndOfCalls, end, by)
	}
}

// confirm checks a conclusion against the calls of another rendering, ignoring white space.
func (d *detective) confirm(id, text, expected string) {
	if !strings.Contains(squeezed(text), squeezed(expected)) {
		d.lint("%s: expected %q in %q", id, expected, diff.Excerpt(text, longestExcerpt))
	}
}

// squeezed returns a text without its white space.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }
