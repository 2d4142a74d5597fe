package host

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// SessionOptions say how one output is delivered. The zero value works.
type SessionOptions struct {
	// IDSeed makes the ids of calls whose format carries none; two sessions with the same seed give the same ids. Empty: random.
	IDSeed string
	// NoIDs leaves the id of such calls empty.
	NoIDs bool
	// MaxOutput limits the bytes of output; 0 means the configured limit.
	MaxOutput int
}

// Session is one model output being parsed. It keeps to the plan it was made from, whatever is reloaded meanwhile, and is
// used by one goroutine at a time.
type Session struct {
	machine *match.Machine
	stream  chat.Stream
	fed     int
	limit   int
}

// Result is what a finished session amounts to.
type Result struct {
	Deltas       []chat.Delta // what the end of the output decided
	Message      chat.Message
	FinishReason chat.FinishReason
	Report       *chat.Report
}

// Session starts parsing an output of the plan. The part of the prompt that belongs to the message, such as a message being
// continued, is delivered with the first deltas.
func (p *Planned) Session(o SessionOptions) *Session {
	s := &Session{limit: o.MaxOutput}
	if s.limit == 0 {
		s.limit = p.maxOutput
	}
	s.stream.StreamOptions = chat.StreamOptions{Tools: p.request.Tools, IDSeed: o.IDSeed, NoIDs: o.NoIDs}
	s.machine = match.New(p.Code, s.stream.Add)
	s.machine.Prompt(p.Plan.GenerationPrompt)
	return s
}

// Feed takes the next bytes of the output and returns what they decided. The error is a LimitExceeded; what was delivered
// before stays valid, and Finish still works.
func (s *Session) Feed(chunk []byte) ([]chat.Delta, error) { return s.FeedSpecial(chunk, nil) }

// FeedSpecial is Feed for engines that know which bytes of the chunk came from special tokens: a marker that is one
// matches there and nowhere else, so that prose may spell it.
func (s *Session) FeedSpecial(chunk []byte, special []match.Range) ([]chat.Delta, error) {
	if s.limit > 0 && s.fed+len(chunk) > s.limit {
		return nil, &Error{Code: LimitExceeded, Place: fmt.Sprintf("byte %d of the output", s.limit),
			Message: fmt.Sprintf("the output is longer than %d bytes", s.limit), Remedy: "raise limits.output_bytes, or stop the engine earlier"}
	}
	s.fed += len(chunk)
	if special == nil {
		s.machine.Feed(chunk)
	} else {
		s.machine.FeedSpecial(chunk, special)
	}
	return s.stream.Deltas(), nil
}

// Held returns how many bytes are received and not yet decided.
func (s *Session) Held() int { return s.machine.Held() }

// Finish says that no more output comes; truncated, that the engine stopped for length.
func (s *Session) Finish(truncated bool) Result {
	report := s.machine.Finish()
	reason := chat.FinishStop
	if truncated {
		reason = chat.FinishLength
	}
	deltas := s.stream.Finish(reason)
	s.stream.Annotate(report)
	return Result{Deltas: deltas, Message: s.stream.Message(), FinishReason: s.stream.FinishReason(), Report: report}
}
