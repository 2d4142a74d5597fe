package assemble_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/google/go-cmp/cmp"
)

// FuzzRandomMessages writes random messages in random dialects and parses them back. It then
// corrupts the text and checks that no byte is lost.
func FuzzRandomMessages(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint8(seed), uint8(0))
		f.Add(seed, uint8(seed), uint8(5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, dialect, spoils uint8) {
		s := samples[int(dialect)%len(samples)]
		w := writer{rand.New(rand.NewPCG(seed, 1)), s}
		p := newParser(t, s.input(parallel))
		m := s.withIDs(w.message())
		output := s.answer(m)
		for range spoils % 8 {
			output = w.spoil(output)
		}
		whole, report := p.run(output)
		if spoils%8 == 0 {
			if d := cases.Compare(m, whole); d != "" {
				t.Errorf("%s: %s\noutput %q", s.name, d, output)
			}
		}
		got, single := p.run(strings.Split(output, "")...)
		if fmt.Sprint(got) != fmt.Sprint(whole) {
			t.Errorf("%s: byte by byte %v, whole %v\noutput %q", s.name, got, whole, output)
		}
		single.MaxHeld = report.MaxHeld // depends on the chunks
		if d := cmp.Diff(report, single); d != "" {
			t.Errorf("%s: the reports differ: -whole +byte by byte\n%s\noutput %q", s.name, d, output)
		}
		for at := w.IntN(4); at < len(output); at += 1 + w.IntN(len(output)/8+1) {
			if got, _ := p.run(output[:at], output[at:]); fmt.Sprint(got) != fmt.Sprint(whole) {
				t.Errorf("%s: cut at %d %v, whole %v\noutput %q", s.name, at, got, whole, output)
			}
		}
		covers(t, report)
	})
}

// covers checks that the spans of a report cover every byte exactly once.
func covers(t *testing.T, r *chat.Report) {
	t.Helper()
	at := 0
	for _, s := range r.Spans {
		if s.Start != at || s.End <= s.Start {
			t.Errorf("the span %v does not begin at byte %d", s, at)
		}
		at = s.End
	}
	if at != r.Length {
		t.Errorf("the spans end at byte %d of %d", at, r.Length)
	}
}

// writer generates random messages.
type writer struct {
	*rand.Rand
	sample
}

func (w writer) message() cases.Message {
	var m cases.Message
	if w.Reasoning.Mode != "" && w.IntN(2) == 0 {
		m.ReasoningContent = w.prose()
	}
	if w.IntN(2) == 0 {
		m.Content = w.prose()
	}
	for range w.IntN(3) {
		m.ToolCalls = append(m.ToolCalls, w.call())
	}
	if m.Content != "" && len(m.ToolCalls) > 0 && w.Content.Start == "" {
		m.Content += "\n"
	}
	return m
}

func (w writer) call() cases.Call {
	switch w.IntN(3) {
	case 0:
		return call("ping")
	case 1:
		return call("get", "text", w.text())
	}
	args := []string{"city", w.text()}
	for _, optional := range [][]string{
		{"days", fmt.Sprint(w.Int64())}, {"metric", fmt.Sprint(w.IntN(2) == 0)}, {"tags", "[" + w.text() + ", " + w.text() + "]"},
		{"where", `{"a": {"b": ` + w.text() + `}, "c": []}`}, {"note", "null"},
	} {
		if w.IntN(2) == 0 {
			args = append(args, optional...)
		}
	}
	return call("get_weather", args...)
}

var words = []string{"Hello", "world", "格", "🙂", "a < b", "x[0]", "{", "}", "\"", "\n", "  ", "<b>", "</b>", "\\n", "1", "null", "'", "`", "```"}

func (w writer) prose() string {
	var b strings.Builder
	for range 1 + w.IntN(6) {
		b.WriteString(words[w.IntN(len(words))] + " ")
	}
	return "I say " + b.String() + "so."
}

// text returns a JSON string, without quotes in dialects where the tests cannot write them.
func (w writer) text() string {
	text := w.prose()
	if w.Tools.JSON.PythonDicts {
		text = strings.NewReplacer("'", "", `"`, "", `\`, "", "null", "").Replace(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(quoted))
}

// spoil corrupts text: it removes, repeats or inserts a part.
func (w writer) spoil(text string) string {
	if text == "" {
		return text
	}
	t := w.Tools
	markers := []string{t.SectionStart, t.SectionEnd, t.PerCallStart, t.PerCallEnd, t.Function.NamePrefix, t.Function.Close,
		t.Arguments.NamePrefix, t.Arguments.ValueSuffix, w.Reasoning.Start, w.Reasoning.End, w.EndOfTurn, w.Content.Start, w.Content.End}
	from := w.IntN(len(text))
	to := min(from+w.IntN(12), len(text))
	switch w.IntN(3) {
	case 0:
		return text[:from] + text[to:]
	case 1:
		return text[:to] + text[from:]
	}
	return text[:from] + markers[w.IntN(len(markers))] + text[from:]
}
