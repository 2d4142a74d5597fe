package detect

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// example is a call in markup as instructions show one, with words in the place of names and
// values:
//
//	<call>function_name
//	<key>parameter_name</key>
//	<value>parameter_value</value>
//	</call>
//
// With the names and values of a probe in these places it is a rendering of that probe, from which
// the format is learned like from any other.
type example struct {
	seen       string
	open       string // up to the name of the function
	named      string // between that and the arguments
	key, value string // before the name of an argument, and between that and its value; "" if arguments are JSON
	valued     string // behind a value
	close      string // behind the arguments
	section    bool   // other calls follow before the last marker
}

// What stands in examples for the name of a function, the name of an argument, its value, and all
// arguments. The first group is what is replaced.
var (
	exampleFunction = placeholder(`(?:example[ _-])?(?:tool|function|func)[ _-](?:call[ _-])?name(?:[ _-]?1| here)?`)
	exampleKey      = placeholder(`(?:example[ _-])?(?:param|parameter|arg|argument)[ _-]?(?:name|key)?[ _-]?1?`)
	exampleText     = placeholder(`(?:example[ _-])?(?:(?:param|parameter|arg|argument)[ _-])?value[ _-]?1?`)
	exampleWords    = placeholder(`(?:tool[ _-]call[ _-]|function[ _-]|args[ _-]|json[ _-])*(?:arguments|args|parameters|params|object)`)
	exampleJSON     = regexp.MustCompile(`(\{\s*["'][^{}]*\})`)
	exampleMore     = regexp.MustCompile(`\{\{[^{}]*\}\}|\.\.\.\s*`)
)

