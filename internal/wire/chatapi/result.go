package chatapi

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// EncodeResult converts a finished output, without its deltas.
func EncodeResult(r session.Result) (*dragomanv1.ParseResponse, error) {
	message, err := r.Message.MarshalJSON() // json.Marshal would escape what models write as markup
	if err != nil {
		return nil, err
	}
	return &dragomanv1.ParseResponse{
		Message:      &dragomanv1.Json{Text: string(message)},
		FinishReason: string(r.FinishReason),
		Report:       EncodeReport(r.Report),
	}, nil
}

// DecodeResult converts a finished output.
func DecodeResult(m *dragomanv1.ParseResponse) (*session.Result, error) {
	r := &session.Result{FinishReason: chat.FinishReason(m.GetFinishReason()), Report: decodeReport(m.GetReport())}
	if err := r.Message.UnmarshalJSON([]byte(m.GetMessage().GetText())); err != nil {
		return nil, fmt.Errorf("message of the result: %w", err)
	}
	return r, nil
}

// The optional fields of a report are always set: an offset may be 0.

// EncodeReport converts a report.
func EncodeReport(r *chat.Report) *dragomanv1.Report {
	m := &dragomanv1.Report{
		Status:       string(r.Status),
		Length:       uint32(r.Length),
		PromptLength: uint32(r.PromptLength),
		UnknownTools: r.UnknownTools,
		Notes:        r.Notes,
		MaxHeld:      uint32(r.MaxHeld),
	}
	for _, s := range r.Spans {
		start := uint32(s.Start)
		m.Spans = append(m.Spans, &dragomanv1.Span{Region: string(s.Region), Start: &start, End: uint32(s.End)})
	}
	for _, k := range r.MissingMarkers {
		at := uint32(k.At)
		m.MissingMarkers = append(m.MissingMarkers, &dragomanv1.MissingMarker{Marker: k.Marker, At: &at, Count: uint32(k.Count)})
	}
	for _, f := range r.Faults {
		at, farthest := uint32(f.At), uint32(f.Farthest)
		m.Faults = append(m.Faults, &dragomanv1.Fault{At: &at, Farthest: &farthest, Message: f.Message})
	}
	if t := r.Tokens; t != nil {
		m.Tokens = &dragomanv1.TokenCounts{Output: uint32(t.Output), Reasoning: uint32(t.Reasoning), Content: uint32(t.Content), Calls: uint32(t.Calls)}
	}
	return m
}

func decodeReport(m *dragomanv1.Report) *chat.Report {
	r := &chat.Report{
		Status:       chat.Status(m.GetStatus()),
		Length:       int(m.GetLength()),
		PromptLength: int(m.GetPromptLength()),
		UnknownTools: m.GetUnknownTools(),
		Notes:        m.GetNotes(),
		MaxHeld:      int(m.GetMaxHeld()),
	}
	for _, s := range m.GetSpans() {
		r.Spans = append(r.Spans, chat.Span{Region: chat.Region(s.GetRegion()), Start: int(s.GetStart()), End: int(s.GetEnd())})
	}
	for _, k := range m.GetMissingMarkers() {
		r.MissingMarkers = append(r.MissingMarkers, chat.MissingMarker{Marker: k.GetMarker(), At: int(k.GetAt()), Count: int(k.GetCount())})
	}
	for _, f := range m.GetFaults() {
		r.Faults = append(r.Faults, chat.Fault{At: int(f.GetAt()), Farthest: int(f.GetFarthest()), Message: f.GetMessage()})
	}
	if t := m.GetTokens(); t != nil {
		r.Tokens = &chat.TokenCounts{Output: int(t.GetOutput()), Reasoning: int(t.GetReasoning()), Content: int(t.GetContent()), Calls: int(t.GetCalls())}
	}
	return r
}

// EncodeError converts an error, without its cause.
func EncodeError(e *fault.Error) *dragomanv1.Error {
	return &dragomanv1.Error{Code: string(e.Code), Place: e.Place, Message: e.Message, Remedy: e.Remedy}
}

// DecodeError converts an error whose cause, such as that of the connection, is cause.
func DecodeError(m *dragomanv1.Error, cause error) *fault.Error {
	return &fault.Error{Code: fault.Code(m.GetCode()), Place: m.GetPlace(), Message: m.GetMessage(), Remedy: m.GetRemedy(), Err: cause}
}

// EncodeRanges converts the ranges of special tokens in a piece.
func EncodeRanges(ranges []match.Range) (all []*dragomanv1.ByteRange) {
	for _, r := range ranges {
		all = append(all, &dragomanv1.ByteRange{Start: uint32(r.Start), End: uint32(r.End)})
	}
	return all
}

// DecodeRanges checks and converts the ranges of special tokens in a piece of n bytes. Nil means that they are unknown, which
// without any range holds unless known.
func DecodeRanges(in []*dragomanv1.ByteRange, n int, known bool) (out []match.Range, err error) {
	if known {
		out = []match.Range{}
	}
	for i, r := range in {
		start, end := int(r.GetStart()), int(r.GetEnd())
		if start >= end || end > n || i > 0 && start < out[i-1].End {
			return nil, &fault.Error{Code: fault.InvalidArgument, Place: fmt.Sprintf("special[%d]", i),
				Message: fmt.Sprintf("%d to %d is no range of the %d bytes sent with it, after the one before", start, end, n),
				Remedy:  "count bytes of this piece from 0, with end after the last one"}
		}
		out = append(out, match.Range{Start: start, End: end})
	}
	return out, nil
}
