package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

func TestEventsArriveAsTheyWereSent(t *testing.T) {
	for kind := chat.ContentText; kind <= chat.CallEnd; kind++ {
		sent := chat.Event{Kind: kind, Text: []byte("a\xc3"), Recovered: true}
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
	for _, status := range []chat.Status{chat.Complete, chat.Truncated, chat.Malformed} {
		sent := handler.StreamResult{Status: status, Notes: []string{"n"}}
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

func TestDescriptionsArriveAsTheyWereSent(t *testing.T) {
	sent := Description{Streams: true, Description: handler.Description{
		Name: "n", Version: "1.2.3", Match: `source contains "x"`, Priority: -5,
	}}
	got := DecodeDescription(overTheWire(t, EncodeDescription(sent), new(pb.HandlerDescription)))
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Errorf("sent (-), received (+):\n%s", diff)
	}
}
