package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
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
	parser parser
	stream chat.Stream
	fed    int
	limit  int
	told   SessionObserver
	kept   *recording
	ended  bool
}

// parser is what turns an output into events: the machine that runs a program, or a plugin's stream.
type parser interface {
	feed(chunk []byte, special []match.Range) error
	held() int
	finish() (*chat.Report, error)
}

// Result is what a finished session amounts to.
type Result struct {
	Deltas       []chat.Delta // what the end of the output decided
	Message      chat.Message
	FinishReason chat.FinishReason
	Report       *chat.Report
}

// Session starts parsing an output of the plan. The part of the prompt that belongs to the message, such as a message being
// continued, is delivered with the first deltas. ctx ends a session whose output a plugin parses; see handler.StreamHandler.
func (p *Planned) Session(ctx context.Context, o SessionOptions) *Session {
	s := &Session{limit: o.MaxOutput, told: began(p.observer, p.template, p.Handler), kept: p.record()}
	if s.limit == 0 {
		s.limit = p.maxOutput
	}
	s.stream.StreamOptions = chat.StreamOptions{Tools: p.request.Tools, Policies: p.request.Parsing, IDSeed: o.IDSeed, NoIDs: o.NoIDs}
	if p.Code == nil {
		s.parser = &remote{ctx: ctx, handler: p.stream, sink: s.stream.Add,
			in: handler.StreamInput{Token: p.Plan.Stream.Token, GenerationPrompt: p.Plan.GenerationPrompt}}
		return s
	}
	m := match.New(p.Code, s.stream.Add)
	m.Prompt(p.Plan.GenerationPrompt)
	s.parser = machine{m}
	return s
}

// Feed takes the next bytes of the output and returns what they decided. The error is a LimitExceeded, or Unavailable where a
// plugin parses the output and has died too often; what was delivered before stays valid.
func (s *Session) Feed(chunk []byte) ([]chat.Delta, error) { return s.FeedSpecial(chunk, nil) }

// FeedSpecial is Feed for engines that know which bytes of the chunk came from special tokens: a marker that is one
// matches there and nowhere else, so that prose may spell it.
func (s *Session) FeedSpecial(chunk []byte, special []match.Range) ([]chat.Delta, error) {
	if s.limit > 0 && s.fed+len(chunk) > s.limit {
		return nil, &Error{Code: LimitExceeded, Place: fmt.Sprintf("byte %d of the output", s.limit),
			Message: fmt.Sprintf("the output is longer than %d bytes", s.limit), Remedy: "raise limits.output_bytes, or stop the engine earlier"}
	}
	s.fed += len(chunk)
	s.kept.fed(chunk, special != nil)
	err := s.parser.feed(chunk, special)
	s.told.Fed(len(chunk), s.parser.held())
	return s.stream.Deltas(), err
}

// Waits says that feeding the session can take as long as a plugin does, whose process parses the output.
func (s *Session) Waits() bool {
	_, waits := s.parser.(*remote)
	return waits
}

// Held returns how many bytes are received and not yet decided.
func (s *Session) Held() int { return s.parser.held() }

// Finish says that no more output comes; truncated, that the engine stopped for length. The error is an OutputRefused, with
// the result beside it, where a policy of the request makes one of the output; or that of a plugin that parses it.
func (s *Session) Finish(truncated bool) (Result, error) {
	report, err := s.parser.finish()
	if err != nil {
		s.end(nil)
		return Result{}, err
	}
	s.kept.end(truncated)
	reason := chat.FinishStop
	if truncated {
		reason = chat.FinishLength
	}
	deltas := s.stream.Finish(reason)
	s.stream.Annotate(report)
	s.end(report)
	result := Result{Deltas: deltas, Message: s.stream.Message(), FinishReason: s.stream.FinishReason(), Report: report}
	return result, refused(s.stream.Verdict(report))
}

// Close gives the session up, whatever of its output is still to come. After Finish it does nothing.
func (s *Session) Close() { s.end(nil) }

func (s *Session) end(report *chat.Report) {
	if !s.ended {
		s.ended = true
		s.told.Ended(report)
	}
}

// refused says of a verdict what the client can do about it.
func refused(verdict error) error {
	var out *chat.OutputError
	if !errors.As(verdict, &out) {
		return verdict
	}
	return &Error{Code: OutputRefused, Place: out.Policy, Message: out.Message,
		Remedy: "sample again, or send another policy to get the output as it is", Err: out}
}

// machine parses with a program.
type machine struct{ *match.Machine }

func (m machine) feed(chunk []byte, special []match.Range) error {
	if special == nil {
		m.Feed(chunk)
	} else {
		m.FeedSpecial(chunk, special)
	}
	return nil
}

func (m machine) held() int                     { return m.Held() }
func (m machine) finish() (*chat.Report, error) { return m.Finish(), nil }

// remote parses in a plugin's process. The stream is opened by the first bytes.
type remote struct {
	ctx     context.Context
	handler handler.StreamHandler
	in      handler.StreamInput
	sink    chat.Sink
	stream  handler.Stream
	fed     int
}

func (r *remote) open() (err error) {
	if r.stream == nil {
		r.stream, err = r.handler.OpenStream(r.ctx, r.in, r.sink)
	}
	return pluginFault(err)
}

func (r *remote) feed(chunk []byte, _ []match.Range) error {
	if err := r.open(); err != nil {
		return err
	}
	r.fed += len(chunk)
	return pluginFault(r.stream.Feed(chunk))
}

// held is not known: what is undecided is in the process.
func (r *remote) held() int { return 0 }

// finish reports what the plugin says of the output, as far as that can be.
func (r *remote) finish() (*chat.Report, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	result, err := r.stream.Finish()
	if err != nil {
		return nil, pluginFault(err)
	}
	return result.Report(len(r.in.GenerationPrompt), r.fed), nil
}
