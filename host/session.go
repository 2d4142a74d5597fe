package host

import (
	"context"
	"fmt"

	"github.com/dragoman-project/dragoman/host/trial"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Session is a session.Session that limits the bytes of output and is observed. It uses the plan that it was started from, whatever
// is reloaded meanwhile. It is used by one goroutine at a time.
type Session struct {
	run   *session.Session
	fed   int
	limit int
	watch SessionObserver
	kept  *trial.Recording
	ended bool
}

// Session starts parsing an output of the plan; see session.Plan.Session.
func (p *Planned) Session(ctx context.Context, o session.Options) *Session {
	return &Session{run: p.Plan.Session(ctx, o), limit: p.maxOutput, watch: began(p.observer, p.template, p.Handler), kept: p.samples.Record(p.template, p.request, p.keep)}
}

// Feed takes the next bytes of the output and returns what they decided. The code of an error is LimitExceeded, or Unavailable if a
// plugin parses the output and died too often; what was delivered before stays valid.
func (s *Session) Feed(chunk []byte) ([]chat.Delta, error) { return s.FeedSpecial(chunk, nil) }

// FeedSpecial is Feed for engines that know which bytes of the chunk came from special tokens: a marker that is a special token
// matches only there, so that prose may spell it.
func (s *Session) FeedSpecial(chunk []byte, special []match.Range) ([]chat.Delta, error) {
	if s.limit > 0 && s.fed+len(chunk) > s.limit {
		return nil, &Error{Code: LimitExceeded, Place: fmt.Sprintf("byte %d of the output", s.limit),
			Message: fmt.Sprintf("the output is longer than %d bytes", s.limit), Remedy: "raise limits.output_bytes, or stop the engine earlier"}
	}
	s.fed += len(chunk)
	s.kept.Fed(chunk, special != nil)
	deltas, err := s.run.FeedSpecial(chunk, special)
	s.watch.Fed(len(chunk), s.run.Held())
	return deltas, pluginFault(err)
}

// Waits reports whether feeding the session can block, because a plugin's process parses the output.
func (s *Session) Waits() bool { return s.run.Waits() }

// Held returns how many bytes are received and not yet decided.
func (s *Session) Held() int { return s.run.Held() }

// Finish ends the output; truncated means that the engine stopped for length. The error has the code OutputRefused, and comes with
// the result, if a policy of the request refuses the output; otherwise it is the error of a plugin that parses the output.
func (s *Session) Finish(truncated bool) (session.Result, error) {
	result, err := s.run.Finish(truncated)
	if result.Report != nil {
		s.kept.End(truncated)
	}
	s.end(result.Report)
	return result, pluginFault(err)
}

// Close abandons the session. After Finish it does nothing.
func (s *Session) Close() { s.end(nil) }

// end reports the end of the session, once.
func (s *Session) end(report *chat.Report) {
	if !s.ended {
		s.ended = true
		s.watch.Ended(report)
	}
}
