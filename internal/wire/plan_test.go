package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	pb "github.com/dragoman-project/dragoman/sdk/proto/dragoman/plugin/v1"
)

// parseRequest parses a request. White space between JSON tokens is not sent, so it is removed.
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
	"parsing": {"unknown_tool": "error", "call_in_reasoning": "keep", "truncated_call": "drop", "malformed": "error", "unclosed_reasoning": "content"}}`

// otherRequests have the fields that fullRequest excludes.
var otherRequests = []string{
	`{"messages":[{"role":"user","content":"Hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object"}}}}`,
	`{"messages":[{"role":"user","content":"Hi"}],"grammar":"root ::= \"a\""}`,
	`{"messages":[{"role":"user","content":"Hi"}],"guided_regex":"a+"}`,
	`{"messages":[{"role":"user","content":"Hi"}],"guided_choice":["a","b"]}`,
	`{"messages":[{"role":"user","content":"Hi"}],"thinking":{"type":"enabled","budget_tokens":1024},"reasoning_effort":"high"}`,
}

// fullInput returns an input with every field that is sent except the generation prompt, which the
// message to be continued excludes.
func fullInput(t testing.TB) handler.Input {
	in := handler.Input{
		Template: handler.Template{Name: "n", Source: "{{ x }}", BOSToken: "<s>", EOSToken: "</s>"},
		Request:  parseRequest(t, fullRequest),
	}
	in.Request.Now = time.Date(2026, time.January, 15, 12, 34, 56, 789, time.UTC)
	return in
}

// fullPlan returns a plan with every field that a handler sets, except the stream.
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
			t.Errorf("the request is for handler %q", m.GetHandler())
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
		t.Errorf("the template arrives as %q", got)
	}
}

func TestNotesThatAreNotUTF8StillTravel(t *testing.T) {
	const note, want = "caf\xe9", "caf\uFFFD"
	m, err := new(Encoder).plan(&handler.Plan{Stream: new(handler.StreamPlan), Notes: []string{note}})
	if err != nil {
		t.Fatal(err)
	}
	if got := overTheWire(t, m, new(pb.Plan)).GetNotes(); len(got) != 1 || got[0] != want {
		t.Errorf("the plan has %q", got)
	}
	result := EncodeResult(handler.StreamResult{
		Status: chat.Malformed, Notes: []string{note}, Faults: []chat.Fault{{Message: note}}, MissingMarkers: []chat.MissingMarker{{Marker: note}},
	})
	got := overTheWire(t, result, new(pb.StreamResult))
	if got.Notes[0] != want || got.Faults[0].Message != want || got.MissingMarkers[0].Marker != want {
		t.Errorf("the result has %+v", got)
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
		{"a fault of the request", nil, fault.Invalid("tools[0]", "has no name")},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e Encoder
			var d Decoder
			for range 2 { // the second time, the program is cached
				plan, err := d.Answer(sent(t, &e, c.plan, c.err))
				if diff := cmp.Diff(c.plan, plan); diff != "" {
					t.Errorf("given (-), received (+):\n%s", diff)
				}
				if diff := cmp.Diff(c.err, err); diff != "" {
					t.Errorf("given (-), received (+):\n%s", diff)
				}
			}
		})
	}
}

func TestAHandlersFailureIsNoAnswer(t *testing.T) {
	if m, err := new(Encoder).Answer(nil, errors.New("out of paper")); err == nil {
		t.Errorf("the error became %v", m)
	}
}

func TestBrokenPlansAreNotSent(t *testing.T) {
	for _, c := range []struct {
		name, path string
		plan       handler.Plan
	}{
		{"no parser", "plan.parser", handler.Plan{}},
		{"two parsers", "plan.parser", handler.Plan{Program: everyNode(), Stream: &handler.StreamPlan{}}},
		{"an unknown mode", "plan.grammar", handler.Plan{Program: everyNode(), Grammar: 9}},
		{"an unknown trigger", "plan.triggers", handler.Plan{Program: everyNode(), Triggers: []grammar.Trigger{{Type: "x"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := new(Encoder).Answer(&c.plan, nil)
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
		{"no parser", "plan.parser", &pb.Plan{}},
		{"an unknown mode", "plan.grammar", &pb.Plan{Parser: stream, Grammar: 99}},
		{"a request that is not JSON", "plan.request", &pb.Plan{Parser: stream, Request: []byte("{")}},
		{"an unknown trigger", "plan.triggers", &pb.Plan{Parser: stream, Triggers: []*pb.GrammarTrigger{{}}}},
		{"a huge token", "plan.stream.token", &pb.Plan{Parser: &pb.Plan_Stream{Stream: &pb.StreamPlan{Token: make([]byte, handler.MaxToken+1)}}}},
		{"a broken program", "program.root", &pb.Plan{Parser: &pb.Plan_Program{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := new(Decoder).Answer(marshal(t, &pb.PlanResponse{Result: &pb.PlanResponse_Plan{Plan: c.plan}}))
			wantFault(t, err, c.path, "")
		})
	}
	t.Run("no result", func(t *testing.T) {
		_, err := new(Decoder).Answer(nil)
		wantFault(t, err, "result", "missing")
	})
	for name, data := range map[string][]byte{
		"invalid bytes":                    {0xff},
		"an invalid plan":                  {1<<3 | 2, 1, 0xff},
		"an invalid program":               {1<<3 | 2, 3, 4<<3 | 2, 1, 0xff},
		"an invalid plan around a program": append([]byte{1<<3 | 2, 6, 4<<3 | 2, 2, 1<<3 | 2, 0}, 3<<3|2, 9),
		"a program that is not even bytes": {1<<3 | 2, 2, 4 << 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var invalid *fault.Error
			if plan, err := new(Decoder).Answer(data); !errors.As(err, &invalid) {
				t.Errorf("got %v, %v", plan, err)
			}
		})
	}
}

// sent returns an encoded answer.
func sent(t testing.TB, e *Encoder, plan *handler.Plan, err error) []byte {
	t.Helper()
	m, err := e.Answer(plan, err)
	if err != nil {
		t.Fatal(err)
	}
	return marshal(t, m)
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestProgramsAreCachedByContent alternates two programs, in plans that all differ.
func TestProgramsAreCachedByContent(t *testing.T) {
	var b peg.Builder
	programs := []*peg.Program{everyNode(), b.Build(b.Rest())}
	var e Encoder
	var d Decoder
	received := map[*peg.Program]bool{}
	for i := range 10 {
		plan := fullPlan(t)
		plan.Program, plan.Prefill = programs[i%2], strings.Repeat("a", i)
		got, err := d.Answer(sent(t, &e, plan, nil))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plan, got); diff != "" {
			t.Errorf("sent (-), received (+):\n%s", diff)
		}
		received[got.Program] = true
	}
	if len(received) != len(programs) {
		t.Errorf("%d programs were decoded from the bytes of %d", len(received), len(programs))
	}
	if s := e.programs.Stats(); s.Misses != 2 {
		t.Errorf("encoded: %+v", s)
	}
}

// TestAPlanIsTheSameHoweverItIsWritten writes fields as other libraries may: in another order, or
// repeatedly.
func TestAPlanIsTheSameHoweverItIsWritten(t *testing.T) {
	field := func(number protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), content)
	}
	m, err := EncodeProgram(everyNode())
	if err != nil {
		t.Fatal(err)
	}
	nodes, note := m.Nodes, field(12, []byte("n"))
	program := field(programNumber, marshal(t, m))
	begun, ended := field(programNumber, marshal(t, &pb.Program{Nodes: nodes[:9]})), field(programNumber, marshal(t, &pb.Program{Nodes: nodes[9:], Root: m.Root}))
	stream := field(streamNumber, field(1, []byte("token")))
	for name, answer := range map[string][]byte{
		"the program first":          field(planNumber, slices.Concat(program, note)),
		"the program last":           field(planNumber, slices.Concat(note, program)),
		"the program in two parts":   field(planNumber, slices.Concat(begun, note, ended)),
		"the plan in two parts":      slices.Concat(field(planNumber, note), field(planNumber, program)),
		"a stream before it":         field(planNumber, slices.Concat(stream, program, note)),
		"a decline before it":        slices.Concat(field(2, nil), field(planNumber, slices.Concat(program, note))),
		"a field of another version": slices.Concat(field(planNumber, slices.Concat(field(99, []byte("x")), program, note)), field(98, nil)),
	} {
		t.Run(name, func(t *testing.T) {
			var d Decoder
			for range 2 {
				plan, err := d.Answer(answer)
				if err != nil {
					t.Fatal(err)
				}
				if !plan.Program.Equal(everyNode()) || plan.Stream != nil || !slices.Equal(plan.Notes, []string{"n"}) {
					t.Errorf("got %+v", plan)
				}
			}
		})
	}
	t.Run("a stream after it", func(t *testing.T) {
		plan, err := new(Decoder).Answer(field(planNumber, slices.Concat(program, stream)))
		if err != nil || plan.Program != nil || string(plan.Stream.Token) != "token" {
			t.Errorf("got %+v, %v", plan, err)
		}
	})
}

func FuzzDecodeAnswer(f *testing.F) {
	for _, plan := range []*handler.Plan{{Program: everyNode()}, {Stream: &handler.StreamPlan{}, Notes: []string{"n"}}} {
		f.Add(sent(f, new(Encoder), plan, nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d Decoder
		plan, err := d.Answer(data)
		if err == nil && (plan.Program == nil) == (plan.Stream == nil) {
			t.Fatal("a plan without exactly one parser")
		}
		m := new(pb.PlanResponse)
		if fault := proto.Unmarshal(data, m); fault != nil {
			if err == nil {
				t.Fatalf("invalid (%v), but decoded as %+v", fault, plan)
			}
			return
		}
		whole, wholeErr := decodeAnswer(m)
		if (err == nil) != (wholeErr == nil) || err == nil && cmp.Diff(whole, plan) != "" {
			t.Fatalf("decoded at once: %+v, %v\nin parts: %+v, %v", whole, wholeErr, plan, err)
		}
	})
}
