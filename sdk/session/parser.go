package session

import (
	"context"
	"errors"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// parser turns an output into events. finish is the one place where it learns that the engine stopped for length.
type parser interface {
	feed(chunk []byte, special []match.Range) error
	held() int
	finish(truncated bool) (*chat.Report, error)
}

// parser returns what parses an output of the plan.
func (p *Plan) parser(ctx context.Context, sink chat.Sink, o Options) parser {
	switch {
	case p.code != nil:
		m := match.New(p.code, sink)
		if o.NoSpans {
			m.DropSpans()
		}
		if o.Claims {
			m.KeepClaims()
		}
		m.Prompt(p.GenerationPrompt)
		return machine{m}
	case p.streams != nil:
		return &remote{ctx: ctx, handler: p.streams, in: handler.StreamInput{Token: p.token, GenerationPrompt: p.GenerationPrompt}, sink: sink, noSpans: o.NoSpans}
	}
	return absent{}
}

// machine runs the plan's program.
type machine struct{ *match.Machine }

func (m machine) feed(chunk []byte, special []match.Range) error {
	if special == nil {
		m.Feed(chunk)
	} else {
		m.FeedSpecial(chunk, special)
	}
	return nil
}

func (m machine) held() int { return m.Held() }

func (m machine) finish(truncated bool) (*chat.Report, error) { return m.Finish(truncated), nil }

// remote lets the handler parse. The first bytes open its stream.
type remote struct {
	ctx     context.Context
	handler handler.StreamHandler
	in      handler.StreamInput
	sink    chat.Sink
	noSpans bool
	stream  handler.Stream
	from    int // where what was fed last begins
	fed     int
	within  bool // a call that is not complete
}

func (r *remote) open() (err error) {
	if r.stream == nil {
		r.stream, err = r.handler.OpenStream(r.ctx, r.in, r.tell)
	}
	return err
}

// tell passes an event on. It was read from what was fed last, as far as is known.
func (r *remote) tell(e chat.Event) {
	e.From, e.To = r.from, len(r.in.GenerationPrompt)+r.fed
	switch e.Kind {
	case chat.CallBegin:
		r.within = true
	case chat.CallEnd:
		r.within = e.Open
	}
	r.sink(e)
}

func (r *remote) feed(chunk []byte, _ []match.Range) error {
	if err := r.open(); err != nil {
		return err
	}
	r.from = len(r.in.GenerationPrompt) + r.fed
	r.fed += len(chunk)
	return r.stream.Feed(chunk)
}

// held is unknown: the undecided bytes are in the handler.
func (r *remote) held() int { return 0 }

// finish returns the handler's report, as far as it can be true of the output.
func (r *remote) finish(truncated bool) (*chat.Report, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	result, err := handler.Finish(r.stream, truncated)
	if err != nil {
		return nil, err
	}
	report := result.Report(len(r.in.GenerationPrompt), r.fed)
	if r.noSpans {
		report.Spans = nil
	}
	if r.within && report.Status == chat.Complete { // the handler need not know that outputs can end within a call
		report.Status = chat.Truncated
	}
	return report, nil
}

// absent parses for plans that New did not make.
type absent struct{}

var errAbsent = errors.New("the plan has no parser: a daemon made it; parse its outputs there")

func (absent) feed([]byte, []match.Range) error  { return errAbsent }
func (absent) held() int                         { return 0 }
func (absent) finish(bool) (*chat.Report, error) { return nil, errAbsent }
