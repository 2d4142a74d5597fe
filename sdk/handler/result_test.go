package handler_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// sound returns a valid result of the output "12ab".
func sound() handler.StreamResult {
	return handler.StreamResult{
		Status: chat.Malformed, Notes: []string{"a note"}, MaxHeld: 4,
		Spans:          []chat.Span{{Region: chat.ReasoningRegion, End: 2}, {Region: chat.ContentRegion, Start: 2, End: 4}},
		Faults:         []chat.Fault{{At: 2, Farthest: 4, Message: "expected a digit"}},
		MissingMarkers: []chat.MissingMarker{{Marker: "<a>", At: 2, Count: 1}, {Marker: "<b>", At: 4, Count: 2}},
	}
}

const soundOutput = len("12ab")

func TestAResultBecomesTheReportBehindTheGenerationPrompt(t *testing.T) {
	want := &chat.Report{
		Status: chat.Malformed, Notes: []string{"a note"}, MaxHeld: 4, PromptLength: 10, Length: 14,
		Spans: []chat.Span{
			{Region: chat.PromptRegion, End: 10}, {Region: chat.ReasoningRegion, Start: 10, End: 12}, {Region: chat.ContentRegion, Start: 12, End: 14},
		},
		Faults:         []chat.Fault{{At: 12, Farthest: 14, Message: "expected a digit"}},
		MissingMarkers: []chat.MissingMarker{{Marker: "<a>", At: 12, Count: 1}, {Marker: "<b>", At: 14, Count: 2}},
	}
	if diff := cmp.Diff(want, sound().Report(10, soundOutput)); diff != "" {
		t.Errorf("expected (-), found (+):\n%s", diff)
	}
}

func TestWhatCannotBeTrueOfAnOutputIsRemovedAndNoted(t *testing.T) {
	long := strings.Repeat("x", handler.MaxResultText+1)
	spans := func(all ...chat.Span) func(*handler.StreamResult) {
		return func(r *handler.StreamResult) { r.Spans = all }
	}
	faults := func(all ...chat.Fault) func(*handler.StreamResult) {
		return func(r *handler.StreamResult) { r.Faults = all }
	}
	missing := func(all ...chat.MissingMarker) func(*handler.StreamResult) {
		return func(r *handler.StreamResult) { r.MissingMarkers = all }
	}
	const content, call = chat.ContentRegion, chat.CallRegion
	for _, test := range []struct {
		name   string
		change func(*handler.StreamResult)
		want   string
		kept   func(*handler.StreamResult) // what is left
	}{
		{"a gap", spans(chat.Span{Region: content, End: 1}, chat.Span{Region: call, Start: 2, End: 4}), "spans: span 2 begins at byte 2, expected 1", spans()},
		{"an overlap", spans(chat.Span{Region: content, End: 3}, chat.Span{Region: call, Start: 2, End: 4}), "spans: span 2 begins at byte 2, expected 3", spans()},
		{"no first byte", spans(chat.Span{Region: content, Start: 1, End: 4}), "spans: span 1 begins at byte 1, expected 0", spans()},
		{"no last byte", spans(chat.Span{Region: content, End: 3}), "spans: the bytes from 3 on are in no span", spans()},
		{"a byte too many", spans(chat.Span{Region: content, End: 5}), "spans: span 1 from byte 0 to 5 is empty, or outside of the output's 4", spans()},
		{"an empty span", spans(chat.Span{Region: content}), "spans: span 1 from byte 0 to 0 is empty", spans()},
		{"before the output", spans(chat.Span{Region: content, Start: -4, End: 4}), "spans: span 1 begins at byte -4", spans()},
		{"an unknown region", spans(chat.Span{Region: "limbo", End: 4}), `spans: span 1: unknown region "limbo"`, spans()},
		{"a part of the prompt", spans(chat.Span{Region: chat.PromptRegion, End: 4}), `spans: span 1: unknown region "prompt"`, spans()},
		{"too many spans", spans(make([]chat.Span, handler.MaxResultSpans+1)...), "spans: 65537 spans; at most 65536", spans()},

		{"faults of what is complete", func(r *handler.StreamResult) { r.Status = chat.Complete }, "faults: the status is complete", func(r *handler.StreamResult) {
			r.Status, r.Faults = chat.Complete, nil
		}},
		{"a fault behind the end", faults(chat.Fault{At: 5, Farthest: 5, Message: "x"}, chat.Fault{Message: "y"}), "faults: number 1: it is at byte 5", faults(chat.Fault{Message: "y"})},
		{"a fault before the start", faults(chat.Fault{At: -1, Message: "x"}), "faults: number 1: byte -1 of an output of 4", faults()},
		{"a fault that looked back", faults(chat.Fault{At: 2, Farthest: 1, Message: "x"}), "faults: number 1: it is at byte 2, but its farthest byte is 1", faults()},
		{"faults out of order", faults(chat.Fault{At: 2, Farthest: 2, Message: "x"}, chat.Fault{At: 1, Farthest: 4, Message: "y"}),
			"faults: number 2: byte 1 comes after byte 2", faults(chat.Fault{At: 2, Farthest: 2, Message: "x"})},
		{"faults that say nothing", faults(chat.Fault{}, chat.Fault{Message: long}), "faults: number 1: its text is empty; and 1 more", faults()},
		{"a marker without an end", missing(chat.MissingMarker{Marker: long, Count: 1}), "missing markers: number 1: its text has 1025 bytes", missing()},
		{"a marker that is not missing", missing(chat.MissingMarker{Marker: "<a>"}), "missing markers: number 1: it is missing 0 times", missing()},
		{"a marker twice", missing(chat.MissingMarker{Marker: "<a>", Count: 1}, chat.MissingMarker{Marker: "<a>", At: 1, Count: 1}),
			`missing markers: number 2: "<a>" is a duplicate`, missing(chat.MissingMarker{Marker: "<a>", Count: 1})},
		{"a marker behind the end", missing(chat.MissingMarker{Marker: "<a>", At: 5, Count: 1}), "missing markers: number 1: byte 5 of an output of 4", missing()},

		{"more held than there is", func(r *handler.StreamResult) { r.MaxHeld = 5 }, "the held bytes: 5 bytes of an output of 4", func(r *handler.StreamResult) { r.MaxHeld = 0 }},
		{"too many notes", func(r *handler.StreamResult) {
			r.Notes = strings.Split(strings.Repeat("n", handler.MaxResultNotes+2), "")
		},
			"notes: number 33: more than 32; and 1 more", func(r *handler.StreamResult) {
				r.Notes = strings.Split(strings.Repeat("n", handler.MaxResultNotes), "")
			}},
	} {
		r, want := sound(), sound()
		test.change(&r)
		test.kept(&want)
		removed := r.Sanitize(soundOutput)
		if len(removed) != 1 || !strings.HasPrefix(removed[0], "removed from the handler's report: "+test.want) {
			t.Errorf("%s: noted %q, want %q", test.name, removed, test.want)
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s: expected (-), kept (+):\n%s", test.name, diff)
		}
		if removed := r.Sanitize(soundOutput); removed != nil {
			t.Errorf("%s: the sanitized result is not valid: %q", test.name, removed)
		}
	}
}
