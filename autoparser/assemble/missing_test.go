package assemble_test

import (
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// A number at the end of a truncated output may be incomplete; its digits are delivered or at least
// covered by a span.
func TestAnOutputCutOffAnywhereLosesNoByte(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		p := newParser(t, s.input())
		output := s.section(s.withIDs(calls(call("get_weather", "city", `"Oslo"`, "days", "12"))).ToolCalls)
		for n := range len(output) + 1 {
			_, report := p.run(output[:n])
			end := 0
			for _, span := range report.Spans {
				if span.Start != end {
					t.Fatalf("%q: no span covers the bytes from %d to %d", output[:n], end, span.Start)
				}
				end = span.End
			}
			if end != report.Length || end != len(s.prompt)+n {
				t.Fatalf("%q: the spans end at %d of %d", output[:n], end, report.Length)
			}
		}
	})
	got, report := newParser(t, named(t, "JSON in tags").input()).run(`<tool_call>{"name": "get_weather", "arguments": {"days": 12`)
	if want := `{"days": 12`; report.Status != chat.Truncated || len(got.ToolCalls) != 1 || got.ToolCalls[0].Arguments != want {
		t.Errorf("%s: %v, want the arguments %s", report.Status, got, want)
	}
}

// An output is parsed even if the engine strips special tokens or the model omits them. The report
// lists what is missing and where; the status is unaffected.
func TestMissingMarkersAreCounted(t *testing.T) {
	const good = `{"name": "get_weather", "arguments": {"city": "Oslo"}}`
	const lines = "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>"
	type missing = []chat.MissingMarker
	for _, c := range []struct {
		dialect, what, output string
		want                  cases.Message
		missing               missing
	}{
		{"JSON in tags", "nothing", "<tool_call>\n" + good + "\n</tool_call>", calls(oslo), nil},
		{"JSON in tags", "nothing, in a text", "Hello", cases.Message{Content: "Hello"}, nil},
		{"JSON in tags", "both markers", good, calls(oslo), missing{{Marker: "<tool_call>", At: 0, Count: 1}, {Marker: "</tool_call>", At: len(good), Count: 1}}},
		{"JSON in tags", "the first marker", good + "\n</tool_call>", calls(oslo), missing{{Marker: "<tool_call>", At: 0, Count: 1}}},
		{"JSON in tags", "the last marker", "<tool_call>" + good, calls(oslo), missing{{Marker: "</tool_call>", At: len("<tool_call>" + good), Count: 1}}},
		{"JSON in tags", "the last marker, twice", "<tool_call>" + good + "<tool_call>" + good, calls(oslo, oslo), missing{{Marker: "</tool_call>", At: len("<tool_call>" + good), Count: 2}}},
		{"tags with lines", "the first marker", lines + "\n</tool_call>", calls(oslo), missing{{Marker: "<tool_call>", At: 0, Count: 1}}},
		{"tags with lines", "the end of an argument", "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</function>\n</tool_call>", calls(oslo),
			missing{{Marker: "</parameter>", At: len("<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n"), Count: 1}}},
	} {
		t.Run(c.dialect+" without "+c.what, func(t *testing.T) {
			s := named(t, c.dialect)
			report := newParser(t, s.input(parallel)).check(t, c.output, c.want)
			for i := range c.missing {
				c.missing[i].At += len(s.prompt)
			}
			if report.Status != chat.Complete || !slices.Equal(report.MissingMarkers, c.missing) {
				t.Errorf("%s, missing %v; want %v", report.Status, report.MissingMarkers, c.missing)
			}
		})
	}
}
