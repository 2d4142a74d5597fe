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
// (T8).
func (d *detective) toldCalls() {
	t8, ok := d.answers.Of("T8")
	if !ok {
		return
	}
	var best *toldCall
	for _, at := range exampleCall.FindAllStringSubmatchIndex(t8.TextB, -1) {
		if c, ok := readTold(t8.TextB, at); ok && (best == nil || best.start == "" && c.start != "") {
			best = &c
		}
	}
	if best != nil {
		d.told(*best)
	}
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
func (d *detective) told(c toldCall) {
	t, by := &d.Dialect.Tools, from("T8", c.seen)
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
	d.lint("T8: how calls are written is read from the words of the prompt: %q", diff.Excerpt(c.seen, longestExcerpt))
}
