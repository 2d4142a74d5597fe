package assemble_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

func TestEveryPrefixOfArgumentsIsAPrefixOfTheWhole(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		m := s.withIDs(cases.Message{ToolCalls: []cases.Call{
			call("get_weather", "city", `"Zürich \"now\" 格"`, "days", "3", "where", `{"a":[1,{"b":null}]}`), call("get", "text", `"x"`), call("ping"),
		}})
		p := newParser(t, s.input(parallel))
		stream := &chat.Stream{StreamOptions: chat.StreamOptions{Tools: p.tools, NoIDs: true}}
		machine := match.New(p.code, stream.Add)
		machine.Prompt(p.prompt)
		said := map[int]string{}
		take := func(deltas []chat.Delta) {
			for _, d := range deltas {
				for _, c := range d.ToolCalls {
					if _, known := said[c.Index]; !known && c.Name == "" || known && c.Name != "" {
						t.Errorf("call %d must be announced once, with its name: %+v", c.Index, c)
					}
					said[c.Index] += c.Arguments
				}
			}
		}
		for _, b := range []byte(s.answer(m)) {
			machine.Feed([]byte{b})
			take(stream.Deltas())
		}
		machine.Finish(false)
		take(stream.Finish(chat.FinishStop))
		for i, c := range stream.Message().ToolCalls {
			if said[i] != c.Arguments || !json.Valid([]byte(c.Arguments)) {
				t.Errorf("call %d: deltas %s, message %s", i, said[i], c.Arguments)
			}
		}
	})
}

func TestOnlyWhiteSpaceOfTheTemplateIsTrimmed(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		p := newParser(t, s.input())
		for _, text := range []string{"- a\n- b\n\n- c", "    indented\n\ttoo", "a  b\n\n\n\nc", "1.\n\n```go\n\tx := 1\n\n```", "äöü 格 🙂"} {
			got, _ := p.run(s.answer(cases.Message{Content: text}))
			if got.Content != text {
				t.Errorf("%q became %q", text, got.Content)
			}
			if s.Reasoning.Mode == "" {
				continue
			}
			got, _ = p.run(s.answer(cases.Message{ReasoningContent: text, Content: text}))
			if got.Content != text || got.ReasoningContent != text {
				t.Errorf("%q became %q after %q", text, got.Content, got.ReasoningContent)
			}
		}
	})
}

func TestPoliciesDecideHowCallsAreHandled(t *testing.T) {
	s := named(t, "JSON in tags")
	const unknownCall = `<tool_call>{"name": "who_knows", "arguments": {"a": 1}}</tool_call>`
	const truncated = `<tool_call>{"name": "get_weather", "arguments": {"city": "Os`
	const malformed = `<tool_call>{"name": "get_weather", "arguments": {"city" "Oslo"}}</tool_call>`
	unknown := cases.Call{Name: "who_knows", Arguments: `{"a": 1}`}
	partial := cases.Call{Name: "get_weather", Arguments: `{"city": "Os`}
	for _, c := range []struct {
		does, output string
		policies     chat.Policies
		want         cases.Message
		fault        bool
	}{
		{"forward an unknown tool", unknownCall, chat.Policies{}, cases.Message{ToolCalls: []cases.Call{unknown}}, false},
		{"return an unknown tool as content", unknownCall, chat.Policies{UnknownTool: chat.UnknownContent}, cases.Message{Content: `{"name": "who_knows", "arguments": {"a": 1}}`}, false},
		{"fail on an unknown tool", unknownCall, chat.Policies{UnknownTool: chat.UnknownError}, cases.Message{}, true},
		{"deliver a call cut off", truncated, chat.Policies{}, cases.Message{ToolCalls: []cases.Call{partial}}, false},
		{"drop a call cut off", truncated, chat.Policies{TruncatedCall: chat.TruncatedDrop}, cases.Message{}, false},
		{"return a call cut off as content", truncated, chat.Policies{TruncatedCall: chat.TruncatedContent}, cases.Message{Content: `{"name": "get_weather", "arguments": {"city": "Os`}, false},
		{"deliver a malformed call", malformed, chat.Policies{}, cases.Message{Content: `"Oslo"}}</tool_call>`, ToolCalls: []cases.Call{{Name: "get_weather", Arguments: `{"city" `}}}, false},
		{"fail on a malformed call", malformed, chat.Policies{Malformed: chat.MalformedError}, cases.Message{Content: `"Oslo"}}</tool_call>`, ToolCalls: []cases.Call{{Name: "get_weather", Arguments: `{"city" `}}}, true},
	} {
		t.Run(c.does, func(t *testing.T) {
			p := newParser(t, s.input())
			for _, pieces := range [][]string{{c.output}, strings.Split(c.output, "")} {
				stream := &chat.Stream{StreamOptions: chat.StreamOptions{Tools: p.tools, NoIDs: true, Policies: c.policies}}
				machine := match.New(p.code, stream.Add)
				machine.Prompt(p.prompt)
				for _, piece := range pieces {
					machine.Feed([]byte(piece))
				}
				report := machine.Finish(false)
				stream.Finish(chat.FinishStop)
				stream.Annotate(report)
				got := cases.MessageOf(stream.Message())
				if d := cases.Compare(c.want, got); d != "" {
					t.Error(d)
				}
				if err := stream.Verdict(report); (err != nil) != c.fault {
					t.Errorf("verdict %v on %+v", err, report)
				}
			}
		})
	}
}

