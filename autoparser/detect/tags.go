package detect

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/dragoman-project/dragoman/autoparser/probe"
)

// Tags is the notation of templates whose tags are made of several tokens with words between them:
//
//	<|open|>call tool="f"<|sep|>…<|close|>call<|sep|>
//
// White space that always stands between a token and the words belongs to the token. Each tag is one
// marker, although its tokens look like markers themselves. So renderings are
// compared in another notation, in which a tag has brackets of one character; what was concluded is
// then written in the template's own again. The zero value changes nothing.
type Tags struct {
	open, close string // begin an opening tag, and a closing one
	end         string // ends both
}

// The brackets of the other notation. No template uses them: they are characters for private use.
var (
	tagOpen  = string([]rune(diff.Openers)[len([]rune(diff.Openers))-1])
	tagEnd   = string([]rune(diff.Closers)[len([]rune(diff.Closers))-1])
	tagClose = tagOpen + "/"
)

// fewestElements is the number of differently named elements that tell tags from other tokens with
// words between them, such as those around the name of a role.
const fewestElements = 2

// mostTokens bounds the tokens that share an end. Tags have two.
const mostTokens = 8

// between holds what renderings have between two tokens: by the second, then by the first.
type between map[string]map[string]*elements

// elements are the names behind a token, without a slash and with one.
type elements struct {
	first          int    // where the token was first, among all
	attributed     bool   // words follow a name
	before, behind string // the white space before the words, and behind them
	uneven         bool   // there is other white space, too
	plain, slashed map[string]bool
}

// tagsIn finds the tags of renderings: two tokens that are always followed by words on one line and
// then by a third token. Each word behind the second follows the first, too. Or the two
// are one, and slashes tell them apart.
func tagsIn(answers probe.Answers) Tags {
	found, spoilt, seen := between{}, map[string]bool{}, map[string]bool{}
	for _, a := range answers {
		for _, text := range []string{a.TextA, a.TextB} {
			if strings.Contains(text, tagOpen) || strings.Contains(text, tagEnd) {
				return Tags{}
			}
			if !seen[text] {
				seen[text] = true
				found.collect(text, spoilt)
			}
		}
	}
	var all []Tags
	for end, starts := range found {
		maps.DeleteFunc(starts, func(start string, _ *elements) bool { return spoilt[start] || start == end })
		if len(starts) <= mostTokens {
			all = append(all, pairs(starts, end)...)
		}
	}
	if len(all) != 1 {
		return Tags{}
	}
	return all[0]
}

// pairs returns the tokens that open and close tags, of those that begin something with that end.
func pairs(starts map[string]*elements, end string) (all []Tags) {
	for open, opened := range starts {
		for closing, closed := range starts {
			if opened.uneven || closed.uneven || opened.behind != closed.behind {
				continue
			}
			names := closed.plain
			if closing == open {
				names = closed.slashed
			} else if closed.first < opened.first || closed.attributed || len(closed.slashed) > 0 {
				continue
			}
			if len(names) >= fewestElements && contains(opened.plain, names) {
				all = append(all, Tags{open + opened.before, closing + closed.before, opened.behind + end})
			}
		}
	}
	return all
}

// contains reports whether one set contains another.
func contains(all, some map[string]bool) bool {
	for name := range some {
		if !all[name] {
			return false
		}
	}
	return true
}

// collect adds the words between neighbouring tokens of a text, and the tokens without any.
func (b between) collect(text string, spoilt map[string]bool) {
	all := diff.Segments(text)
	for i, s := range all {
		if !s.Marker {
			continue
		}
		if i+2 >= len(all) || all[i+1].Marker || !all[i+2].Marker || !isTag(strings.TrimSpace(all[i+1].Text)) {
			spoilt[s.Text] = true
			continue
		}
		b.of(s.Text, all[i+2].Text, i).add(all[i+1].Text)
	}
}

