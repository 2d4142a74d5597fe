package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// parseRequest reads a request. Space between JSON tokens does not travel, so there is none to begin with.
func parseRequest(t testing.TB, text string) *chat.Request {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		t.Fatal(err)
	}
	r, err := chat.ParseRequest(compact.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const fullRequest = `{
	"messages": [
		{"role": "user", "content": [{"type": "text", "text": "a"}], "zeta": 1, "alpha": 2},
		{"role": "assistant", "content": null, "reasoning_content": "Hm.", "tool_calls": [
			{"type": "function", "function": {"name": "f", "arguments": "{\"z\": 1, \"a\": 1e400}"}, "id": "x", "index": 0}]},
		{"role": "tool", "content": "1", "tool_call_id": "x", "name": "f"},
		{"role": "assistant", "content": "It"}],
	"tools": [{"type": "function", "function": {"name": "f", "description": "d", "strict": true,
		"parameters": {"type": "object", "properties": {"z": {}, "a": {}}}}}],
	"tool_choice": {"type": "function", "function": {"name": "f"}}, "parallel_tool_calls": true,
	"reasoning_format": "none", "enable_thinking": false, "json_schema": {"type": "object"},
	"chat_template_kwargs": {"z": 1, "a": [2]}, "continue_final_message": true, "pure_content": true, "seed": 1,
	"parsing": {"unknown_tool": "error", "call_in_reasoning": "keep", "truncated_call": "drop", "malformed": "error"}}`

// otherRequests have what fullRequest excludes.
var otherRequests = []string{
	`{"messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object"}}}}`,
	`{"messages":[{"role":"user","content":"Hi"}],"grammar":"root ::= \"a\""}`,
	`{"messages":[{"role":"user","content":"Hi"}],"guided_regex":"a+"}`,
	`{"messages":[{"role":"user","content":"Hi"}],"guided_choice":["a","b"]}`,
}

// fullInput has every field that is asked for, but for the generation prompt, which its message to be continued excludes.
func fullInput(t testing.TB) handler.Input {
	in := handler.Input{
		Template: handler.Template{Name: "n", Source: "{{ x }}", BOSToken: "<s>", EOSToken: "</s>"},
		Request:  parseRequest(t, fullRequest),
	}
	in.Request.Now = time.Date(2026, time.January, 15, 12, 34, 56, 789, time.UTC)
	return in
}

// fullPlan has every field that a handler fills in, except for the stream.
func fullPlan(t testing.TB) *handler.Plan {
	return &handler.Plan{
		Request: parseRequest(t, `{"messages":[{"role":"user","content":"Hi"}]}`), Prefill: "<think>a", Ending: handler.Ending{Old: "<eos>", New: "<eot>"},
		Program: everyNode(), Grammar: grammar.Lazy,
		Triggers: []grammar.Trigger{{Type: grammar.TriggerWord, Value: "w"}, {Type: grammar.TriggerPattern, Value: "^a(b)"},
			{Type: grammar.TriggerFull, Value: "a(b)c"}},
		PreservedTokens: []string{"<think>"}, Stops: []string{"<eot>"},
		SupportsThinking: true, ThinkingStart: "<think>", ThinkingEnds: []string{"</think>", "<call>"},
		Delimiters: []handler.Delimiter{{Role: "user", Delimiter: "<user>"}}, Notes: []string{"n"},
	}
}

func TestARequestArrivesAsItWasSent(t *testing.T) {
	inputs := []handler.Input{fullInput(t)}
	for _, text := range otherRequests {
		inputs = append(inputs, handler.Input{Request: parseRequest(t, text)})
	}
	for _, sent := range inputs {
		m, err := EncodeInput("h", sent)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeInput(overTheWire(t, m, new(pb.PlanRequest)))
		if err != nil {
			t.Fatal(err)
		}
		if m.GetHandler() != "h" {
			t.Errorf("it is for handler %q", m.GetHandler())
		}
		if diff := cmp.Diff(sent, got); diff != "" {
			t.Errorf("sent (-), received (+):\n%s", diff)
		}
	}
}

func TestATemplateThatIsNotUTF8StillTravels(t *testing.T) {
	m, err := EncodeInput("h", handler.Input{Template: handler.Template{Source: "a\xffb"}, Request: &chat.Request{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := overTheWire(t, m, new(pb.PlanRequest)).GetTemplate().GetSource(); got != "a\uFFFDb" {
		t.Errorf("it arrives as %q", got)
	}
}

func TestNotesThatAreNotUTF8StillTravel(t *testing.T) {
	const note, want = "caf\xe9", "caf\uFFFD"
	m, err := EncodePlan(&handler.Plan{Stream: new(handler.StreamPlan), Notes: []string{note}})
	if err != nil {
		t.Fatal(err)
	}
	if got := overTheWire(t, m, new(pb.Plan)).GetNotes(); len(got) != 1 || got[0] != want {
		t.Errorf("of a plan: %q", got)
	}
	result := EncodeResult(handler.StreamResult{
		Status: chat.Malformed, Notes: []string{note}, Faults: []chat.Fault{{Message: note}}, MissingMarkers: []chat.MissingMarker{{Marker: note}},
	})
	got := overTheWire(t, result, new(pb.StreamResult))
	if got.Notes[0] != want || got.Faults[0].Message != want || got.MissingMarkers[0].Marker != want {
		t.Errorf("of a result: %+v", got)
	}
}

func TestAnAnswerArrivesAsItWasGiven(t *testing.T) {
	for _, c := range []struct {
		name string
		plan *handler.Plan
		err  error
	}{
		{"a plan with everything", fullPlan(t), nil},
		{"a plan with a stream", &handler.Plan{Stream: &handler.StreamPlan{Token: []byte{0, 0xff}}, Grammar: grammar.Strict}, nil},
		{"a decline", nil, &handler.Declined{Reason: "not mine"}},
		{"a fault of the request", nil, &chat.RequestError{Path: "tools[0]", Message: "has no name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := EncodeAnswer(c.plan, c.err)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := DecodeAnswer(overTheWire(t, m, new(pb.PlanResponse)))
			if diff := cmp.Diff(c.plan, plan); diff != "" {
				t.Errorf("given (-), received (+):\n%s", diff)
			}
			if diff := cmp.Diff(c.err, err); diff != "" {
				t.Errorf("given (-), received (+):\n%s", diff)
			}
		})
	}
}

func TestAHandlersFailureIsNoAnswer(t *testing.T) {
	if m, err := EncodeAnswer(nil, errors.New("out of paper")); err == nil {
		t.Errorf("it became %v", m)
	}
}

func TestBrokenPlansAreNotSent(t *testing.T) {
	for _, c := range []struct {
		name, path string
		plan       handler.Plan
	}{
		{"nothing parses", "plan.parser", handler.Plan{}},
		{"two things parse", "plan.parser", handler.Plan{Program: everyNode(), Stream: &handler.StreamPlan{}}},
		{"a mode that does not exist", "plan.grammar", handler.Plan{Program: everyNode(), Grammar: 9}},
		{"a trigger that does not exist", "plan.triggers", handler.Plan{Program: everyNode(), Triggers: []grammar.Trigger{{Type: "x"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := EncodeAnswer(&c.plan, nil)
			wantFault(t, err, c.path, "")
		})
	}
}

func TestBrokenAnswersAreRefusedWithTheirPlace(t *testing.T) {
	stream := &pb.Plan_Stream{Stream: &pb.StreamPlan{}}
	for _, c := range []struct {
		name, path string
		plan       *pb.Plan
	}{
		{"nothing parses", "plan.parser", &pb.Plan{}},
		{"a mode of the future", "plan.grammar", &pb.Plan{Parser: stream, Grammar: 99}},
		{"a request that is not JSON", "plan.request", &pb.Plan{Parser: stream, Request: []byte("{")}},
		{"a trigger of the future", "plan.triggers", &pb.Plan{Parser: stream, Triggers: []*pb.GrammarTrigger{{}}}},
		{"a huge token", "plan.stream.token", &pb.Plan{Parser: &pb.Plan_Stream{Stream: &pb.StreamPlan{Token: make([]byte, handler.MaxToken+1)}}}},
		{"a broken program", "program.root", &pb.Plan{Parser: &pb.Plan_Program{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DecodeAnswer(&pb.PlanResponse{Result: &pb.PlanResponse_Plan{Plan: c.plan}})
			wantFault(t, err, c.path, "")
		})
	}
	t.Run("no result", func(t *testing.T) {
		_, err := DecodeAnswer(nil)
		wantFault(t, err, "result", "missing")
	})
}

func FuzzDecodeAnswer(f *testing.F) {
	for _, plan := range []*handler.Plan{{Program: everyNode()}, {Stream: &handler.StreamPlan{}, Notes: []string{"n"}}} {
		m, err := EncodeAnswer(plan, nil)
		if err != nil {
			f.Fatal(err)
		}
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := new(pb.PlanResponse)
		if proto.Unmarshal(data, m) != nil {
			return
		}
		if plan, err := DecodeAnswer(m); err == nil && (plan.Program == nil) == (plan.Stream == nil) {
			t.Fatal("a plan without exactly one parser")
		}
	})
}
