package wire

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// EncodeEvent turns an event into a message, copying its text. An event of an unknown kind becomes one that is refused.
func EncodeEvent(e chat.Event) *pb.Event {
	kind, _ := kinds.encode(e.Kind)
	return &pb.Event{Kind: kind, Text: append([]byte(nil), e.Text...), Recovered: e.Recovered}
}

// DecodeEvent turns a message into an event. The error is an *Error.
func DecodeEvent(m *pb.Event) (chat.Event, error) {
	kind, ok := kinds.decode(m.GetKind())
	if !ok {
		return chat.Event{}, fault("events.kind", "%v is unknown", m.GetKind())
	}
	return chat.Event{Kind: kind, Text: m.GetText(), Recovered: m.GetRecovered()}, nil
}

// EncodeResult turns the result of a stream into a message.
func EncodeResult(r handler.StreamResult) *pb.StreamResult {
	status, _ := statuses.encode(r.Status)
	return &pb.StreamResult{Status: status, Notes: r.Notes}
}

// DecodeResult turns a message into the result of a stream. The error is an *Error.
func DecodeResult(m *pb.StreamResult) (handler.StreamResult, error) {
	status, ok := statuses.decode(m.GetStatus())
	if !ok {
		return handler.StreamResult{}, fault("result.status", "%v is unknown", m.GetStatus())
	}
	return handler.StreamResult{Status: status, Notes: m.GetNotes()}, nil
}
