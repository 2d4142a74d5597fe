package detect

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// literalValues asks whether the values of arguments are written as JSON or Python writes them: then a text stands in quotes,
// and a number does not (T4). Calls that look like code, f(a=1), are taken for code however the template writes their values.
// The quotes belong to the value, and brackets around calls to the list of them.
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
	a.ValuesAreJSON = true
	d.found("tools.arguments.values_are_json", "true", "T4", text)
	seen := probe.Argument + a.NameSuffix + a.ValuePrefix + probe.Value + a.ValueSuffix
	d.replace(&a.NameSuffix, "tools.arguments.name_suffix", strings.TrimRight(a.NameSuffix, `"'`), "T4", seen)
	d.replace(&a.ValuePrefix, "tools.arguments.value_prefix", strings.TrimRight(a.ValuePrefix, `"'`), "T4", seen)
	suffix := strings.TrimLeft(a.ValueSuffix, `"'`)
	if d.looksLikeCode() {
		suffix = ""
		d.separatedAsCode()
	}
	d.replace(&a.ValueSuffix, "tools.arguments.value_suffix", suffix, "T4", seen)
	d.listed()
}

// separatedAsCode: nothing but a comma can stand between the arguments of code, even if a template forgets it.
func (d *detective) separatedAsCode() {
	a := &d.Dialect.Tools.Arguments
	if blank(a.Separator) {
		d.replace(&a.Separator, "tools.arguments.separator", ", ", "T5", probe.Argument+a.NameSuffix+probe.Value+a.Separator)
	}
}

// looksLikeCode says that calls are written as programming languages write them: f(a=1).
func (d *detective) looksLikeCode() bool {
	t := d.Dialect.Tools
	return strings.TrimSpace(t.Function.NameSuffix) == "(" && strings.HasPrefix(strings.TrimSpace(t.Function.Close), ")") &&
		t.Arguments.NamePrefix == "" && strings.HasPrefix(strings.TrimSpace(t.Arguments.NameSuffix), "=")
}

// listed takes the brackets of a list off what stands around calls: around all of them, or around each.
func (d *detective) listed() {
	t := &d.Dialect.Tools
	for _, around := range []struct {
		start, end         *string
		startName, endName string
	}{
		{&t.SectionStart, &t.SectionEnd, "tools.section_start", "tools.section_end"},
		{&t.PerCallStart, &t.PerCallEnd, "tools.per_call_start", "tools.per_call_end"},
		{&t.Function.NamePrefix, &t.Function.Close, "tools.function.name_prefix", "tools.function.close"},
	} {
		start, opened := strings.CutSuffix(strings.TrimSpace(*around.start), "[")
		before, after, closed := strings.Cut(*around.end, "]")
		if opened && closed {
			seen := *around.start + "…" + *around.end
			t.JSON.ArrayWrapped = true
			d.found("tools.json.array_wrapped", "true", "T2", seen)
			d.replace(around.start, around.startName, start, "T2", seen)
			d.replace(around.end, around.endName, before+after, "T2", seen)
			return
		}
	}
}

// codeFrame is a frame of one call that looks like code: what closes its arguments closes the call, and the rest the section.
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

// sectionEnd is what closes a section: as many markers as open it, and the bracket that closes a list.
func sectionEnd(start, behind string) string {
	bracket := ""
	if strings.HasSuffix(trimRight(start), "[") && strings.HasPrefix(behind, "]") {
		bracket = "]"
	}
	return bracket + firstMarkers(behind[len(bracket):], markers(start))
}