// of returns the elements between two tokens, the first of which is the segment i of a text.
func (b between) of(start, end string, i int) *elements {
	if b[end] == nil {
		b[end] = map[string]*elements{}
	}
	if b[end][start] == nil {
		b[end][start] = &elements{first: i, plain: map[string]bool{}, slashed: map[string]bool{}}
	}
	return b[end][start]
}

func (e *elements) add(text string) {
	before, behind := text[:withSpace(text, 0)], text[len(trimRight(text)):]
	if len(e.plain)+len(e.slashed) == 0 {
		e.before, e.behind = before, behind
	}
	e.uneven = e.uneven || e.before != before || e.behind != behind
	words := strings.TrimSpace(text)
	name := elementOf(words)
	e.attributed = e.attributed || name != words
	if name, slashed := strings.CutPrefix(name, "/"); slashed {
		e.slashed[name] = true
	} else {
		e.plain[name] = true
	}
}

// values are what probes bring that may stand alone between two tokens.
var values = []string{
	probe.System, probe.User, probe.SecondUser, probe.Content, probe.SecondContent, probe.Reasoning, probe.Result,
	probe.Function, probe.OtherFunction, probe.Argument, probe.OtherArgument, probe.Value, probe.OtherValue,
	probe.ID, probe.OtherID, probe.Number,
}

// elementOf returns the name of a tag's element, with the slash before it: its first word.
func elementOf(words string) string {
	name, _, _ := strings.Cut(words, " ")
	return name
}

// isTag reports whether words can be those of a tag: a name that no probe brings, and attributes.
func isTag(words string) bool {
	name := strings.TrimPrefix(elementOf(words), "/")
	return elementName.MatchString(name) && !slices.Contains(values, name) && !strings.Contains(words, "\n")
}

var elementName = regexp.MustCompile(`^[A-Za-z_][\w.:-]*$`)

// read returns answers with their tags in the other notation.
func (t Tags) read(answers probe.Answers) probe.Answers {
	if t == (Tags{}) {
		return answers // already compared
	}
	answers = slices.Clone(answers)
	for i := range answers {
		a := &answers[i]
		a.TextA, a.TextB = t.shorten(a.TextA), t.shorten(a.TextB)
		a.Split = diff.Texts(a.TextA, a.TextB)
	}
	return answers
}

// shorten writes the tags of a rendering in the other notation.
func (t Tags) shorten(text string) string {
	if t == (Tags{}) {
		return text
	}
	return strings.NewReplacer(t.open, tagOpen, t.close, t.closing(), t.end, tagEnd).Replace(text)
}

// closing is what a closing tag begins with in the other notation; the template may write the slash
// itself.
func (t Tags) closing() string {
	if t.close == t.open {
		return tagOpen
	}
	return tagClose
}

// Prefix returns what two renderings begin with, without tearing a tag or another marker.
func (t Tags) Prefix(a, b string) string {
	shared := diff.Texts(t.shorten(a), t.shorten(b)).Prefix
	return t.lengthen(shared, func(marker string) string { return marker })
}

// restore returns a result in the template's own notation.
func (t Tags) restore(r Result) Result {
	if t == (Tags{}) {
		return r
	}
	text, err := json.Marshal(r)
	if err != nil {
		return Result{}
	}
	var out Result
	if err := json.Unmarshal([]byte(t.lengthen(string(text), inQuotes)), &out); err != nil {
		return Result{}
	}
	out.Tags = t
	return out
}

// inQuotes returns a text as JSON writes it between quotes.
func inQuotes(text string) string {
	quoted, _ := json.Marshal(text) //nolint:errchkjson // strings always encode
	return string(quoted[1 : len(quoted)-1])
}

// lengthen writes the tags of a text in the template's own notation, each token as spelt returns it.
func (t Tags) lengthen(text string, spelt func(string) string) string {
	if t == (Tags{}) {
		return text
	}
	return strings.NewReplacer(t.closing(), spelt(t.close), tagOpen, spelt(t.open), tagEnd, spelt(t.end)).Replace(text)
}
