package session_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// thinking returns a draft whose program reads reasoning up to "</think>", then content.
func thinking() *session.Draft {
	var b peg.Builder
	program := b.Build(b.Seq(b.Lit(">"), b.Tag(peg.Reasoning, b.Until("</think>")), b.Lit("</think>"), b.Tag(peg.Content, b.Rest()), b.End()))
	return &session.Draft{Plan: handler.Plan{Program: program}, Handler: "h", Prompt: "Hi>", GenerationPrompt: ">"}
}

func newPlan(t *testing.T, d *session.Draft) *session.Plan {
	t.Helper()
	p, err := session.New(context.Background(), d, new(chat.Request), session.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAnOutputIsTheSameAtOnceAndInChunks(t *testing.T) {
	const output = "Hm.</think>It is 5 < 7."
	p := newPlan(t, thinking())
	whole, err := p.Parse(t.Context(), []byte(output), false, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if whole.Message.ReasoningContent != "Hm." || whole.Message.Content.Join("") != "It is 5 < 7." || whole.FinishReason != chat.FinishStop {
		t.Errorf("the output is parsed as %+v", whole)
	}
	for at := range output {
		events := 0
		s := p.Session(t.Context(), session.Options{Events: func(chat.Event) { events++ }})
		for _, chunk := range []string{output[:at], output[at:]} {
			if _, err := s.Feed([]byte(chunk)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Finish(false)
		if err != nil || events == 0 {
			t.Fatalf("%d events, error %v", events, err)
		}
		got.Report.MaxHeld = whole.Report.MaxHeld // depends on the cut
		if diff := cmp.Diff(whole.Report, got.Report); diff != "" || got.Message.Content.Join("") != whole.Message.Content.Join("") {
			t.Errorf("cut at byte %d (-whole +cut):\n%s", at, diff)
		}
	}
}

func TestATruncatedOutputEndsForLength(t *testing.T) {
	result, err := newPlan(t, thinking()).Parse(t.Context(), []byte("Hm.</think>It"), true, session.Options{})
	if err != nil || result.FinishReason != chat.FinishLength {
		t.Errorf("finish reason %q, error %v", result.FinishReason, err)
	}
}

// echo is a handler that parses outputs itself: all of it is content.
type echo struct{ sink chat.Sink }

func (echo) Describe() handler.Description { return handler.Description{Name: "echo"} }

func (echo) Plan(context.Context, handler.Input) (*handler.Plan, error) { return nil, nil }

func (echo) OpenStream(_ context.Context, _ handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	return echo{sink}, nil
}

func (e echo) Feed(chunk []byte) error {
	e.sink(chat.Event{Kind: chat.ContentText, Text: chunk})
	return nil
}

func (echo) Finish() (handler.StreamResult, error) {
	return handler.StreamResult{Status: chat.Complete, MaxHeld: -1}, nil
}

func TestAHandlerMayParseTheOutput(t *testing.T) {
	draft := &session.Draft{Plan: handler.Plan{Stream: new(handler.StreamPlan)}, Handler: "echo", Streams: echo{}}
	p := newPlan(t, draft)
	if p.Program != nil || !p.Session(t.Context(), session.Options{}).Waits() {
		t.Errorf("the plan is %+v", p)
	}
	result, err := p.Parse(t.Context(), []byte("words"), false, session.Options{})
	if err != nil || result.Message.Content.Join("") != "words" || len(result.Report.Notes) != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	draft.Streams = nil
	if _, err := session.New(context.Background(), draft, new(chat.Request), session.PlanOptions{}); err == nil {
		t.Error("a stream without a handler that parses it is accepted")
	}
}

func TestThePlanOfADaemonParsesNothing(t *testing.T) {
	if _, err := new(session.Plan).Parse(t.Context(), []byte("x"), false, session.Options{}); err == nil {
		t.Error("a plan without a parser parses")
	}
}

func TestListsInTheJSONOfAPlanAreNeverNull(t *testing.T) {
	text, err := json.Marshal(newPlan(t, thinking()))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"prompt":"Hi\u003e","generation_prompt":"\u003e","constraint":null,"preserved_tokens":[],"stops":[],"thinking_start":"","thinking_ends":[]}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestAnAnswerThatClosesNoReasoningIsContentIfAskedFor(t *testing.T) {
	var b peg.Builder
	end := b.Choice(b.Lit("</think>"), b.Missing("</think>"))
	program := b.Build(b.Seq(b.Tag(peg.Reasoning, b.Until("</think>")), end, b.Tag(peg.Content, b.Rest()), b.End()))
	d := &session.Draft{Plan: handler.Plan{Program: program, ThinkingEnds: []string{"</think>", "<call>"}}, Handler: "h"}
	for output, want := range map[string]string{"Yes.": "Yes.", "Hm.</think>": "", "Hm.</think>No.": "No."} {
		p, err := session.New(t.Context(), d, &chat.Request{Parsing: chat.Policies{UnclosedReasoning: chat.UnclosedContent}}, session.PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Parse(t.Context(), []byte(output), false, session.Options{})
		if err != nil || got.Message.Content.Join("") != want {
			t.Errorf("%q: content %q, want %q, error %v", output, got.Message.Content.Join(""), want, err)
		}
	}
}
