package chatapi_test

import (
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// filled checks that the listed fields of v, and no other exported ones, are zero, so that an added
// field is not forgotten.
func filled(t *testing.T, v any, but ...string) {
	t.Helper()
	value := reflect.Indirect(reflect.ValueOf(v))
	left := map[string]bool{}
	for _, name := range but {
		left[name] = true
	}
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if field.IsExported() && value.Field(i).IsZero() != left[field.Name] {
			t.Errorf("%s.%s: set it here and encode it, or list it as not sent", value.Type(), field.Name)
		}
	}
}

func same(t *testing.T, sent, received any) {
	t.Helper()
	if diff := cmp.Diff(sent, received, cmpopts.IgnoreUnexported(session.Plan{}, grammar.Constraint{})); diff != "" {
		t.Errorf("sent (-), received (+):\n%s", diff)
	}
}

func TestAPlanTravels(t *testing.T) {
	sent := &session.Plan{
		Prompt: "<user>Hi<assistant>", GenerationPrompt: "<assistant>", PreservedTokens: []string{"<tool>"}, Stops: []string{"<user>"},
		SupportsThinking: true, ThinkingStart: "<think>", ThinkingEnds: []string{"</think>"}, ReasoningState: handler.ReasoningOpen,
		Delimiters: []handler.Delimiter{{Role: "user", Delimiter: "<user>"}}, Notes: []string{"a note"}, Handler: "autoparser", Generation: 7,
		Constraint: &grammar.Constraint{Grammar: `root ::= "x"`, Lazy: true, Triggers: []grammar.Trigger{{Type: grammar.TriggerWord, Value: "<tool>"}},
			Target: grammar.TargetStructuralTag, Content: "{}", Notes: []string{"another"}},
	}
	filled(t, sent, "Program")
	filled(t, sent.Constraint)
	same(t, sent, chatapi.DecodePlan(chatapi.EncodePlan(sent, sent.Constraint.Target)))
	if free := chatapi.DecodePlan(chatapi.EncodePlan(&session.Plan{}, "")); free.Constraint != nil {
		t.Errorf("no constraint became %+v", free.Constraint)
	}
}

func TestAResultTravels(t *testing.T) {
	sent := session.Result{
		Message:      chat.Message{Role: "assistant", Content: chat.TextContent("<b>Hi</b>")},
		FinishReason: chat.FinishStop,
		Report: &chat.Report{
			Status: chat.Malformed, Length: 20, PromptLength: 5, Spans: []chat.Span{{Region: chat.ContentRegion, Start: 5, End: 20}},
			Faults: []chat.Fault{{At: 6, Farthest: 9, Message: "expected x"}}, UnknownTools: []string{"f"}, Notes: []string{"repaired"},
			MaxHeld: 3, MissingMarkers: []chat.MissingMarker{{Marker: "<tool>", At: 8, Count: 2}},
			Tokens: &chat.TokenCounts{Output: 9, Reasoning: 1, Content: 2, Calls: 3},
		},
	}
	filled(t, sent, "Deltas")
	filled(t, sent.Report)
	m, err := chatapi.EncodeResult(sent)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"role":"assistant","content":"<b>Hi</b>"}`; m.GetMessage().GetText() != want {
		t.Errorf("the message is %s, want %s", m.GetMessage().GetText(), want)
	}
	received, err := chatapi.DecodeResult(m)
	if err != nil {
		t.Fatal(err)
	}
	same(t, &sent, received)
	m.Message.Text = "no JSON"
	if _, err := chatapi.DecodeResult(m); err == nil {
		t.Error("an invalid message is accepted")
	}
}

func TestAnErrorTravels(t *testing.T) {
	sent := &fault.Error{Code: fault.NotFound, Place: "m", Message: "no such template", Remedy: "put it", Err: io.EOF}
	filled(t, sent)
	if received := chatapi.DecodeError(chatapi.EncodeError(sent), io.EOF); *received != *sent {
		t.Errorf("sent %+v, received %+v", sent, received)
	}
}

func TestRangesTravelAndAreChecked(t *testing.T) {
	sent := []match.Range{{Start: 0, End: 2}, {Start: 2, End: 5}}
	received, err := chatapi.DecodeRanges(chatapi.EncodeRanges(sent), 5, false)
	if err != nil {
		t.Fatal(err)
	}
	same(t, sent, received)
	for name, wrong := range map[string][]match.Range{
		"empty": {{Start: 1, End: 1}}, "beyond the piece": {{Start: 3, End: 6}}, "overlapping": {{Start: 0, End: 3}, {Start: 2, End: 4}},
	} {
		if _, err := chatapi.DecodeRanges(chatapi.EncodeRanges(wrong), 5, false); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if unknown, _ := chatapi.DecodeRanges(nil, 5, false); unknown != nil {
		t.Error("unknown ranges decoded as known")
	}
	if none, _ := chatapi.DecodeRanges(nil, 5, true); none == nil {
		t.Error("known ranges decoded as unknown")
	}
}
