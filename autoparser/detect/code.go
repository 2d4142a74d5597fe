package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// literalValues learns whether values of arguments are written as JSON or Python: then a text is
// quoted and a number is not (T4). Calls that look like code, f(a=1), are treated as code however
// the template writes their values. Quotes belong to the value, and brackets around calls to the
// list of them.
func (d *detective) literalValues() {
	t4, ok := d.answers.Of("T4")
	if !ok {
		return
	}
	t := &d.Dialect.Tools
	a := &t.Arguments
	text := d.callsIn(t4.TextB)
	before := a.NamePrefix + probe.Argument + a.NameSuffix + a.ValuePrefix
	unquoted := strings.TrimRight(before, `"'`)
	quoted := unquoted != before && strings.Contains(text, unquoted+probe.Number)
	if !quoted && !d.looksLikeCode() {
		return
	}
	learn(d, &a.ValuesAreJSON, true, from("T4", text))
	seen := probe.Argument + a.NameSuffix + a.ValuePrefix + probe.Value + a.ValueSuffix
	relearn(d, &a.NameSuffix, strings.TrimRight(a.NameSuffix, `"'`), from("T4", seen))
	relearn(d, &a.ValuePrefix, strings.TrimRight(a.ValuePrefix, `"'`), from("T4", seen))
	suffix := strings.TrimLeft(a.ValueSuffix, `"'`)
	if d.looksLikeCode() {
		suffix = ""
		d.separatedAsCode()
	}
	relearn(d, &a.ValueSuffix, suffix, from("T4", seen))
	d.listed()
}

// separatedAsCode learns the separator of arguments in code: only a comma is possible, even if a
// template forgets it.
func (d *detective) separatedAsCode() {
	a := &d.Dialect.Tools.Arguments
	if blank(a.Separator) {
		relearn(d, &a.Separator, ", ", from("T5", probe.Argument+a.NameSuffix+probe.Value+a.Separator))
	}
}

// looksLikeCode reports whether calls are written as in programming languages: f(a=1).
func (d *detective) looksLikeCode() bool {
	t := d.Dialect.Tools
	return strings.TrimSpace(t.Function.NameSuffix) == "(" && strings.HasPrefix(strings.TrimSpace(t.Function.Close), ")") &&
		t.Arguments.NamePrefix == "" && strings.HasPrefix(strings.TrimSpace(t.Arguments.NameSuffix), "=")
}

// listed moves the brackets of a list out of the markers around all calls, or around each.
func (d *detective) listed() {
	t := &d.Dialect.Tools
	for _, around := range []struct{ start, end *string }{
		{&t.SectionStart, &t.SectionEnd},
		{&t.PerCallStart, &t.PerCallEnd},
		{&t.Function.NamePrefix, &t.Function.Close},
	} {
		start, opened := strings.CutSuffix(strings.TrimSpace(*around.start), "[")
		before, after, closed := strings.Cut(*around.end, "]")
		if opened && closed {
			seen := *around.start + "…" + *around.end
			learn(d, &t.JSON.ArrayWrapped, true, from("T2", seen))
			relearn(d, around.start, start, from("T2", seen))
			relearn(d, around.end, before+after, from("T2", seen))
			return
		}
	}
}

// codeFrame adjusts the frame of a single call that looks like code: what closes its arguments
// closes the call, and the rest closes the section.
func codeFrame(f frame, name, behind string) frame {
	end := strings.IndexByte(behind, ')')
	if !strings.HasPrefix(trimLeft(name), "(") || end < 0 || markers(behind[:end]) > 0 {
		return f
	}
	f.close = behind[:end+1]
	f.sectionEnd = sectionEnd(f.sectionStart, behind[end+1:])
	f.rest = behind[end+1+len(f.sectionEnd):]
	return f
}

// sectionEnd returns what closes a section: as many markers as open it, and the bracket of a list.
func sectionEnd(start, behind string) string {
	bracket := ""
	if strings.HasSuffix(trimRight(start), "[") && strings.HasPrefix(behind, "]") {
		bracket = "]"
	}
	return bracket + firstMarkers(behind[len(bracket):], markers(start))
}
