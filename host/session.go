package host

import (
	"context"
	"fmt"

	"github.com/dragoman-project/dragoman/host/recorder"
	"github.com/dragoman-project/dragoman/host/trial"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// Session is a session.Session, or a session.TokenSession, that limits the bytes of output and is observed. It uses the plan that it was
// started from, whatever is reloaded meanwhile. It is used by one goroutine at a time.
type Session struct {
	text   *session.Session      // nil: the output comes as token ids
	tokens *session.TokenSession // nil: it comes as text
	run    interface {           // one of them
		AppendLast(dst []chat.Piece, truncated bool) ([]chat.Piece, session.Result, error)
		Held() int
		Waits() bool
	}
	fed   int
	limit int
	watch SessionObserver
	leave func() // the sessions that are under way
	kept  *trial.Recording
	tape  *recorder.Tape
	ended bool
}

// Session starts parsing an output of the plan; see session.Plan.Session. Options.Fed is the host's own.
func (p *Planned) Session(ctx context.Context, o session.Options) *Session {
	s := p.session(&o)
	s.text = p.Plan.Session(ctx, o)
	s.run = s.text
	return s
}

// TokenSession starts parsing an output of the plan that comes as the ids of the model's tokenizer; see session.Plan.TokenSession.
func (p *Planned) TokenSession(ctx context.Context, t *tokenizer.Tokenizer, o session.Options) (_ *Session, err error) {
	s := p.session(&o)
	if s.tokens, err = p.Plan.TokenSession(ctx, t, o); err != nil {
		s.Close()
		return nil, err
	}
	s.tape.Specials(s.tokens.Specials())
	s.run = s.tokens
	return s, nil
}

func (p *Planned) session(o *session.Options) *Session {
	s := &Session{limit: p.maxOutput, watch: began(p.observer, p.template, p.Handler),
		leave: p.running.begin(p.template, p.Handler), kept: p.samples.Record(p.template, p.request, p.keep), tape: p.recorder.Begin(p.recorded)}
	o.Fed = s.take
	return s
}

// take takes the next bytes before they are parsed.
func (s *Session) take(chunk []byte, special []match.Range) error {
	if s.limit > 0 && s.fed+len(chunk) > s.limit {
		return s.tooLong()
	}
	s.fed += len(chunk)
	s.kept.Fed(chunk, special != nil)
	s.tape.Fed(chunk, special)
	return nil
}

func (s *Session) tooLong() error {
	return &Error{Code: LimitExceeded, Place: fmt.Sprintf("byte %d of the output", s.limit),
		Message: fmt.Sprintf("the output is longer than %d bytes", s.limit), Remedy: "raise limits.output_bytes, or stop the engine earlier"}
}

// Append takes the next bytes of the output and appends what they decided to dst; see session.Session.Append. The code of an error is
// LimitExceeded, or Unavailable if a plugin parses the output and died too often; what was delivered before stays valid.
func (s *Session) Append(dst []chat.Piece, chunk []byte, special []match.Range) ([]chat.Piece, error) {
	dst, err := s.text.Append(dst, chunk, special)
	s.watch.Fed(len(chunk), s.run.Held())
	return dst, pluginFault(err)
}

// AppendIDs is Append for a session of token ids.
func (s *Session) AppendIDs(dst []chat.Piece, ids ...tokenizer.ID) ([]chat.Piece, error) {
	if s.limit > 0 && s.tokens.Tokens().Output+len(ids) > s.limit { // tokens without a text take memory, too
		return dst, s.tooLong()
	}
	before := s.fed
	dst, err := s.tokens.Append(dst, ids...)
	s.watch.Fed(s.fed-before, s.run.Held())
	return dst, pluginFault(err)
}

// Tokens returns how many ids were fed, and which parts of the message they became.
func (s *Session) Tokens() chat.TokenCounts { return s.tokens.Tokens() }

// Feed is Append for callers that keep what they get: it returns deltas.
func (s *Session) Feed(chunk []byte) ([]chat.Delta, error) { return s.FeedSpecial(chunk, nil) }

// FeedSpecial is Append, and returns deltas.
func (s *Session) FeedSpecial(chunk []byte, special []match.Range) ([]chat.Delta, error) {
	pieces, err := s.Append(nil, chunk, special)
	return chat.Deltas(pieces), err
}

// Waits reports whether feeding the session can block, because a plugin's process parses the output.
func (s *Session) Waits() bool { return s.run.Waits() }

// Held returns how many bytes are received and not yet decided.
func (s *Session) Held() int { return s.run.Held() }

// Finish ends the output; truncated means that the engine stopped for length. The error has the code OutputRefused, and comes with
// the result, if a policy of the request refuses the output; otherwise it is the error of a plugin that parses the output.
func (s *Session) Finish(truncated bool) (session.Result, error) {
	pieces, result, err := s.AppendLast(nil, truncated)
	result.Deltas = chat.Deltas(pieces)
	return result, err
}

// AppendLast is Finish that appends what the end decided to dst, and leaves the deltas of the result out.
func (s *Session) AppendLast(dst []chat.Piece, truncated bool) ([]chat.Piece, session.Result, error) {
	dst, result, err := s.run.AppendLast(dst, truncated)
	if result.Report != nil {
		s.kept.End(truncated)
		s.tape.End(result.Report, truncated)
		s.tape = nil
	}
	s.end(result.Report)
	return dst, result, pluginFault(err)
}

// Close abandons the session. After Finish it does nothing.
func (s *Session) Close() { s.end(nil) }

// end reports the end of the session, once.
func (s *Session) end(report *chat.Report) {
	if !s.ended {
		s.ended = true
		s.leave()
		s.tape.Drop()
		s.watch.Ended(report)
	}
}
