package host_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// streaming plans a request that the rogue plugin answers with a stream and the given kind of
// report.
func streaming(t *testing.T, reports string) *host.Planned {
	t.Helper()
	dir := t.TempDir()
	install(t, dir, build(t, "./plugins/testdata/rogue"), []byte(claim+"options: {Plan: stream, Reports: "+reports+"}\n"))
	h := start(t, func(c *config.Config) { c.Plugins.Dir = dir })
	return plan(t, h, "chatml-json", request(t, `{"messages": [{"role": "user", "content": "Hi"}]}`))
}

// TestTheReportOfAPluginIsDelivered also kills the process in the middle of an output. The process
// that replaces it then reports on the whole output.
func TestTheReportOfAPluginIsDelivered(t *testing.T) {
	p := streaming(t, "all")
	const output = "12?ab?"
	n := len(p.Plan.GenerationPrompt)
	if n == 0 {
		t.Fatal("no generation prompt, so the test cannot tell what offsets refer to")
	}
	want := &chat.Report{
		Status: chat.Malformed, PromptLength: n, Length: n + len(output),
		Spans: []chat.Span{
			{Region: chat.PromptRegion, End: n}, {Region: chat.ReasoningRegion, Start: n, End: n + 2}, {Region: chat.ContentRegion, Start: n + 2, End: n + 6},
		},
		Faults:         []chat.Fault{{At: n + 2, Farthest: n + 3, Message: "a question"}, {At: n + 5, Farthest: n + 6, Message: "a question"}},
		MissingMarkers: []chat.MissingMarker{{Marker: "<question>", At: n + 2, Count: 2}},
	}
	for _, cut := range cases.Cuts(4, 1) {
		s := p.Session(t.Context(), session.Options{NoIDs: true})
		for piece := range cut.Pieces([]byte(output)) {
			feed(t, s, string(piece))
		}
		if diff := cmp.Diff(want, finish(t, s).Report); diff != "" {
			t.Errorf("%s: expected (-), found (+):\n%s", cut.Name, diff)
		}
	}
	s := p.Session(t.Context(), session.Options{NoIDs: true})
	feed(t, s, output[:3])
	if killChildren(t) == 0 {
		t.Error("no process to kill")
	}
	feed(t, s, output[3:])
	if diff := cmp.Diff(want, finish(t, s).Report); diff != "" {
		t.Errorf("after the process was killed: expected (-), found (+):\n%s", diff)
	}
}

func TestInvalidPartsOfAPluginsReportBecomeNotes(t *testing.T) {
	report := parse(t, streaming(t, "lies"), "12ab").Report
	if report.Spans != nil || report.Faults != nil || report.MissingMarkers != nil || report.MaxHeld != 0 || report.Status != chat.Malformed {
		t.Errorf("the report is %+v", report)
	}
	for _, part := range []string{"spans: span 1 begins at byte 1099511627776, expected 0", "faults: number 1", "missing markers: number 1", "the held bytes: "} {
		if text := strings.Join(report.Notes, "\n"); len(report.Notes) != 4 || !strings.Contains(text, part) {
			t.Errorf("the notes lack %q: %q", part, report.Notes)
		}
	}
}