// placeholder matches words in the place of something between markers, or within one: with a dollar
// sign before them, in brackets, or neither.
func placeholder(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)[` + "\"'=" + regexp.QuoteMeta(diff.Closers) + `]\s*(\$?` + words + `|\{` + words + `\}|\[` + words + `\])\s*[` +
		"\"':({\n" + regexp.QuoteMeta(diff.Openers+diff.Closers) + `]`)
}

// exampleIn finds an example of a call in instructions; false if there is none. Its first marker
// opens it, and what closes that ends it.
func exampleIn(text string) (example, bool) {
	text = strings.ReplaceAll(text, `"true|false"`, `"true"`)
	for _, at := range exampleFunction.FindAllStringSubmatchIndex(text, mostExamples) {
		start := openingOf(text, at[2])
		e := example{open: text[start:at[2]]}
		if blank(e.open) {
			continue
		}
		rest := text[at[3]:]
		end := closingOf(e.open, rest)
		if end == 0 && (e.open[0] == '[' || token(e.open) != "") {
			end = strings.IndexByte(rest+"\n", '\n')
		}
		if e.read(rest[:end]) {
			e.seen = text[start : at[3]+end]
			return e, true
		}
	}
	return example{}, false
}

// mostExamples bounds the places at which an example is looked for.
const mostExamples = 16

// openingOf returns the beginning of the markers directly before an offset.
func openingOf(text string, at int) int {
	line := max(0, at-maxExample)
	segments := diff.Segments(text[line:at])
	start := at
	for i, s := range slices.Backward(segments) {
		start -= len(s.Text)
		if s.Marker || blank(s.Text) {
			continue
		}
		if open := diff.OpenMarker(s.Text); i == len(segments)-1 && open < len(s.Text) {
			start += open // the marker that the name stands in
			if blank(s.Text[:open]) {
				start -= open
				continue
			}
			break
		}
		start += len(s.Text)
		break
	}
	return start + len(text[start:at]) - len(trimLeft(text[start:at]))
}

// maxExample bounds the text of an example.
const maxExample = 4 << 10

// closingOf returns the end of what closes the first marker of a text; 0 if nothing does.
func closingOf(open, rest string) int {
	rest = rest[:min(len(rest), maxExample)]
	start, end := diff.FirstMarker(open)
	name := open[start:end]
	if start == end {
		name, _, _ = strings.Cut(open, "=") // the name of the function stands in the marker
		name, _, _ = strings.Cut(name, " ")
		name += ">"
	}
	at := 0
	for _, s := range diff.Segments(rest) {
		at += len(s.Text)
		if s.Marker && (s.Text == diff.Counterpart(name) || diff.Closes(name, s.Text)) {
			return at
		}
	}
	return 0
}

// read finds the arguments in the text behind the name of the function.
func (e *example) read(text string) bool {
	object := exampleJSON.FindStringIndex(text)
	if key := exampleKey.FindStringSubmatchIndex(text); key != nil && (object == nil || key[2] < object[0]) {
		if value := exampleText.FindStringSubmatchIndex(text[key[3]-1:]); value != nil {
			return e.tagged(text, span{key[2], key[3]}, span{key[3] - 1 + value[2], key[3] - 1 + value[3]})
		}
	}
	for _, all := range []*regexp.Regexp{exampleJSON, exampleWords} {
		if at := all.FindStringSubmatchIndex(text); at != nil {
			e.named = text[:at[2]]
			e.end(text[at[3]:])
			return true
		}
	}
	return false
}

// tagged divides the text around the first argument. Its first marker begins it, and the marker
// behind the value ends it; other arguments in the example are dropped.
func (e *example) tagged(text string, key, value span) bool {
	begin := openingOf(text, key.start)
	if shut := strings.IndexAny(text[:begin+1], diff.Closers); shut < 0 && begin == 0 {
		_, begin = diff.FirstMarker(text[:key.start])
	}
	e.named, e.key, e.value = text[:begin], text[begin:key.start], text[key.end:value.start]
	_, end := diff.FirstMarker(text[value.end:])
	end = withSpace(text, value.end+end)
	e.valued = text[value.end:end]
	behind := text[end:]
	if last := strings.LastIndex(behind, e.key); last >= 0 {
		behind = behind[last:] // the last argument
		behind = behind[max(0, strings.Index(behind, strings.TrimSpace(e.valued))):]
		behind = trimLeft(strings.TrimPrefix(behind, strings.TrimSpace(e.valued)))
	}
	e.end(behind)
	return !blank(e.key+e.value) && !blank(e.valued)
}

// end sets the text behind the arguments. Other calls, or what stands for them, are dropped.
func (e *example) end(text string) {
	text = strings.TrimPrefix(trimLeft(text), "...")
	_, start := diff.FirstMarker(e.open)
	last, _ := diff.LastMarker(text)
	if next := strings.Index(text, trimLeft(e.open[start:])); start < len(e.open) && next >= 0 && next < last {
		text, e.section = text[:next]+text[last:], true
	}
	if more := exampleMore.FindStringIndex(text); more != nil && more[0] < last {
		text, e.section = exampleMore.ReplaceAllString(text, ""), true
	}
	e.close = trimLeft(text)
}

// call writes a call with arguments: names and values in turn.
func (e example) call(function string, arguments ...string) string {
	text := e.open + function + e.named
	if e.valued == "" {
		var members []string
		for i := 0; i < len(arguments); i += 2 {
			members = append(members, `"`+arguments[i]+`": "`+arguments[i+1]+`"`)
		}
		return text + "{" + strings.Join(members, ", ") + "}" + e.close
	}
	for i := 0; i < len(arguments); i += 2 {
		text += e.key + arguments[i] + e.value + arguments[i+1] + e.valued
	}
	return text + e.close
}

// followed writes two calls.
func (e example) followed(one, other string) string {
	if !e.section {
		return one + "\n" + other
	}
	_, end := diff.FirstMarker(e.open)
	last, _ := diff.LastMarker(e.close)
	return one[:len(one)-len(e.close)+last] + other[withSpace(other, end):]
}

// renderings are the answers to the comparisons about calls, as a template would give them that
// writes calls like the example.
func (e example) renderings() probe.Answers {
	one := e.call(probe.Function, probe.Argument, probe.Value)
	number := strings.NewReplacer(`"`+probe.Value+`"`, probe.Number, probe.Value, probe.Number).Replace(one)
	var all probe.Answers
	for _, a := range []struct{ id, a, b string }{
		{"T1", probe.Content, one},
		{"T2", one, e.followed(one, e.call(probe.OtherFunction, probe.OtherArgument, probe.OtherValue))},
		{"T3", one, e.call(probe.OtherFunction, probe.Argument, probe.Value)},
		{"T4", one, number},
		{"A1", one, e.call(probe.Function, probe.OtherArgument, probe.Value)},
		{"A2", one, e.call(probe.Function, probe.Argument, probe.OtherValue)},
		{"T5", one, e.call(probe.Function, probe.Argument, probe.Value, probe.OtherArgument, probe.OtherValue)},
		{"T6", e.call(probe.Function), one},
	} {
		all = append(all, probe.Answer{Comparison: probe.Comparison{ID: a.id}, TextA: a.a, TextB: a.b, Split: diff.Texts(a.a, a.b)})
	}
	return all
}

// likeExample learns how calls are written from an example in the prompt.
func (d *detective) likeExample(text string) {
	e, ok := exampleIn(text)
	if !ok {
		return
	}
	other := &detective{answers: e.renderings()}
	other.Dialect.Tools = noTools()
	other.Dialect.EndOfTurn = d.Dialect.EndOfTurn
	other.calls()
	if other.Dialect.Tools.Format == dialect.ToolsNone || len(other.Lint) > 0 {
		return
	}
	d.Dialect.Tools = other.Dialect.Tools
	for _, f := range other.Findings {
		f.By = "T8"
		d.Findings = append(d.Findings, f)
	}
	d.lint("T8: how calls are written is read from the words of the prompt: %q", diff.Excerpt(e.seen, longestExcerpt))
}
