package chat_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// TestPoliciesDecideHowCallsAreHandled tests, for each policy, the message and the note that result
// from an answer with text and one call.
func TestPoliciesDecideHowCallsAreHandled(t *testing.T) {
	const kept = `{"role":"assistant","content":"Hm.","tool_calls":[{"type":"function","function":{"name":"NAME","arguments":ARGS},"id":"x"}]}`
	asCall := func(name, args string) string { return strings.NewReplacer("NAME", name, "ARGS", args).Replace(kept) }
	const dropped = `{"role":"assistant","content":"Hm."}`
	for _, test := range []struct {
		name       string
		policies   chat.Policies
		call, args string
		want, note string
	}{
		{"unknown, forwarded", chat.Policies{}, "g", `{"a":1}`, asCall("g", `"{\"a\":1}"`), ""},
		{"unknown, as content", chat.Policies{UnknownTool: chat.UnknownContent}, "g", `{"a":1}`,
			`{"role":"assistant","content":"Hm.\n{\"name\": \"g\", \"arguments\": {\"a\":1}}"}`, `"g" became content: no tool`},
		{"unknown, an error", chat.Policies{UnknownTool: chat.UnknownError}, "g", `{"a":1}`, dropped, `"g" was dropped: no tool`},
		{"unknown and truncated, as content", chat.Policies{UnknownTool: chat.UnknownContent}, "g", `{"a"`,
			`{"role":"assistant","content":"Hm.\n{\"name\": \"g\", \"arguments\": {\"a\""}`, `"g" became content: no tool`},
		{"known, whatever unknown ones become", chat.Policies{UnknownTool: chat.UnknownError}, "f", `{"a":1}`, asCall("f", `"{\"a\":1}"`), ""},
		{"truncated, in part", chat.Policies{}, "f", `{"a`, asCall("f", `"{\"a"`), ""},
		{"truncated, dropped", chat.Policies{TruncatedCall: chat.TruncatedDrop}, "f", `{"a`, dropped, `"f" was dropped: its arguments`},
		{"truncated before its arguments", chat.Policies{TruncatedCall: chat.TruncatedDrop}, "f", ``, dropped, `"f" was dropped: its arguments`},
		{"truncated, as content", chat.Policies{TruncatedCall: chat.TruncatedContent}, "f", `{"a`,
			`{"role":"assistant","content":"Hm.\n{\"name\": \"f\", \"arguments\": {\"a"}`, `"f" became content: its arguments`},
		{"whole, whatever truncated ones become", chat.Policies{TruncatedCall: chat.TruncatedDrop}, "f", `{"a":1}`, asCall("f", `"{\"a\":1}"`), ""},
		{"whole and unknown, whatever truncated ones become", chat.Policies{TruncatedCall: chat.TruncatedContent}, "g", `{}`, asCall("g", `"{}"`), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := seeded
			options.Policies = test.policies
			events := slices.Concat([]told{content("Hm.")}, call("x", test.call, test.args))
			atEverySplit(t, options, events, func(s *chat.Stream, deltas []chat.Delta) {
				expectJSON(t, s.Message(), test.want)
				expectJSON(t, joined(t, deltas), test.want)
				if notes := annotated(s).Notes; strings.Join(notes, "") != "" != (test.note != "") || !strings.Contains(strings.Join(notes, ""), test.note) {
					t.Errorf("notes %q, want %q", notes, test.note)
				}
				if s.FinishReason() == chat.FinishToolCalls != (len(s.Message().ToolCalls) > 0) {
					t.Errorf("finished with %s", s.FinishReason())
				}
			})
		})
	}
}

func TestContentContinuesAfterACallTurnedIntoContent(t *testing.T) {
	options := seeded
	options.Policies.UnknownTool = chat.UnknownContent
	events := slices.Concat(call("", "g", `{}`), []told{content("\nSo.")})
	atEverySplit(t, options, events, func(s *chat.Stream, deltas []chat.Delta) {
		expectJSON(t, joined(t, deltas), `{"role":"assistant","content":"{\"name\": \"g\", \"arguments\": {}}\n\nSo."}`)
	})
}

