package autoparser_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"golang.org/x/tools/txtar"
)

// Learning does not depend on the white space around markers: if all markers of a template get
// random white space, in its source and in the outputs, it is learned and parsed as before.

// layout is the white space around each marker of a template, before it and behind it.
type layout map[string][2]string

var (
	spacedMarker = regexp.MustCompile(`<?<[|｜]?/?[A-Za-z_][\w▁.:/-]*[|｜]?>>?|\[/?[A-Z_]{3,}\]`)
	jinjaQuoted  = regexp.MustCompile(`(?s)'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`)
	jinjaPart    = regexp.MustCompile(`(?s)\{#.*?#\}|\{[{%](?:` + jinjaQuoted.String()[len("(?s)"):] + `|[^'"])*?[}%]\}`)
)

// newLayout returns a random layout of the markers of a source.
func newLayout(source string, seed uint64) layout {
	random := rand.New(rand.NewPCG(seed, 72))
	spaces := []string{"", "", "", " ", "\n", "  ", "\n\n", "\n  "}
	space := func() string { return spaces[random.IntN(len(spaces))] }
	l := layout{}
	for _, marker := range spacedMarker.FindAllString(source, -1) {
		if _, known := l[marker]; !known {
			l[marker] = [2]string{space(), space()}
		}
	}
	return l
}

// in returns a text in the layout; written returns white space as the text has it.
func (l layout) in(text string, written func(space string) string) string {
	return spacedMarker.ReplaceAllStringFunc(text, func(marker string) string {
		if space, known := l[marker]; known {
			return written(space[0]) + marker + written(space[1])
		}
		return marker
	})
}

// output returns an output in the layout.
func (l layout) output(text string) string {
	return l.in(text, func(space string) string { return space })
}

// source returns a source in the layout. White space outside of expressions is written as one, so
// that no control of white space applies to it.
func (l layout) source(source string) string {
	escaped := func(space string) string { return strings.ReplaceAll(space, "\n", `\n`) }
	expression := func(space string) string {
		if space == "" {
			return ""
		}
		return "{{ '" + escaped(space) + "' }}"
	}
	var b strings.Builder
	at := 0
	for _, part := range jinjaPart.FindAllStringIndex(source, -1) {
		b.WriteString(l.in(source[at:part[0]], expression))
		b.WriteString(jinjaQuoted.ReplaceAllStringFunc(source[part[0]:part[1]], func(quoted string) string { return l.in(quoted, escaped) }))
		at = part[1]
	}
	return b.String() + l.in(source[at:], expression)
}

func TestStylesInOtherLayouts(t *testing.T) {
	shared.Slow(t)
	paths, err := filepath.Glob("testdata/unseen/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var s spaced
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s.learn(t, strings.TrimSuffix(filepath.Base(path), ".txtar"), fileNamed(archive.Files, "template.jinja"), archive)
	}
	s.enough(t, 100)
}

func TestTemplatesInOtherLayouts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t, "templates"), "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	special := handled(t)
	var s spaced
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(file); !special[name] {
			s.learn(t, name, string(source), nil)
		}
	}
	s.enough(t, 40)
}

// spaced counts the templates that were learned in other layouts.
type spaced struct{ learned, read int }

// enough checks that n templates were learned, and that nearly all are read as before.
func (s *spaced) enough(t *testing.T, n int) {
	t.Helper()
	if s.learned < n || s.read < s.learned*97/100 {
		t.Errorf("of %d templates in other layouts, %d are read", s.learned, s.read)
	}
}

