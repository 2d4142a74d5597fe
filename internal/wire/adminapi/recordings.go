package adminapi

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/chat"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// EncodeFilter converts a filter of recordings.
func EncodeFilter(f recorder.Filter) *dragomanv1.ListRecordingsRequest {
	return &dragomanv1.ListRecordingsRequest{Template: f.Template, Marks: texts(f.Marks), Since: encodeTime(f.Since), Before: f.Before, Limit: uint32(f.Limit)}
}

// DecodeFilter converts a filter of recordings, as far as a request has it.
func DecodeFilter(m *dragomanv1.ListRecordingsRequest) recorder.Filter {
	f := recorder.Filter{Template: m.GetTemplate(), Before: m.GetBefore(), Limit: int(m.GetLimit())}
	for _, mark := range m.GetMarks() {
		f.Marks = append(f.Marks, recorder.Mark(mark))
	}
	if m.GetSince() != nil {
		f.Since = m.GetSince().AsTime()
	}
	return f
}

// EncodeListed converts a list of recordings.
func EncodeListed(l recorder.Listed) *dragomanv1.ListRecordingsResponse {
	m := &dragomanv1.ListRecordingsResponse{Notes: l.Notes, More: l.More}
	for i := range l.Recordings {
		m.Recordings = append(m.Recordings, EncodeSummary(&l.Recordings[i]))
	}
	return m
}

// DecodeListed converts a list of recordings.
func DecodeListed(m *dragomanv1.ListRecordingsResponse) recorder.Listed {
	l := recorder.Listed{Recordings: []recorder.Summary{}, Notes: m.GetNotes(), More: m.GetMore()}
	for _, s := range m.GetRecordings() {
		l.Recordings = append(l.Recordings, decodeSummary(s))
	}
	return l
}

// EncodeSummary converts what lists show of a recording.
func EncodeSummary(s *recorder.Summary) *dragomanv1.RecordingSummary {
	return &dragomanv1.RecordingSummary{
		Id: s.ID, RecordedAt: timestamppb.New(s.At), TookUs: uint64(s.Took / time.Microsecond), Template: s.Template, TemplateHash: s.TemplateHash,
		Handler: s.Handler, HandlerVersion: s.HandlerVersion, Version: s.Version, Generation: s.Generation, RulesHash: s.RulesHash, Status: string(s.Status),
		Marks: texts(s.Marks), Limited: s.Limited, Bytes: uint32(s.Bytes), Pieces: uint32(s.Pieces),
	}
}

func decodeSummary(m *dragomanv1.RecordingSummary) recorder.Summary {
	s := recorder.Summary{
		ID: m.GetId(), At: m.GetRecordedAt().AsTime(), Took: time.Duration(m.GetTookUs()) * time.Microsecond, Template: m.GetTemplate(), TemplateHash: m.GetTemplateHash(),
		Handler: m.GetHandler(), HandlerVersion: m.GetHandlerVersion(), Version: m.GetVersion(), Generation: m.GetGeneration(), RulesHash: m.GetRulesHash(),
		Status: chat.Status(m.GetStatus()), Limited: m.GetLimited(), Bytes: int(m.GetBytes()), Pieces: int(m.GetPieces()),
	}
	for _, mark := range m.GetMarks() {
		s.Marks = append(s.Marks, recorder.Mark(mark))
	}
	return s
}

// EncodeRecording converts a recording, with who reads what of it; nil if nothing can.
func EncodeRecording(r *recorder.Recording, e *recorder.Explanation) (*dragomanv1.GetRecordingResponse, error) {
	document, err := r.Document()
	if err != nil {
		return nil, err
	}
	m := &dragomanv1.GetRecordingResponse{
		Summary: EncodeSummary(&r.Summary), Request: &dragomanv1.Json{Text: string(r.Request)}, PromptTail: r.PromptTail, GenerationPrompt: r.GenerationPrompt,
		Output: r.Output, Report: chatapi.EncodeReport(r.Report), Document: document,
	}
	for p := range r.Each() {
		m.Pieces = append(m.Pieces, &dragomanv1.RecordedPiece{
			Length: uint32(p.Length), AtUs: uint64(p.At / time.Microsecond), Special: chatapi.EncodeRanges(p.Special), SpecialKnown: p.Special != nil,
		})
	}
	if e == nil {
		return m, nil
	}
	m.Program = e.Program
	for _, c := range e.Claims {
		start := uint32(c.Start)
		m.Claims = append(m.Claims, &dragomanv1.Claim{Region: string(c.Region), Start: &start, End: uint32(c.End), Rule: c.Rule, Node: c.Node, Text: c.Text})
	}
	return m, nil
}

func texts[T ~string](all []T) (out []string) {
	for _, one := range all {
		out = append(out, string(one))
	}
	return out
}
