package autoparser_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestStylesOfTheWild parses outputs in styles that many models share and compares the results with
// the archives in testdata/unseen. An archive contains a template, optionally a request, and
// outputs, each with its result; it ends with what was learned or set by a shipped rule, and
// whether the template's own renderings are parsed back. Outputs are parsed whole, byte by byte,
// and cut in two at every byte.
func TestStylesOfTheWild(t *testing.T) {
	shared.Slow(t)
	paths, err := filepath.Glob("testdata/unseen/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %d archives: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			golden, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			given := givenOutputs(golden)
			got := readStyle(t, given)
			if *update {
				rewrite(t, path, golden.Comment, nil, got)
				return
			}
			if d := cmp.Diff(text(golden.Files), text(got)); d != "" {
				t.Errorf("-golden +now\n%s", d)
			}
		})
	}
}

// styles returns the templates of the archives in testdata/unseen, keyed by archive name.
func styles(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/unseen/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %d archives: %v", len(paths), err)
	}
	sources := map[string]string{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources[strings.TrimSuffix(filepath.Base(path), ".txtar")] = fileNamed(archive.Files, "template.jinja")
	}
	return sources
}

// givenOutputs returns the input of an archive: everything but the results.
func givenOutputs(a *txtar.Archive) []txtar.File {
	var given []txtar.File
	for _, f := range a.Files {
		if f.Name == "template.jinja" || f.Name == "request.json" || strings.HasPrefix(f.Name, "output: ") {
			given = append(given, f)
		}
	}
	return given
}

// readStyle returns the input with the results added.
func readStyle(t *testing.T, given []txtar.File) []txtar.File {
	t.Helper()
	l := learnSource(t, "style", fileNamed(given, "template.jinja"), "<s>", "</s>", shippedRules(t))
	p := newReader(t, l, fileNamed(given, "request.json"))
	var all []txtar.File
	for _, f := range given {
		all = append(all, f)
		if name, ok := strings.CutPrefix(f.Name, "output: "); ok {
			all = append(all, txtar.File{Name: "message: " + name, Data: []byte(p.read(t, strings.TrimSuffix(string(f.Data), "\n")))})
		}
	}
	return append(all, txtar.File{Name: "learned", Data: []byte(learnings(l))})
}

// TestEveryFieldOfADialectHasItsEvidence checks that every field can be traced to the comparisons
// that set it.
func TestEveryFieldOfADialectHasItsEvidence(t *testing.T) {
	asked := map[string]bool{}
	for _, c := range probe.Comparisons() {
		asked[c.ID] = true
	}
	paths, err := filepath.Glob("testdata/unseen/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		golden, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l := learnSource(t, "style", fileNamed(golden.Files, "template.jinja"), "<s>", "</s>", nil)
		told := map[string]bool{}
		for _, f := range l.Findings() {
			if !asked[f.By] || f.Seen == "" || told[f.Field] {
				t.Errorf("%s: %+v", path, f)
			}
			told[f.Field] = true
		}
		for field, value := range fieldsOf(t, l.Concluded) {
			if nothing := value == "" || value == "false" || value == "[]" || value == "none" || value == "plain"; nothing == told[field] {
				t.Errorf("%s: %s is %q, evidence %v", path, field, value, told[field])
			}
		}
	}
}

func learnings(l *autoparser.Learned) string {
	var b strings.Builder
	for _, f := range l.Findings() {
		fmt.Fprintf(&b, "%s = %q\n", f.Field, f.Value)
	}
	for _, lint := range l.Detected.Lint {
		fmt.Fprintln(&b, "lint:", lint)
	}
	fmt.Fprint(&b, "self-check: ", l.SelfCheck().Score())
	for i, row := range l.SelfCheck().Failures() {
		fmt.Fprint(&b, [...]string{", not ", ", "}[min(i, 1)], row.ID)
	}
	return b.String() + "\n"
}

// reader parses the outputs of one request.
type reader struct {
	request *chat.Request
	prompt  string
	code    *match.Code
}

const styleRequest = `{"messages": [{"role": "user", "content": "Hello"}], "parallel_tool_calls": true, "tools": [
	{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}},
	{"type": "function", "function": {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}}]}`

func newReader(t *testing.T, l *autoparser.Learned, more string) reader {
	t.Helper()
	members := map[string]json.RawMessage{}
	for _, text := range []string{styleRequest, more} {
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &members); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, string(data))
	plan, err := l.Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	code, err := match.Compile(plan.Program, match.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader{r, plan.GenerationPrompt, code}
}

// read parses an output at every split, checks that the results agree, and returns the result as
// text.
func (r reader) read(t *testing.T, output string) string {
	t.Helper()
	whole := r.parse(output)
	if got := r.parse(strings.Split(output, "")...); got != whole {
		t.Errorf("%q byte by byte:\n-whole +now\n%s", output, cmp.Diff(whole, got))
	}
	for i := range output {
		if got := r.parse(output[:i], output[i:]); got != whole {
			t.Errorf("%q cut at %d:\n-whole +now\n%s", output, i, cmp.Diff(whole, got))
		}
	}
	return whole
}

func (r reader) parse(pieces ...string) string {
	stream := &chat.Stream{StreamOptions: chat.StreamOptions{Tools: r.request.Tools, NoIDs: true}}
	m := match.New(r.code, stream.Add)
	m.Prompt(r.prompt)
	for _, p := range pieces {
		m.Feed([]byte(p))
	}
	report := m.Finish(false)
	stream.Finish(chat.FinishStop)
	message := stream.Message()
	var b strings.Builder
	if message.ReasoningContent != "" {
		fmt.Fprintf(&b, "reasoning %q\n", message.ReasoningContent)
	}
	if message.Content.Text != nil && *message.Content.Text != "" {
		fmt.Fprintf(&b, "content %q\n", *message.Content.Text)
	}
	for _, c := range message.ToolCalls {
		fmt.Fprintln(&b, strings.Join(strings.Fields("call "+c.ID+" "+c.Name), " "), c.Arguments)
	}
	fmt.Fprintln(&b, report.Status)
	return b.String()
}
