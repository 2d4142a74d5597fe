package conformance

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// outcome is the result of parsing one output: its events, neighbours of one kind merged, and the message.
type outcome struct {
	events []string
	last   chat.Event // the last of events, without its text
	report *chat.Report
	merged chat.Message
}

// take is a sink of events.
func (o *outcome) take(e chat.Event) {
	if len(e.Text) == 0 && grows(e.Kind) {
		return
	}
	text := string(e.Text)
	e.Text = nil
	if n := len(o.events); n > 0 && o.last.Kind == e.Kind && o.last.Recovered == e.Recovered && grows(e.Kind) {
		o.events[n-1] += text
		return
	}
	o.events = append(o.events, fmt.Sprintf("%d %t %t %s", e.Kind, e.Recovered, e.Open, text))
	o.last = e
}

// grows reports whether consecutive events of a kind are parts of one text.
func grows(k chat.EventKind) bool {
	return k == chat.ContentText || k == chat.ReasoningText || k == chat.CallArguments
}

func (o *outcome) message() cases.Message { return cases.MessageOf(o.merged) }

// differs returns how other differs; empty if it does not.
func (o *outcome) differs(other *outcome) string {
	if o.report.Status != other.report.Status {
		return cases.Difference("status", string(o.report.Status), string(other.report.Status))
	}
	if events := cases.Difference("events", strings.Join(o.events, "\n"), strings.Join(other.events, "\n")); events != "" {
		return events
	}
	a, b := *o.report, *other.report
	a.MaxHeld, b.MaxHeld = 0, 0 // how much is held depends on the cut
	if !reflect.DeepEqual(a, b) {
		return cases.Difference("report", fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
	}
	return ""
}

// parse parses an output that comes in pieces.
func (p *planned) parse(ctx context.Context, pieces iter.Seq[[]byte]) (*outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o := &outcome{report: new(chat.Report)}
	s := p.plan.Session(ctx, session.Options{NoIDs: true, Events: o.take})
	for piece := range pieces {
		if _, err := s.Feed(piece); err != nil {
			return o, err
		}
	}
	result, err := finish(s)
	if err != nil {
		return o, err
	}
	o.report, o.merged = result.Report, result.Message
	return o, nil
}

// finish ends an output. A refusal by a policy of the request is not an error here.
func finish(s *session.Session) (session.Result, error) {
	result, err := s.Finish(false)
	if fault.CodeOf(err) == fault.OutputRefused {
		err = nil
	}
	return result, err
}

// strict turns what a handler's report says and cannot be true into an error. Hosts remove it, and note that.
type strict struct{ handler.StreamHandler }

// OpenStream opens a stream of the handler.
func (h strict) OpenStream(ctx context.Context, in handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	s, err := h.StreamHandler.OpenStream(ctx, in, sink)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return &strictStream{Stream: s}, nil
}

type strictStream struct {
	handler.Stream
	fed       int
	truncated bool
}

func (s *strictStream) Truncated() { s.truncated = true }

func (s *strictStream) Feed(chunk []byte) error {
	s.fed += len(chunk)
	if err := s.Stream.Feed(chunk); err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	return nil
}

func (s *strictStream) Finish() (handler.StreamResult, error) {
	result, err := handler.Finish(s.Stream, s.truncated)
	if err != nil {
		return result, err
	}
	if removed := result.Sanitize(s.fed); removed != nil {
		return result, fmt.Errorf("finish: %s", strings.Join(removed, "; "))
	}
	return result, nil
}
