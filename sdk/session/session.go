package session

import (
	"context"
	"slices"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// Options are the choices of one session. The zero value works.
type Options struct {
	// IDSeed determines the ids of calls whose format has none: equal seeds give equal ids. Empty: random.
	IDSeed string
	// NoIDs leaves the ids of such calls empty.
	NoIDs bool
	// Events, if set, receives every event before it becomes part of the deltas. The text of an event is valid only during the call.
	Events chat.Sink
}

// Session parses one output of a plan's model. It is used by one goroutine at a time.
type Session struct {
	parser parser
	stream chat.Stream
	end    string // the marker that ends reasoning; empty: there is none
}

// Result is a finished output.
type Result struct {
	Deltas       []chat.Delta // what the end of the output decided
	Message      chat.Message
	FinishReason chat.FinishReason
	Report       *chat.Report
}

// Session starts parsing an output of the plan. The part of the prompt that belongs to the message, such as a message being
// continued, is delivered with the first deltas. ctx ends a session whose output the handler parses; see
// handler.StreamHandler.
func (p *Plan) Session(ctx context.Context, o Options) *Session {
	s := new(Session)
	if p.request != nil {
		s.stream.StreamOptions = chat.StreamOptions{Tools: p.tools, Policies: p.request.Parsing, IDSeed: o.IDSeed, NoIDs: o.NoIDs}
	}
	if len(p.ThinkingEnds) > 0 {
		s.end = p.ThinkingEnds[0]
	}
	sink := chat.Sink(s.stream.Add)
	if o.Events != nil {
		sink = func(e chat.Event) {
			o.Events(e)
			s.stream.Add(e)
		}
	}
	s.parser = p.parser(ctx, sink)
	return s
}

// Parse parses a whole output: a session fed once. The deltas of the result are those of the whole output.
func (p *Plan) Parse(ctx context.Context, output []byte, truncated bool, o Options) (Result, error) {
	s := p.Session(ctx, o)
	first, err := s.Feed(output)
	if err != nil {
		return Result{Deltas: first}, err
	}
	result, err := s.Finish(truncated)
	result.Deltas = append(first, result.Deltas...)
	return result, err
}

// Feed takes the next bytes of the output and returns what they decided. Only a handler that parses the output returns errors;
// what was delivered before stays valid.
func (s *Session) Feed(chunk []byte) ([]chat.Delta, error) { return s.FeedSpecial(chunk, nil) }

// FeedSpecial is Feed for engines that know which bytes of the chunk came from special tokens: a marker that is a special token
// matches only there, so that prose may spell it.
func (s *Session) FeedSpecial(chunk []byte, special []match.Range) ([]chat.Delta, error) {
	err := s.parser.feed(chunk, special)
	return s.stream.Deltas(), err
}

// Held returns how many bytes are received and not yet decided; 0 where the handler parses the output.
func (s *Session) Held() int { return s.parser.held() }

// Waits reports whether feeding the session can block, because a handler parses the output, perhaps in another process.
func (s *Session) Waits() bool {
	_, waits := s.parser.(*remote)
	return waits
}

// Finish ends the output; truncated means that the engine stopped for length. The error has the code OutputRefused, with the
// result beside it, where a policy of the request refuses the output; or that of a handler that parses it.
func (s *Session) Finish(truncated bool) (Result, error) {
	report, err := s.parser.finish(truncated)
	if err != nil {
		return Result{}, err
	}
	reason := chat.FinishStop
	if truncated {
		reason = chat.FinishLength
	}
	if s.end != "" && slices.ContainsFunc(report.MissingMarkers, func(m chat.MissingMarker) bool { return m.Marker == s.end }) {
		s.stream.Unclosed()
	}
	deltas := s.stream.Finish(reason)
	s.stream.Annotate(report)
	result := Result{Deltas: deltas, Message: s.stream.Message(), FinishReason: s.stream.FinishReason(), Report: report}
	return result, s.stream.Verdict(report)
}
