package match_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// event is an event that was delivered, with a copy of its text.
type event struct {
	kind      chat.EventKind
	text      string
	recovered bool
	open      bool
}

// String shows an event as the tables of the tests write it.
func (e event) String() string {
	switch e.kind {
	case chat.ContentText:
		if e.recovered {
			return fmt.Sprintf("recovered %q", e.text)
		}
		return fmt.Sprintf("content %q", e.text)
	case chat.ReasoningText:
		return fmt.Sprintf("reasoning %q", e.text)
	case chat.CallBegin:
		return "call"
	case chat.CallID:
		return "id " + e.text
	case chat.CallName:
		return e.text
	case chat.CallArguments:
		return e.text
	case chat.CallEnd:
		if e.open {
			return "open"
		}
		return "end"
	}
	return "?"
}

// transcript collects events, and joins consecutive texts of one kind.
type transcript []event

func (t *transcript) sink(e chat.Event) {
	if n := len(*t); n > 0 && isPiece(e.Kind) {
		if last := &(*t)[n-1]; last.kind == e.Kind && last.recovered == e.Recovered {
			last.text += string(e.Text)
			return
		}
	}
	*t = append(*t, event{e.Kind, string(e.Text), e.Recovered, e.Open})
}

func isPiece(k chat.EventKind) bool {
	return k == chat.ContentText || k == chat.ReasoningText || k == chat.CallArguments
}

func (t transcript) String() string {
	lines := make([]string, len(t))
	for i, e := range t {
		lines[i] = e.String()
	}
	return strings.Join(lines, " | ")
}

// continues reports whether t begins with before: nothing was taken back.
func (t transcript) continues(before transcript) bool {
	for i, e := range before {
		if i >= len(t) || t[i].kind != e.kind || t[i].recovered != e.recovered {
			return false
		}
		if i < len(before)-1 && t[i].text != e.text || !strings.HasPrefix(t[i].text, e.text) {
			return false
		}
	}
	return true
}

// output is the output of a model, and which of its bytes came from special tokens (nil: unknown).
type output struct {
	prompt    string
	text      string
	special   []match.Range
	truncated bool // the engine stopped for length
}

// parse runs code over an output that is cut at the given offsets.
func parse(t testing.TB, code *match.Code, o output, cuts []int) (transcript, chat.Report) {
	t.Helper()
	var all transcript
	m := match.New(code, all.sink)
	m.KeepClaims()
	if o.prompt != "" {
		m.Prompt(o.prompt)
	}
	from := 0
	for _, to := range append(slices.Clone(cuts), len(o.text)) {
		before := slices.Clone(all)
		chunk := []byte(o.text[from:to])
		if o.special == nil {
			m.Feed(chunk)
		} else {
			m.FeedSpecial(chunk, within(o.special, from, to))
		}
		for i := range chunk {
			chunk[i] = '#' // the chunk is the caller's again
		}
		if !all.continues(before) {
			t.Fatalf("%q cut at %v: delivered\n%v\nand then\n%v", o.text, cuts, before, all)
		}
		from = to
	}
	report := *m.Finish(o.truncated)
	if again := m.Finish(o.truncated); !reflect.DeepEqual(*again, report) {
		t.Fatalf("%q: the second report differs: %+v, %+v", o.text, report, *again)
	}
	checkSpans(t, o, report)
	checkClaims(t, o, report, m.Claims())
	checkText(t, o, all, report)
	return all, report
}

func within(ranges []match.Range, from, to int) []match.Range {
	out := []match.Range{}
	for _, r := range ranges {
		if start, end := max(r.Start, from), min(r.End, to); start < end {
			out = append(out, match.Range{Start: start - from, End: end - from})
		}
	}
	return out
}

// checkSpans checks that the spans of a report cover every byte exactly once.
func checkSpans(t testing.TB, o output, r chat.Report) {
	t.Helper()
	at := 0
	for i, s := range r.Spans {
		if s.Start != at || s.End <= s.Start || (i > 0 && s.Region == r.Spans[i-1].Region) {
			t.Fatalf("%q: span %d of %v", o.text, i, r.Spans)
		}
		at = s.End
	}
	if want := len(o.prompt) + len(o.text); at != want || r.Length != want {
		t.Fatalf("%q: spans %v cover %d bytes of %d, length %d", o.text, r.Spans, at, want, r.Length)
	}
}

// checkClaims checks that every byte of a span was read by one node, unless it stayed open, or was part of the prompt.
func checkClaims(t testing.TB, o output, r chat.Report, claims []match.Claim) {
	t.Helper()
	at := 0
	for _, s := range r.Spans {
		if s.Region == chat.OpenRegion || s.Region == chat.PromptRegion {
			continue
		}
		for at < len(claims) && claims[at].End <= s.Start {
			at++
		}
		for from := s.Start; from < s.End; at++ {
			if at == len(claims) || claims[at].Start > from || claims[at].Recovered != (s.Region == chat.RecoveredRegion) {
				t.Fatalf("%q: nothing has read byte %d of span %v: %+v", o.text, from, s, claims)
			}
			if from = claims[at].End; from > s.End {
				at--
			}
		}
	}
}

// checkText checks that the delivered text is what the spans say: no byte of content or reasoning is lost, repeated or invented.
func checkText(t testing.TB, o output, delivered transcript, r chat.Report) {
	t.Helper()
	var want, got [2]string
	for _, s := range r.Spans {
		text := (o.prompt + o.text)[s.Start:s.End]
		switch s.Region {
		case chat.ContentRegion, chat.RecoveredRegion:
			want[0] += text
		case chat.ReasoningRegion:
			want[1] += text
		}
	}
	for _, e := range delivered {
		switch e.kind {
		case chat.ContentText:
			got[0] += e.text
		case chat.ReasoningText:
			got[1] += e.text
		}
	}
	if got != want {
		t.Fatalf("%q: delivered %q, but the spans are %q", o.text, got, want)
	}
}

// everySplit runs code over an output whole, byte by byte, cut once at every place, and at random places. It returns the events
// and the report, which must be the same each time.
func everySplit(t testing.TB, code *match.Code, o output) (transcript, chat.Report) {
	t.Helper()
	all, report := parse(t, code, o, nil)
	for _, cuts := range splits(len(o.text)) {
		other, otherReport := parse(t, code, o, cuts)
		if !slices.Equal(all, other) {
			t.Fatalf("%q cut at %v:\n got %v\nwant %v", o.text, cuts, other, all)
		}
		otherReport.MaxHeld = report.MaxHeld // the one thing that depends on chunks
		if !reflect.DeepEqual(report, otherReport) {
			t.Fatalf("%q cut at %v: report\n got %+v\nwant %+v", o.text, cuts, otherReport, report)
		}
	}
	return all, report
}

// splits returns ways to cut a text of length n.
func splits(n int) [][]int {
	bytes := make([]int, 0, n)
	for i := 1; i < n; i++ {
		bytes = append(bytes, i)
	}
	all := [][]int{bytes}
	step := 1 + n/200
	for i := 1; i < n; i += step {
		all = append(all, []int{i})
	}
	random := rand.New(rand.NewPCG(uint64(n), 1))
	for range 8 {
		var cuts []int
		for i := 1; i < n; i++ {
			if random.IntN(4) == 0 {
				cuts = append(cuts, i)
			}
		}
		all = append(all, cuts)
	}
	return all
}

func compile(t testing.TB, p *peg.Program, specials ...string) *match.Code {
	t.Helper()
	code, err := match.Compile(p, match.Options{Specials: specials})
	if err != nil {
		t.Fatal(err)
	}
	return code
}
