package detect

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// exampleCall matches a call as instructions show one: JSON with two members, whose values may be
// words that describe them, alone or as the first item of a list. Its groups are the opening
// bracket of the list, the names of both members, and the closing bracket.
//
//	{"name": <function-name>, "arguments": <args-json-object>}
//	[{"name": "func1", "parameters": {"argument1": "value1"}}, ... (more calls)]
var exampleCall = regexp.MustCompile(`((?:\[\s*)?)\{\s*["'](\w+)["']\s*:\s*` + exampleValue + `?,\s*["'](\w+)["']\s*:\s*` + exampleValue + `\}\s*(?:,[^\]\n{]*\s*)?(\]?)`)

// gluedWord matches a word directly before a list, as markers precede one.
var gluedWord = regexp.MustCompile(`\b[A-Za-z_]{4,}$`)

const exampleValue = `(?:[^{}\n]|\{[^{}\n]*\})*`

// What instructions call the name of a function, and its arguments.
var (
	namesOfNames     = []string{"name", "tool_name", "function_name", "function", "tool"}
	namesOfArguments = []string{"arguments", "parameters", "args", "params"}
)

// toldCalls learns from templates that render no calls, but describe to the model how to write one
// (T8): in JSON, or in markup.
func (d *detective) toldCalls() {
	t8, ok := d.answers.Of("T8")
	if !ok {
		return
	}
	if c, ok := bestTold(t8.TextB); ok {
		d.told(c, "T8")
	} else {
		d.likeExample(t8.TextB)
	}
}

// toldMarkers learns the markers of calls that are rendered without any, as some templates repeat
// them to the model, from words that describe calls otherwise like those rendered (T1).
func (d *detective) toldMarkers(rendered string) {
	t := d.Dialect.Tools
	if !blank(t.SectionStart + t.PerCallStart) {
		return
	}
	c, ok := bestTold(rendered)
	if ok && c.start != "" && c.name == t.JSON.NameField && c.arguments == t.JSON.ArgsField {
		d.forget(&d.Dialect.Tools)
		d.Dialect.Tools = noTools()
		d.told(c, "T1")
	}
}

// bestTold returns the first example of a call in JSON, preferably one with a marker.
func bestTold(text string) (best toldCall, found bool) {
	for _, at := range exampleCall.FindAllStringSubmatchIndex(text, -1) {
		if c, ok := readTold(text, at); ok && (!found || best.start == "" && c.start != "") {
			best, found = c, true
		}
	}
	return best, found
}

// toldCall is an example of a call with the markers around it.
type toldCall struct {
	start, end      string
	list            bool
	name, arguments string
	order           []string
	seen            string
}

// readTold reads the example that exampleCall matched in a text; false if it is something else,
// such as one of the offered tools.
func readTold(text string, at []int) (toldCall, bool) {
	group := func(n int) string { return text[at[2*n]:at[2*n+1]] }
	c := toldCall{list: group(1) != "" && group(4) != "", order: []string{group(2), group(3)}}
	for _, key := range c.order {
		switch {
		case slices.Contains(namesOfNames, key):
			c.name = key
		case slices.Contains(namesOfArguments, key):
			c.arguments = key
		}
	}
	before, behind := text[:at[0]], text[at[1]:]
	_, marker := diff.TrailingMarker(before)
	end, _ := leadingMarker(behind)
	end = strings.TrimSpace(end)
	switch {
	case diff.Closes(strings.TrimSpace(marker), end):
		c.start, c.end = marker, end
	case strings.Contains(marker, "|"):
		c.start = marker
	case c.list:
		c.start = gluedWord.FindString(before)
	}
	c.seen = c.start + text[at[0]:at[1]] + c.end
	return c, c.name != "" && c.arguments != "" && !strings.Contains(c.seen, probe.Function) && !strings.Contains(c.seen, probe.OtherFunction)
}

// told learns that calls are written as in an example.
func (d *detective) told(c toldCall, comparison string) {
	t, by := &d.Dialect.Tools, from(comparison, c.seen)
	learn(d, &t.Format, dialect.JSONNative, by)
	if c.list {
		learn(d, &t.SectionStart, c.start, by)
		learn(d, &t.SectionEnd, c.end, by)
		learn(d, &t.JSON.ArrayWrapped, true, by)
	} else {
		learn(d, &t.PerCallStart, c.start, by)
		learn(d, &t.PerCallEnd, c.end, by)
	}
	learn(d, &t.JSON.NameField, c.name, by)
	learn(d, &t.JSON.ArgsField, c.arguments, by)
	learn(d, &t.JSON.ParameterOrder, c.order, by)
	d.lint("%s: how calls are written is read from the words of the prompt: %q", comparison, diff.Excerpt(c.seen, longestExcerpt))
}
