package conformance

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"

	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// outcome is what became of one output: its events, neighbours of one kind merged, and the message.
type outcome struct {
	events []string
	last   chat.Event // the last of events, without its text
	stream chat.Stream
	report *chat.Report
}

// take is the sink of a parse.
func (o *outcome) take(e chat.Event) {
	if len(e.Text) == 0 && grows(e.Kind) {
		return
	}
	o.stream.Add(e)
	text := string(e.Text)
	e.Text = nil
	if n := len(o.events); n > 0 && o.last.Kind == e.Kind && o.last.Recovered == e.Recovered && grows(e.Kind) {
		o.events[n-1] += text
		return
	}
	o.events = append(o.events, fmt.Sprintf("%d %t %s", e.Kind, e.Recovered, text))
	o.last = e
}

// grows says that texts of a kind are parts of one.
func grows(k chat.EventKind) bool {
	return k == chat.ContentText || k == chat.ReasoningText || k == chat.CallArguments
}

func (o *outcome) message() cases.Message { return cases.MessageOf(o.stream.Message()) }

// differs says how other is not the same.
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
	o := &outcome{report: new(chat.Report), stream: chat.Stream{StreamOptions: chat.StreamOptions{Tools: p.request.Tools, NoIDs: true}}}
	err := p.run(ctx, o, pieces)
	o.stream.Finish(chat.FinishStop)
	return o, err
}

func (p *planned) run(ctx context.Context, o *outcome, pieces iter.Seq[[]byte]) error {
	if p.code == nil {
		return p.runStream(ctx, o, pieces)
	}
	m := match.New(p.code, o.take)
	m.Prompt(p.prompt)
	for piece := range pieces {
		m.Feed(piece)
	}
	o.report = m.Finish()
	return nil
}

// runStream lets the handler parse.
func (p *planned) runStream(ctx context.Context, o *outcome, pieces iter.Seq[[]byte]) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := p.openStream(ctx, o.take)
	if err != nil {
		return err
	}
	fed := 0
	for piece := range pieces {
		if err := s.Feed(piece); err != nil {
			return fmt.Errorf("feed: %w", err)
		}
		fed += len(piece)
	}
	result, err := s.Finish()
	if err != nil {
		return err
	}
	if left := result.Confine(fed); left != nil {
		return fmt.Errorf("finish: %s", strings.Join(left, "; "))
	}
	o.report = result.Report(len(p.prompt), fed)
	return nil
}

// openStream lets the handler begin to parse an output.
func (p *planned) openStream(ctx context.Context, sink chat.Sink) (handler.Stream, error) {
	streams, ok := p.handler.(handler.StreamHandler)
	if !ok {
		return nil, errors.New("its plan is a stream, but the handler parses none")
	}
	s, err := streams.OpenStream(ctx, handler.StreamInput{Token: p.plan.Stream.Token, GenerationPrompt: p.prompt}, sink)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return s, nil
}
