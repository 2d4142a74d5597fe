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
	// NoMessage and NoSpans keep nothing of what is delivered: the result has an empty message, and its report no spans. The memory
	// of the session then does not depend on how much it has read.
	NoMessage, NoSpans bool
	// Claims keeps which nodes of the program read the output, for Session.Claims.
	Claims bool
	// KeepSpecial keeps the special tokens that the plan does not know, which a TokenSession otherwise drops from the text, as engines do.
	KeepSpecial bool
	// Fed, if set, receives every chunk before it is parsed, with the bytes that came from special tokens; nil: that is not known. Its
	// error is that of the call, and nothing of the chunk is parsed.
	Fed func(chunk []byte, special []match.Range) error
	// Events, if set, receives every event before it becomes part of the deltas. The text of an event is valid only during the call.
	Events chat.Sink
}

// Session parses one output of a plan's model. It is used by one goroutine at a time.
type Session struct {
	ctx    context.Context
	parser parser
	fed    func([]byte, []match.Range) error
	stream chat.Stream
	last   []chat.Piece // of Feed; its memory is reused
	end    string       // the marker that ends reasoning; empty: there is none
}

// Result is a finished output.
type Result struct {
	Deltas       []chat.Delta // what the end of the output decided
	Message      chat.Message
	FinishReason chat.FinishReason
	Report       *chat.Report
}

// Session starts parsing an output of the plan. The part of the prompt that belongs to the message, such as a message being
// continued, is delivered with the first deltas. When ctx ends, so does the work on a chunk of any length, and a session whose
// output the handler parses; see handler.StreamHandler.
func (p *Plan) Session(ctx context.Context, o Options) *Session {
	s := &Session{ctx: ctx, fed: o.Fed}
	if p.request != nil {
		s.stream.StreamOptions = chat.StreamOptions{Tools: p.tools, Policies: p.request.Parsing, IDSeed: o.IDSeed}
	}
	s.stream.NoIDs, s.stream.NoMessage, s.stream.PromptLength = o.NoIDs, o.NoMessage, len(p.GenerationPrompt)
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
	s.parser = p.parser(ctx, sink, o)
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

// Append takes the next bytes of the output, appends to dst what they decided, and returns the extended slice. special lists the
// bytes of the chunk that came from special tokens, in order, where the engine knows that: a marker that is a special token matches
// only there, so that prose may spell it. nil means that it does not know.
//
// Append allocates nothing unless a call begins or a buffer is too small. Errors are those of a handler that parses the output, and
// the cause of the end of the session's context within a chunk of more than 4 KiB, after which the session is of no use; what was
// delivered before stays valid.
func (s *Session) Append(dst []chat.Piece, chunk []byte, special []match.Range) ([]chat.Piece, error) {
	s.stream.Into(dst)
	err := s.feed(chunk, special)
	return s.stream.Taken(), err
}

// block is how many bytes are parsed between two looks at the context: microseconds of work, or tens of milliseconds if a program
// takes as many steps for each byte as it may. How an output is cut into chunks
// changes nothing.
const block = 4 << 10

// feed feeds a chunk in blocks, until the context ends.
func (s *Session) feed(chunk []byte, special []match.Range) error {
	if s.fed != nil {
		if err := s.fed(chunk, special); err != nil {
			return err
		}
	}
	if len(chunk) <= block {
		return s.parser.feed(chunk, special)
	}
	for from := 0; from < len(chunk); from += block {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		to := min(from+block, len(chunk))
		var within []match.Range
		within, special = part(special, from, to)
		if err := s.parser.feed(chunk[from:to], within); err != nil {
			return err
		}
	}
	return nil
}

// part returns what ranges have between two offsets, counted from the first one, and the ranges that go on behind.
func part(ranges []match.Range, from, to int) (within, rest []match.Range) {
	if ranges == nil {
		return nil, nil
	}
	within = []match.Range{} // known, even where there are none
	for i, r := range ranges {
		if r.Start < to {
			within = append(within, match.Range{Start: max(r.Start, from) - from, End: min(r.End, to) - from})
		}
		if r.End > to {
			return within, ranges[i:]
		}
	}
	return within, []match.Range{}
}

// Feed is Append for callers that keep what they get: it returns deltas.
func (s *Session) Feed(chunk []byte) ([]chat.Delta, error) { return s.FeedSpecial(chunk, nil) }

// FeedSpecial is Append, and returns deltas.
func (s *Session) FeedSpecial(chunk []byte, special []match.Range) ([]chat.Delta, error) {
	pieces, err := s.Append(s.last[:0], chunk, special)
	s.last = pieces
	return chat.Deltas(pieces), err
}

// Held returns how many bytes are received and not yet decided; 0 where the handler parses the output.
func (s *Session) Held() int { return s.parser.held() }

// Waits reports whether feeding the session can block, because a handler parses the output, perhaps in another process.
func (s *Session) Waits() bool {
	_, waits := s.parser.(*remote)
	return waits
}

// Place returns where in the program of the plan the session is; false where the handler parses the output.
func (s *Session) Place() (match.Place, bool) {
	m, ok := s.parser.(machine)
	if !ok {
		return match.Place{}, false
	}
	return m.Place(), true
}

// Claims returns which nodes of the program have read which bytes, with Options.Claims; nil where the handler parses the output.
func (s *Session) Claims() []match.Claim {
	if m, ok := s.parser.(machine); ok {
		return m.Claims()
	}
	return nil
}

// Finish ends the output; truncated means that the engine stopped for length. The error has the code OutputRefused, with the
// result beside it, where a policy of the request refuses the output; or that of a handler that parses it.
func (s *Session) Finish(truncated bool) (Result, error) {
	pieces, result, err := s.AppendLast(nil, truncated)
	result.Deltas = chat.Deltas(pieces)
	return result, err
}

// AppendLast is Finish that appends what the end decided to dst, and leaves the deltas of the result out.
func (s *Session) AppendLast(dst []chat.Piece, truncated bool) ([]chat.Piece, Result, error) {
	report, err := s.parser.finish(truncated)
	if err != nil {
		return dst, Result{}, err
	}
	reason := chat.FinishStop
	if truncated {
		reason = chat.FinishLength
	}
	if s.end != "" && slices.ContainsFunc(report.MissingMarkers, func(m chat.MissingMarker) bool { return m.Marker == s.end }) {
		s.stream.Unclosed()
	}
	s.stream.End(reason)
	s.stream.Annotate(report)
	result := Result{Message: s.stream.Message(), FinishReason: s.stream.FinishReason(), Report: report}
	return s.stream.Append(dst), result, s.stream.Verdict(report)
}
