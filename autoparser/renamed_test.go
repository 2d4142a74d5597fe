package autoparser_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/workaround"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// Learning depends on what a template writes and where, not on how markers are spelled: if all
// markers of a template are renamed in its source, in the rules and in the outputs, it is learned
// and parsed as before.

// spelling is another way to spell markers: those that are one name in brackets, or all that begin
// with a name.
type spelling struct {
	name   string
	marker *regexp.Regexp // its groups are the bracket, a bar, a slash, and the name
	as     func(open, bar, slash, name string) string
}

var (
	markerName  = regexp.MustCompile(`(<)([|｜]?)(/?)([A-Za-z_][\w▁-]*)|(\[)(\|?)(/?)([A-Z_]{2,})\b`)
	markerAlone = regexp.MustCompile(`(<)([|｜]?)(/?)([A-Za-z_][\w▁.:-]*)[|｜]?>`)
)

var spellings = []spelling{
	{"words of no language", markerName, func(open, bar, slash, name string) string { return open + bar + slash + rot13(name) }},
	{"tags are tokens, and a word closes them", markerAlone, func(_, bar, slash, name string) string {
		switch {
		case bar != "":
			return "<" + bar + slash + name + bar + ">"
		case slash != "":
			return "<|" + name + "_done|>"
		}
		return "<|" + name + "|>"
	}},
	{"guillemets", markerAlone, func(_, _, slash, name string) string { return "«" + slash + name + "»" }},
	{"tags in square brackets", markerAlone, func(open, bar, slash, name string) string {
		if bar != "" {
			return open + bar + slash + name + bar + ">"
		}
		return "[" + slash + strings.ToUpper(name) + "]"
	}},
}

// rot13 turns a word into a meaningless one.
func rot13(word string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case 'A' <= r && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, word)
}

// fromData matches the names that templates take from requests.
var fromData = regexp.MustCompile(`^(alphafunction|betaroutine|alphaargument|betaoption|get_weather|search|city|days|query)$`)

// in returns the renaming for a template. Spellings of whole markers skip markers that have
// attributes anywhere.
func (s spelling) in(source string) func(text string) string {
	var attributed []string
	if s.marker == markerAlone {
		for _, m := range regexp.MustCompile(`</?([A-Za-z_][\w▁.:-]*)[ =]`).FindAllStringSubmatch(source, -1) {
			attributed = append(attributed, m[1])
		}
	}
	return func(text string) string {
		return s.marker.ReplaceAllStringFunc(text, func(marker string) string {
			g := s.marker.FindStringSubmatch(marker)
			if len(g) > 5 && g[1] == "" {
				g = append(g[:1], g[5:]...)
			}
			if fromData.MatchString(g[4]) || slices.Contains(attributed, g[4]) {
				return marker
			}
			return s.as(g[1], g[2], g[3], g[4])
		})
	}
}

// relearn learns a template in another spelling. It returns nil if the template cannot be renamed
// because it takes markers from elsewhere or writes them in pieces.
func relearn(t *testing.T, l *autoparser.Learned, spelled func(string) string) *autoparser.Learned {
	t.Helper()
	if spelled(l.Template.Source) == l.Template.Source {
		return nil
	}
	rules, err := workaround.Parse(dragoman.WorkaroundsName, []byte(spelled(string(dragoman.Workarounds))))
	if err != nil {
		t.Fatal(err)
	}
	now := learnSource(t, l.Template.Name, spelled(l.Template.Source), spelled(l.Template.BOS), spelled(l.Template.EOS), rules)
	for i, a := range l.Answers {
		if b := now.Answers[i]; a.OK() && b.OK() && a.Follow == nil && (spelled(a.TextA) != b.TextA || spelled(a.TextB) != b.TextB) {
			return nil
		}
	}
	return now
}

// sameDialect checks that the same dialect is learned in another spelling.
func sameDialect(t *testing.T, was, now *autoparser.Learned, spelled func(string) string) {
	t.Helper()
	if d := cmp.Diff(was.Template.Capabilities, now.Template.Capabilities); d != "" {
		t.Errorf("capabilities: -was +now\n%s", d)
	}
	want := fieldsOf(t, was.Dialect)
	for field, value := range want {
		want[field] = spelled(value)
	}
	if d := cmp.Diff(want, fieldsOf(t, now.Dialect)); d != "" {
		t.Errorf("dialect: -was +now\n%s", d)
	}
}