func TestAConstraintBeginsInTheStateOfThePrompt(t *testing.T) {
	s := named(t, "tags with lines")
	const header = "<|im_start|>assistant\n"
	const answer = `{"amount": 1.5}`
	for _, c := range []struct {
		state, template string
		output          string
		want            grammar.Status
	}{
		{"idle, and it does not think", header, answer, grammar.Accepted},
		{"idle, and it thinks", header, "<think>\nHm\n</think>\n\n" + answer, grammar.Accepted},
		{"open", header + "<think>\n", "Hm {\n</think>\n\n" + answer, grammar.Accepted},
		{"open, and never closed", header + "<think>\n", "Hm", grammar.Incomplete},
		{"closed", header + "<think>\n\n</think>\n\n", answer, grammar.Accepted},
		{"closed, and it thinks again", header + "<think>\n\n</think>\n\n", "<think>Hm</think>" + answer, grammar.Refused},
		{"open, and then prose", header + "<think>\n", "Hm\n</think>\n\nSorry", grammar.Refused},
	} {
		t.Run(c.state, func(t *testing.T) {
			in := s.after(c.template, "", schema(amount))
			if got := constraint(t, in).Match(c.output); got.Status != c.want {
				t.Errorf("%q: expected %s, found %s at %d: %q", c.output, c.want, got.Status, got.Offset, got.Expected)
			}
			if c.want == grammar.Accepted {
				got, report := newParser(t, in).run(c.output)
				if got.Content != answer || report.Status != chat.Complete {
					t.Errorf("%q was parsed as %v, %s", c.output, got, report.Status)
				}
			}
		})
	}
}

func TestAContinuedMessageMayEndInACall(t *testing.T) {
	s := named(t, "tags with lines")
	const header = "<|im_start|>assistant\n"
	one := s.section([]cases.Call{paris})
	for _, c := range []struct {
		sense, continued, output string
		want                     cases.Message
	}{
		{"content", "<think>\nHm\n</think>\n\nI look", " now.\n" + one, cases.Message{ReasoningContent: "Hm", Content: "I look now.", ToolCalls: []cases.Call{paris}}},
		{"content without thoughts", "<think>\n\n</think>\n\nI look", " now.\n" + one, cases.Message{Content: "I look now.", ToolCalls: []cases.Call{paris}}},
		{"reasoning", "<think>\nHm", "m.\n</think>\n\nI look.\n" + one, cases.Message{ReasoningContent: "Hmm.", Content: "I look.", ToolCalls: []cases.Call{paris}}},
		{"reasoning that a call ends", "<think>\nHm", "m.\n" + one, cases.Message{ReasoningContent: "Hmm.", ToolCalls: []cases.Call{paris}}},
	} {
		t.Run(c.sense, func(t *testing.T) { newParser(t, s.after(header, c.continued)).check(t, c.output, c.want) })
	}
	if a := assemble.Assemble(s.after(header, "<think>\nHm")); len(a.ThinkingEnds) != 2 || strings.TrimSpace(a.ThinkingEnds[1]) != "<tool_call>" {
		t.Errorf("reasoning that a call may end has the ends %q", a.ThinkingEnds)
	}
}
