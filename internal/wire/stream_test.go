package wire

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// events, results and descriptions have every field set.
var (
	events  = []chat.Event{{Kind: chat.ContentText, Text: []byte("a\xc3"), Recovered: true, Open: true}}
	results = []handler.StreamResult{{Status: chat.Trailing, Notes: []string{"n"}, MaxHeld: 7, Spans: everyRegion(),
		Faults:         []chat.Fault{{At: 1, Farthest: 2, Message: "m"}},
		MissingMarkers: []chat.MissingMarker{{Marker: "<m>", At: 3, Count: 4}},
	}}
	descriptions = []Description{{Streams: true, Description: handler.Description{
		Name: "n", Version: "1.2.3", Match: `source contains "x"`, Priority: -5,
	}}}
)

// everyRegion returns a span of each region that is sent.
func everyRegion() (all []chat.Span) {
	for i, r := range regions {
		all = append(all, chat.Span{Region: r.value, Start: i, End: i + 1})
	}
	return all
}

func TestEventsArriveAsTheyWereSent(t *testing.T) {
	for kind := chat.ContentText; kind <= chat.CallEnd; kind++ {
		sent := events[0]
		sent.Kind = kind
		got, err := DecodeEvent(overTheWire(t, EncodeEvent(sent), new(pb.Event)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sent, got); diff != "" {
			t.Errorf("sent (-), received (+):\n%s", diff)
		}
	}
}

func TestAnEventsTextIsCopied(t *testing.T) {
	text := []byte("abc")
	m := EncodeEvent(chat.Event{Kind: chat.ContentText, Text: text})
	text[0] = 'x'
	if string(m.GetText()) != "abc" {
		t.Errorf("the text became %q", m.GetText())
	}
}

func TestUnknownEventsAreRefused(t *testing.T) {
	_, err := DecodeEvent(EncodeEvent(chat.Event{Kind: 99}))
	wantFault(t, err, "events.kind", "UNSPECIFIED")
}

func TestResultsArriveAsTheyWereSent(t *testing.T) {
	for _, status := range []chat.Status{chat.Complete, chat.Truncated, chat.Malformed, chat.Trailing} {
		sent := results[0]
		sent.Status = status
		got, err := DecodeResult(overTheWire(t, EncodeResult(sent), new(pb.StreamResult)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sent, got); diff != "" {
			t.Errorf("sent (-), received (+):\n%s", diff)
		}
	}
	_, err := DecodeResult(&pb.StreamResult{Status: 99})
	wantFault(t, err, "result.status", "99")
}

// TestUnknownPartsOfAResultAreLeftToSanitizing sends a region of another version and an offset that
// overflows.
func TestUnknownPartsOfAResultAreLeftToSanitizing(t *testing.T) {
	got, err := DecodeResult(&pb.StreamResult{Spans: []*pb.Span{{Region: 99, End: math.MaxUint64}}, MaxHeld: math.MaxUint64})
	if err != nil || len(got.Spans) != 1 || got.Spans[0].Region != "99" {
		t.Fatalf("%+v, %v", got, err)
	}
	if notes := got.Sanitize(1); len(notes) != 2 || got.Spans != nil || got.MaxHeld != 0 {
		t.Errorf("notes %q, result %+v", notes, got)
	}
}

func TestDescriptionsArriveAsTheyWereSent(t *testing.T) {
	sent := descriptions[0]
	got := DecodeDescription(overTheWire(t, EncodeDescription(sent), new(pb.HandlerDescription)))
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("sent (-), received (+):\n%s", diff)
	}
}