// otherwise gives the reasons why templates are learned differently in a spelling, by the names of
// both.
var otherwise = map[string]string{
	"words of no language/calls-that-nothing-shows":               "calls of other formats are recognised only by their spelling: the template does not render them",
	"guillemets/calls-that-nothing-shows":                         "calls of other formats are recognised only by their spelling: the template does not render them",
	"guillemets/bare-array-behind-words":                          "markers of other formats are recognised only by their spelling: the template does not render them",
	"guillemets/code-in-fences-and-tokens":                        "markers of other formats are recognised only by their spelling: the template does not render them",
	"tags are tokens, and a word closes them/detailed-thinking":   "the source has only the end of reasoning: the start is guessed from its spelling",
	"tags are tokens, and a word closes them/tools-that-are-null": "the prompt has only the start of reasoning: the end is guessed from its spelling",
	"tags are tokens, and a word closes them/Reka-Edge.jinja":     "a call in the middle of a line of reasoning ends it if the call begins with special tokens, which prose does not contain",
	"guillemets/switch-behind-the-question":                       nextMessage,
	"guillemets/thinking-is-off":                                  nextMessage,
	"guillemets/GLM-4.6.jinja":                                    nextMessage,
	"guillemets/GLM-4.7-Flash.jinja":                              nextMessage,
}

const nextMessage = "a marker that begins a message ends the previous one if it is a special token, which prose does not contain"

func TestStylesOfTheWildInOtherSpellings(t *testing.T) {
	shared.Slow(t)
	paths, err := filepath.Glob("testdata/unseen/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range spellings {
		t.Run(s.name, func(t *testing.T) {
			renamed := 0
			for _, path := range paths {
				archive, err := txtar.ParseFile(path)
				if err != nil {
					t.Fatal(err)
				}
				name := strings.TrimSuffix(filepath.Base(path), ".txtar")
				t.Run(name, func(t *testing.T) {
					if because := otherwise[s.name+"/"+name]; because != "" {
						t.Skip(because)
					}
					if s.rename(t, archive) {
						renamed++
					}
				})
			}
			if renamed < len(paths)/4 {
				t.Errorf("renamed only %d of %d templates", renamed, len(paths))
			}
		})
	}
}

// rename checks an archive in another spelling and reports whether it could be renamed.
func (s spelling) rename(t *testing.T, archive *txtar.Archive) bool {
	t.Helper()
	source, req := fileNamed(archive.Files, "template.jinja"), fileNamed(archive.Files, "request.json")
	was := learnSource(t, "style", source, "<s>", "</s>", shippedRules(t))
	spelled := s.in(source)
	now := relearn(t, was, spelled)
	if now == nil {
		return false
	}
	sameDialect(t, was, now, spelled)
	r := newReader(t, now, spelled(req))
	for _, f := range archive.Files {
		title, ok := strings.CutPrefix(f.Name, "output: ")
		if !ok || strings.HasPrefix(title, "cut off") { // possibly within a marker
			continue
		}
		output := spelled(strings.TrimSuffix(string(f.Data), "\n"))
		if d := cmp.Diff(spelled(fileNamed(archive.Files, "message: "+title)), r.parse(output)); d != "" {
			t.Errorf("%s: %q -was +now\n%s", title, output, d)
		}
	}
	return true
}

func TestRecordedOutputsInOtherSpellings(t *testing.T) {
	special, school := handled(t), newSchool(t)
	f, err := os.Open(shared.Dir(t, "cases", "parse.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type key struct{ spelling, template string }
	learned := map[key]*autoparser.Learned{}
	for c, err := range cases.Read(f) {
		if err != nil {
			t.Fatal(err)
		}
		if special[c.Template] {
			continue
		}
		was := school.learn(t, c.Template, c.BOSToken, c.EOSToken)
		for _, s := range spellings {
			spelled := s.in(was.Template.Source)
			if otherwise[s.name+"/"+c.Template] != "" {
				continue
			}
			k := key{s.name, c.Template + c.BOSToken + c.EOSToken}
			now, known := learned[k]
			if !known {
				now = relearn(t, was, spelled)
				learned[k] = now
			}
			if now == nil {
				continue
			}
			t.Run(s.name+"/"+c.ID, func(t *testing.T) {
				if !known {
					sameDialect(t, was, now, spelled)
				}
				renamed := *c
				renamed.Output, renamed.RequestJSON = spelled(c.Output), []byte(spelled(string(c.RequestJSON)))
				renamed.Expect = &cases.Message{Content: spelled(c.Expect.Content), ReasoningContent: spelled(c.Expect.ReasoningContent)}
				for _, call := range c.Expect.ToolCalls {
					call.Arguments = spelled(call.Arguments)
					renamed.Expect.ToolCalls = append(renamed.Expect.ToolCalls, call)
				}
				parseRecorded(t, now, &renamed)
			})
		}
	}
}
