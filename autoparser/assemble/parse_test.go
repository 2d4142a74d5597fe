package assemble_test

import (
	"fmt"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// parser is an assembled program, ready to run.
type parser struct {
	code   *match.Code
	prompt string
	tools  []chat.Tool
}

func newParser(t testing.TB, in assemble.Input) parser {
	t.Helper()
	a := assemble.Assemble(in)
	code, err := match.Compile(a.Program, match.Options{})
	if err != nil {
		t.Fatalf("the program does not compile: %v", err)
	}
	return parser{code, in.GenerationPrompt, in.Request.Tools}
}

// run parses the pieces of one output.
func (p parser) run(pieces ...string) (cases.Message, *chat.Report) {
	stream := &chat.Stream{StreamOptions: chat.StreamOptions{Tools: p.tools, NoIDs: true}}
	m := match.New(p.code, stream.Add)
	m.Prompt(p.prompt)
	for _, piece := range pieces {
		m.Feed([]byte(piece))
	}
	report := m.Finish(false)
	stream.Finish(chat.FinishStop)
	return cases.MessageOf(stream.Message()), report
}

// check parses output whole, byte by byte and at every split into two, and compares the results.
func (p parser) check(t testing.TB, output string, expect cases.Message) *chat.Report {
	t.Helper()
	whole, report := p.run(output)
	if d := cases.Compare(expect, whole); d != "" {
		t.Fatalf("%s\n%s %v\noutput %q", d, report.Status, report.Faults, output)
	}
	for name, pieces := range splits(output) {
		got, other := p.run(pieces...)
		if fmt.Sprint(got) != fmt.Sprint(whole) {
			t.Fatalf("%s:\n%v\nwhole:\n%v", name, got, whole)
		}
		if fmt.Sprint(other.MissingMarkers) != fmt.Sprint(report.MissingMarkers) {
			t.Fatalf("%s: missing %v, whole: %v", name, other.MissingMarkers, report.MissingMarkers)
		}
	}
	return report
}

// splits returns an output cut in the ways that every test tries.
func splits(output string) map[string][]string {
	all := map[string][]string{}
	var bytes []string
	for i := range len(output) {
		bytes = append(bytes, output[i:i+1])
		all[fmt.Sprintf("split at byte %d", i)] = []string{output[:i], output[i:]}
	}
	all["byte by byte"] = bytes
	return all
}