// learn learns a template in another layout. What is served of it there must be parsed as before.
func (s *spaced) learn(t *testing.T, name, source string, archive *txtar.Archive) {
	t.Helper()
	was := learnSource(t, name, source, "<s>", "</s>", nil)
	if check := was.SelfCheck(); check.Failed > 0 || check.Passed == 0 {
		return
	}
	l := newLayout(source, uint64(len(source)))
	if l.source(source) == source {
		return
	}
	t.Run(name, func(t *testing.T) {
		now := learnSource(t, name, l.source(source), "<s>", "</s>", nil)
		s.learned++
		if slices.ContainsFunc(dialect.Parts(), func(p autoparser.Part) bool { return was.Dialect.Has(p) && !now.Dialect.Has(p) }) {
			t.Logf("not served: %v", now.Lint(t.Context()))
			return
		}
		if d := now.SelfCheck().Failures(); len(d) > 0 {
			t.Errorf("self-check %+v\n%s", d, learnings(now))
		}
		s.read++
		writesAndReads(t, was, now)
		if archive != nil {
			l.archived(t, was, now, archive)
		}
	})
}

// writesAndReads checks that a template's own answers are parsed back if they were before.
func writesAndReads(t *testing.T, was, now *autoparser.Learned) {
	t.Helper()
	answers := answerer{random: rand.New(rand.NewPCG(7, 2)), learned: was}
	for range 2 {
		answer := answers.message()
		if _, before := writtenAndRead(was, answer); before != "" {
			continue
		}
		if w, d := writtenAndRead(now, answer); d != "" {
			t.Errorf("%q after %q: %s\n%s", w.Output, w.Prompt, d, learnings(now))
		}
	}
}

// writtenAndRead has a template write an answer, and returns why it is not parsed back.
func writtenAndRead(l *autoparser.Learned, answer chat.Message) (autoparser.Written, string) {
	req := chat.Request{Tools: lawTools(), ParallelToolCalls: true, Now: lawTime}
	w, err := l.Write(req, answer)
	if err != nil {
		return w, err.Error()
	}
	return w, l.Difference(req, w, answer)
}

// otherwiseSpaced are the outputs whose white space differs from that of their templates.
var otherwiseSpaced = map[string]bool{"no white space": true, "other white space": true}

// archived checks that the outputs of an archive are parsed as before, apart from white space.
func (l layout) archived(t *testing.T, was, now *autoparser.Learned, archive *txtar.Archive) {
	t.Helper()
	before, after := newReader(t, was, fileNamed(archive.Files, "request.json")), newReader(t, now, fileNamed(archive.Files, "request.json"))
	for _, f := range archive.Files {
		title, ok := strings.CutPrefix(f.Name, "output: ")
		if !ok || strings.HasPrefix(title, "cut off") || otherwiseSpaced[title] {
			continue
		}
		output := strings.TrimSuffix(string(f.Data), "\n")
		want := before.parse(output)
		if want != fileNamed(archive.Files, "message: "+title) {
			continue // it needs a shipped rule
		}
		got := after.parse(strings.TrimRight(l.output(output), " \n"))
		if unspaced(l.output(want)) != unspaced(got) {
			t.Errorf("%s: %q\nexpected %s\nfound %s\n%s", title, l.output(output), want, got, learnings(now))
		}
	}
}

// unspaced returns the text of a message without white space, escaped or not.
func unspaced(message string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(`\n`, "", `\u003c`, "<", `\u003e`, ">").Replace(message)), "")
}

func TestALayoutIsThatOfTheSourceAndOfTheOutput(t *testing.T) {
	l := layout{"<a>": {"\n", " "}, "</a>": {"", "\n"}}
	const source = `<a>{{ '<a>' + m['</a>'] }}{%- if "<b>" %}</a>{% endif %}`
	const want = `{{ '\n' }}<a>{{ ' ' }}{{ '\n<a> ' + m['</a>\n'] }}{%- if "<b>" %}</a>{{ '\n' }}{% endif %}`
	if got := l.source(source); got != want {
		t.Errorf("source %q", got)
	}
	if got := l.output("x<a>y</a><b>"); got != "x\n<a> y</a>\n<b>" {
		t.Errorf("output %q", got)
	}
	markers := slices.Sorted(maps.Keys(newLayout(source, 1)))
	if strings.Join(markers, " ") != "</a> <a> <b>" {
		t.Errorf("markers %q", markers)
	}
}