func TestOutputsAreErrorsOnlyIfAPolicySaysSo(t *testing.T) {
	broken := chat.Report{Status: chat.Malformed, Faults: []chat.Fault{{Message: "byte 3: expected \"}\""}}}
	for _, test := range []struct {
		policies chat.Policies
		report   chat.Report
		called   string
		want     string
	}{
		{chat.Policies{}, broken, "g", ""},
		{chat.Policies{UnknownTool: chat.UnknownError}, chat.Report{}, "g", `parsing.unknown_tool: the model called "g": no tool of the request has that name`},
		{chat.Policies{UnknownTool: chat.UnknownError}, broken, "f", ""},
		{chat.Policies{Malformed: chat.MalformedError}, broken, "g", `parsing.malformed: the output breaks the format: byte 3: expected "}"`},
		{chat.Policies{Malformed: chat.MalformedError}, chat.Report{Status: chat.Trailing}, "f", `parsing.malformed: the output breaks the format`},
		{chat.Policies{Malformed: chat.MalformedError}, chat.Report{Status: chat.Truncated}, "f", ""},
	} {
		s := chat.Stream{StreamOptions: chat.StreamOptions{Tools: seeded.Tools, Policies: test.policies}}
		for _, e := range call("", test.called, `{}`) {
			s.Add(chat.Event{Kind: e.kind, Text: []byte(e.text)})
		}
		err := s.Verdict(&test.report)
		var refused *fault.Error
		switch {
		case test.want == "" && err != nil, test.want != "" && (!errors.As(err, &refused) || refused.Code != fault.OutputRefused || refused.Place+": "+refused.Message != test.want):
			t.Errorf("%+v: %v, want %q", test.policies, err, test.want)
		}
	}
}

func TestPoliciesOfARequestOverrideDefaults(t *testing.T) {
	defaults := chat.Policies{UnknownTool: chat.UnknownError, Malformed: chat.MalformedError}
	for parsing, want := range map[string]chat.Policies{
		``:                defaults,
		`, "parsing": {}`: defaults,
		`, "parsing": {"unknown_tool": "forward"}`:       {Malformed: chat.MalformedError},
		`, "parsing": {"unclosed_reasoning": "content"}`: {UnknownTool: chat.UnknownError, Malformed: chat.MalformedError, UnclosedReasoning: chat.UnclosedContent},
		`, "parsing": {"truncated_call": "drop"}`:        {UnknownTool: chat.UnknownError, TruncatedCall: chat.TruncatedDrop, Malformed: chat.MalformedError},
	} {
		r, err := chat.ParseRequestWith([]byte(`{"messages": [{"role": "user", "content": "x"}]`+parsing+`}`), defaults)
		if err != nil || r.Parsing != want {
			t.Errorf("%s: %+v, %v; want %+v", parsing, r, err, want)
		}
	}
}

// TestReasoningThatIsNotClosedIsContentOnlyIfAllElseIsMissing tests the policy at the end of answers. The deltas only append.
func TestReasoningThatIsNotClosedIsContentOnlyIfAllElseIsMissing(t *testing.T) {
	const thought, answer = `{"role":"assistant","content":"","reasoning_content":"Yes."}`, `{"role":"assistant","content":"Yes.","reasoning_content":"Yes."}`
	hm, spoken := []told{reasoning("Yes. ")}, []told{reasoning("Hm."), content("Yes.")}
	for _, test := range []struct {
		name              string
		events            []told
		closed, cut, kept bool
		want              string
	}{
		{"a complete answer", hm, false, false, false, answer},
		{"kept", hm, false, false, true, thought},
		{"closed", hm, true, false, false, thought},
		{"cut off", hm, false, true, false, `{"role":"assistant","content":"","reasoning_content":"Yes. "}`},
		{"with an answer behind it", spoken, false, false, false, `{"role":"assistant","content":"Yes.","reasoning_content":"Hm."}`},
		{"with a call behind it", slices.Concat([]told{reasoning("Hm.")}, call("x", "f", `{}`)), false, false, false,
			`{"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"},"id":"x"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := chat.Stream{StreamOptions: seeded}
			if !test.kept {
				s.Policies.UnclosedReasoning = chat.UnclosedContent
			}
			var deltas []chat.Delta
			for _, e := range test.events {
				s.Add(chat.Event{Kind: e.kind, Text: []byte(e.text)})
				deltas = append(deltas, s.Deltas()...)
			}
			if !test.closed {
				s.Unclosed()
			}
			reason := chat.FinishStop
			if test.cut {
				reason = chat.FinishLength
			}
			deltas = append(deltas, s.Finish(reason)...)
			expectJSON(t, s.Message(), test.want)
			expectJSON(t, joined(t, deltas), test.want)
			if noted := len(annotated(&s).Notes) > 0; noted != (test.want == answer) {
				t.Errorf("notes %q", annotated(&s).Notes)
			}
		})
	}
}
