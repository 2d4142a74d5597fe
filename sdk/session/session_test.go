package session_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
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

func newPlan(t testing.TB, d *session.Draft) *session.Plan {
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

// calling returns a draft whose program reads a call: <f a="…">. Its end may be missing.
func calling() *session.Draft {
	var b peg.Builder
	argument := b.Seq(b.Atomic(b.Lit(" "), b.Tag(peg.Key, b.Lit("a")), b.Lit(`="`)), b.Tag(peg.String, b.Until(`"`)), b.Lit(`"`))
	call := b.Tag(peg.Call, b.Atomic(b.Lit("<"), b.Tag(peg.CallName, b.Lit("f"))), b.Star(argument), b.Choice(b.Lit(">"), b.Rule("~missing", b.Empty())))
	text := b.Tag(peg.Content, b.Until("<f"))
	return &session.Draft{Plan: handler.Plan{Program: b.Build(b.Seq(text, b.Star(call, text), b.End()))}, Handler: "h"}
}

func TestACallThatTheOutputEndsWithinIsHandledByItsPolicy(t *testing.T) {
	const whole = `<f a="x">`
	const length, stop, calls = chat.FinishLength, chat.FinishStop, chat.FinishToolCalls
	for _, c := range []struct {
		output    string
		truncated bool
		policy    chat.TruncatedCallPolicy
		want      string
		reason    chat.FinishReason
		status    chat.Status
	}{
		{whole, false, chat.TruncatedDrop, ` f{"a":"x"}`, calls, chat.Complete},
		{whole, true, chat.TruncatedDrop, ` f{"a":"x"}`, length, chat.Truncated},
		{whole + "<", true, chat.TruncatedDrop, ` f{"a":"x"}`, length, chat.Truncated},
		{whole + " <", false, chat.TruncatedDrop, ` < f{"a":"x"}`, calls, chat.Complete},
		{`<f a="x"`, true, chat.TruncatedPartial, ` f{"a":"x"`, length, chat.Truncated},
		{`<f a="x"`, false, chat.TruncatedPartial, ` f{"a":"x"`, length, chat.Truncated},
		{`<f a="x"`, false, chat.TruncatedDrop, ``, length, chat.Truncated},
		{`<f a="x"`, true, chat.TruncatedContent, `{"name": "f", "arguments": {"a":"x"`, length, chat.Truncated},
		{`<f`, true, chat.TruncatedPartial, ` f`, length, chat.Truncated},
		{`<f`, true, chat.TruncatedDrop, ``, length, chat.Truncated},
		{whole + `<f a="y`, false, chat.TruncatedDrop, ` f{"a":"x"}`, length, chat.Truncated},
		{`Hi <`, true, chat.TruncatedPartial, `Hi `, length, chat.Truncated},
		{`Hi <`, false, chat.TruncatedPartial, `Hi <`, stop, chat.Complete},
	} {
		request := &chat.Request{Tools: []chat.Tool{{Name: "f"}}, Parsing: chat.Policies{TruncatedCall: c.policy}}
		p, err := session.New(t.Context(), calling(), request, session.PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		result, err := p.Parse(t.Context(), []byte(c.output), c.truncated, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := result.Message.Content.Join("")
		for _, call := range result.Message.ToolCalls {
			got += " " + call.Name + call.Arguments
		}
		if got != c.want || result.FinishReason != c.reason || result.Report.Status != c.status {
			t.Errorf("%s, truncated %t, policy %v:\n got %s, %s, %s\nwant %s, %s, %s", c.output, c.truncated, c.policy,
				got, result.FinishReason, result.Report.Status, c.want, c.reason, c.status)
		}
	}
}

// echo is a handler that parses outputs itself: all of it is content, unless a chunk begins a call.
type echo struct{ sink chat.Sink }

func (echo) Describe() handler.Description { return handler.Description{Name: "echo"} }

func (echo) Plan(context.Context, handler.Input) (*handler.Plan, error) { return nil, nil }

func (echo) OpenStream(_ context.Context, _ handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	return echo{sink}, nil
}

func (e echo) Feed(chunk []byte) error {
	if name, calls := strings.CutPrefix(string(chunk), "call "); calls {
		e.sink(chat.Event{Kind: chat.CallBegin})
		e.sink(chat.Event{Kind: chat.CallName, Text: []byte(name)})
		return nil
	}
	e.sink(chat.Event{Kind: chat.ContentText, Text: chunk})
	return nil
}

func (echo) Finish() (handler.StreamResult, error) {
	return handler.StreamResult{Status: chat.Complete, MaxHeld: -1}, nil
}

func TestAnOutputThatAHandlerLeavesWithinACallIsTruncated(t *testing.T) {
	draft := &session.Draft{Plan: handler.Plan{Stream: new(handler.StreamPlan)}, Handler: "echo", Streams: echo{}}
	plan, err := session.New(t.Context(), draft, withTool(t, ""), session.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := plan.Parse(t.Context(), []byte("call f"), false, session.Options{})
	if err != nil || result.Report.Status != chat.Truncated || result.FinishReason != chat.FinishLength {
		t.Errorf("%v, %+v", err, result)
	}
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

// TestSessionsShowHowTheyRead asks a session where it is, and which nodes have read what.
func TestSessionsShowHowTheyRead(t *testing.T) {
	p := newPlan(t, thinking())
	s := p.Session(t.Context(), session.Options{Claims: true})
	if place, ok := s.Place(); !ok || !slices.Equal(place.Next, []string{`text up to "</think>"`}) {
		t.Errorf("at the beginning: %+v", place)
	}
	if _, err := s.Feed([]byte("Hm.</think>No.")); err != nil {
		t.Fatal(err)
	}
	if claims := s.Claims(); len(claims) != 4 || claims[2].Node != `"</think>"` || claims[3].End != 15 {
		t.Errorf("%+v", claims)
	}
}
