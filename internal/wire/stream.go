package wire

import (
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// EncodeEvent converts an event to a message, copying its text. An event of an unknown kind becomes one that DecodeEvent refuses.
func EncodeEvent(e chat.Event) *pb.Event {
	kind, _ := kinds.encode(e.Kind)
	return &pb.Event{Kind: kind, Text: append([]byte(nil), e.Text...), Recovered: e.Recovered, Open: e.Open}
}

// DecodeEvent converts a message to an event. The error is Broken.
func DecodeEvent(m *pb.Event) (chat.Event, error) {
	kind, ok := kinds.decode(m.GetKind())
	if !ok {
		return chat.Event{}, Broken("events.kind", "unknown value %v", m.GetKind())
	}
	return chat.Event{Kind: kind, Text: m.GetText(), Recovered: m.GetRecovered(), Open: m.GetOpen()}, nil
}

// EncodeResult converts the result of a stream to a message.
func EncodeResult(r handler.StreamResult) *pb.StreamResult {
	status, _ := statuses.encode(r.Status)
	m := &pb.StreamResult{Status: status, Notes: validAll(r.Notes), MaxHeld: uint64(r.MaxHeld)}
	for _, s := range r.Spans {
		region, _ := regions.encode(s.Region)
		m.Spans = append(m.Spans, &pb.Span{Region: region, Start: uint64(s.Start), End: uint64(s.End)})
	}
	for _, f := range r.Faults {
		m.Faults = append(m.Faults, &pb.Fault{At: uint64(f.At), Farthest: uint64(f.Farthest), Message: valid(f.Message)})
	}
	for _, k := range r.MissingMarkers {
		m.MissingMarkers = append(m.MissingMarkers, &pb.MissingMarker{Marker: valid(k.Marker), At: uint64(k.At), Count: uint32(k.Count)})
	}
	return m
}

// DecodeResult converts a message to the result of a stream. The error is Broken. Whether the result fits its output is
// checked by handler.StreamResult.Sanitize.
func DecodeResult(m *pb.StreamResult) (handler.StreamResult, error) {
	status, ok := statuses.decode(m.GetStatus())
	if !ok {
		return handler.StreamResult{}, Broken("result.status", "unknown value %v", m.GetStatus())
	}
	r := handler.StreamResult{Status: status, Notes: m.GetNotes(), MaxHeld: int(m.GetMaxHeld())}
	for _, s := range m.GetSpans() {
		region, ok := regions.decode(s.GetRegion())
		if !ok {
			region = chat.Region(s.GetRegion().String())
		}
		r.Spans = append(r.Spans, chat.Span{Region: region, Start: int(s.GetStart()), End: int(s.GetEnd())})
	}
	for _, f := range m.GetFaults() {
		r.Faults = append(r.Faults, chat.Fault{At: int(f.GetAt()), Farthest: int(f.GetFarthest()), Message: f.GetMessage()})
	}
	for _, k := range m.GetMissingMarkers() {
		r.MissingMarkers = append(r.MissingMarkers, chat.MissingMarker{Marker: k.GetMarker(), At: int(k.GetAt()), Count: int(k.GetCount())})
	}
	return r, nil
}
