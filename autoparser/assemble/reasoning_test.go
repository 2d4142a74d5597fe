package assemble_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// after returns the input of a sample with another prompt, given as the template's part and the
// text of a continued message.
func (s sample) after(template, continued string, change ...func(*chat.Request)) assemble.Input {
	in := s.input(change...)
	in.TemplatePrompt, in.GenerationPrompt = template, template+continued
	return in
}

func format(f chat.ReasoningFormat) func(*chat.Request) {
	return func(r *chat.Request) { r.ReasoningFormat = f }
}

func TestTheStartStateComesFromThePrompt(t *testing.T) {
	lines := named(t, "tags with lines")
	delimited := lines
	delimited.Reasoning = dialect.Reasoning{Mode: dialect.ReasoningTagBased, End: "[FINAL]"}
	artefact := lines
	artefact.Reasoning = dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<|begin|>\n", End: "\n[FINAL]\n"}
	none := lines
	none.Reasoning = dialect.Reasoning{Mode: dialect.ReasoningNone}
	const header = "<|im_start|>assistant\n"
	tests := []struct {
		name                string
		dialect             sample
		template, continued string
		output              string
		want                cases.Message
		state               handler.ReasoningState
	}{
		{"idle, and it thinks", lines, header, "", "<think>\nHm\n</think>\n\nHi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "idle"},
		{"idle, and it does not", lines, header, "", "Hi", cases.Message{Content: "Hi"}, "idle"},
		{"idle, spaced otherwise", lines, header, "", "\n <think>Hm</think> \nHi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "idle"},
		{"open", lines, header + "<think>\n", "", "Hm\n</think>\n\nHi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "open"},
		{"open, and nothing is thought", lines, header + "<think>\n", "", "\n</think>\n\nHi", cases.Message{Content: "Hi"}, "open"},
		{"open, and never closed", lines, header + "<think>\n", "", "Hm", cases.Message{ReasoningContent: "Hm"}, "open"},
		{"open, and begun again", lines, header + "<think>\n", "", "<think>\nHm\n</think>\n\nHi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "open"},
		{"open, and begun again behind a line", lines, header + "<think>\n", "", "\n<think>Hm</think>Hi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "open"},
		{"open, and begun again for nothing", lines, header + "<think>\n", "", "<think></think>Hi", cases.Message{Content: "Hi"}, "open"},
		{"open, and begun again for blanks", lines, header + "<think>\n", "", "<think>   </think>Hi", cases.Message{Content: "Hi"}, "open"},
		{"idle, and begun twice", lines, header, "", "<think>\n<think>Hm</think>Hi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "idle"},
		{"open, and an empty thought is thought", lines, header + "<think>\n", "", "<think>\n\n</think>\n\nHi", cases.Message{ReasoningContent: "<think>", Content: "Hi"}, "open"},
		{"open, and ended by the turn", lines, header + "<think>\n", "", "Hm <|im_end|> Hm<|im_end|>\n", cases.Message{ReasoningContent: "Hm <|im_end|> Hm"}, "open"},
		{"it thinks anew", lines, header, "", "<think>\nHm\n</think>\n\n<think>\nSo\n</think>\n\nHi", cases.Message{ReasoningContent: "Hm\n\nSo", Content: "Hi"}, "idle"},
		{"closed, and it thinks all the same", lines, header + "<think>\n\n</think>\n\n", "", "<think>Hm</think>Hi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "closed"},
		{"closed without a beginning, and it thinks all the same", lines, header + "</think>", "", "<think>Hm</think>Hi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "closed"},
		{"it thinks behind a text", lines, header, "", "Hi <think>Hm</think>", cases.Message{Content: "Hi <think>Hm</think>"}, "idle"},
		{"closed", lines, header + "<think>\n\n</think>\n\n", "", "Hi", cases.Message{Content: "Hi"}, "closed"},
		{"closed without a beginning", lines, header + "</think>", "", "Hi", cases.Message{Content: "Hi"}, "closed"},
		{"an accident of the template", artefact, "<|begin|>\nHere are my thoughts:\n", "", "Hm\n[FINAL]\nHi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "open"},
		{"no start marker", delimited, header, "", "Hm[FINAL]Hi", cases.Message{ReasoningContent: "Hm", Content: "Hi"}, "open"},
		{"no start marker, closed", delimited, header + "[FINAL]", "", "Hi", cases.Message{Content: "Hi"}, "closed"},
		{"no reasoning", none, header, "", "<think>Hm</think>Hi", cases.Message{Content: "<think>Hm</think>Hi"}, "idle"},
		{"content goes on", none, header, "Hello, ", "world!", cases.Message{Content: "Hello, world!"}, "idle"},
		{"content goes on behind reasoning", lines, header, "<think>\nHm\n</think>\n\nHello, ", "world!", cases.Message{ReasoningContent: "Hm", Content: "Hello, world!"}, "closed"},
		{"reasoning goes on", lines, header, "<think>\nI'm", " thinking\n</think>\n\nHi", cases.Message{ReasoningContent: "I'm thinking", Content: "Hi"}, "open"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := test.dialect.after(test.template, test.continued)
			newParser(t, in).check(t, test.output, test.want)
			if a := assemble.Assemble(in); a.State != test.state {
				t.Errorf("expected the state %s, found %s", test.state, a.State)
			}
		})
	}
}

func TestReasoningStaysInTheContentWhereAskedFor(t *testing.T) {
	s := named(t, "tags with lines")
	const header = "<|im_start|>assistant\n"
	call := s.section([]cases.Call{paris})
	for _, test := range []struct {
		template, output string
		want             cases.Message
	}{
		{header, "<think>\nHm\n</think>\n\nHi", cases.Message{Content: "<think>\nHm\n</think>\n\nHi"}},
		{header + "<think>\n", "Hm\n</think>\n\nHi", cases.Message{Content: "<think>\nHm\n</think>\n\nHi"}},
		{header + "<think>\n", "Hm\n</think>\n\n" + call, cases.Message{Content: "<think>\nHm\n</think>", ToolCalls: []cases.Call{paris}}},
	} {
		newParser(t, s.after(test.template, "", format(chat.ReasoningNone))).check(t, test.output, test.want)
	}
	for _, f := range []chat.ReasoningFormat{chat.ReasoningAuto, chat.ReasoningDeepSeek, chat.ReasoningDeepSeekLegacy} {
		newParser(t, s.after(header, "", format(f))).check(t, "<think>\nHm\n</think>\n\nHi", cases.Message{ReasoningContent: "Hm", Content: "Hi"})
	}
}

func TestAWholeCallInReasoningIsPromotedUnlessItIsQuoted(t *testing.T) {
	s := named(t, "tags with lines")
	open := "<|im_start|>assistant\n<think>\n"
	one := s.section([]cases.Call{paris})
	unknown := s.section([]cases.Call{call("who_knows")})
	pings := []cases.Call{paris, call("ping")}
	for _, test := range []struct {
		name, output string
		want         cases.Message
	}{
		{"at a line", "Hm.\n" + one, cases.Message{ReasoningContent: "Hm.", ToolCalls: pings[:1]}},
		{"at once", one, cases.Message{ToolCalls: pings[:1]}},
		{"closed behind it", "Hm.\n" + one + "\n</think>\nDone.", cases.Message{ReasoningContent: "Hm.", ToolCalls: pings[:1], Content: "Done."}},
		{"and then content", "Hm.\n" + one + "\nDone.", cases.Message{ReasoningContent: "Hm.", ToolCalls: pings[:1], Content: "Done."}},
		{"reasoning anew", "Hm.\n" + one + "\n</think>\n<think>More.</think>\n" + s.section(pings[1:]), cases.Message{ReasoningContent: "Hm.More.", ToolCalls: pings}},
		{"within a line", "I could " + one, cases.Message{ReasoningContent: "I could", ToolCalls: pings[:1]}},
		{"within a line, without a blank", "I could:" + one + "\nDone.", cases.Message{ReasoningContent: "I could:", ToolCalls: pings[:1], Content: "Done."}},
		{"within a line, closed behind it", "I could " + one + "\n</think>\nDone.", cases.Message{ReasoningContent: "I could", ToolCalls: pings[:1], Content: "Done."}},
		{"closed behind text behind it", "Hm.\n" + one + " So\n</think>\nDone.", cases.Message{ReasoningContent: "Hm.", ToolCalls: pings[:1], Content: "So\nDone."}},
		{"in reasoning after a call", "Hm.\n</think>\n" + one + "<think>So " + s.section(pings[1:]), cases.Message{ReasoningContent: "Hm.\nSo", ToolCalls: pings}},
		{"begun twice", "Hm.\n<tool_call>\n" + one, cases.Message{ReasoningContent: "Hm.", ToolCalls: pings[:1]}},
		{"a header alone", "I write <tool_call>\n<function=get_weather> first\n</think>\nHi", cases.Message{ReasoningContent: "I write <tool_call>\n<function=get_weather> first", Content: "Hi"}},
		{"quoted", "I could " + one + " now\n</think>\n\n" + s.section(pings[1:]), cases.Message{ReasoningContent: "I could " + one + " now", ToolCalls: pings[1:]}},
		{"of an unknown tool", "Hm.\n" + unknown + "\n</think>\nHi", cases.Message{ReasoningContent: "Hm.\n" + unknown, Content: "Hi"}},
		{"a marker alone", "Hm.\n<tool_call>\nis how\n</think>\nHi", cases.Message{ReasoningContent: "Hm.\n<tool_call>\nis how", Content: "Hi"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			newParser(t, s.after(open, "")).check(t, test.output, test.want)
		})
	}
	in := s.after(open, "")
	in.Request.Parsing.CallInReasoning = chat.KeepCalls
	newParser(t, in).check(t, "Hm.\n"+one+"\n</think>\n\nHi", cases.Message{ReasoningContent: "Hm.\n" + one, Content: "Hi"})
}

func TestACallOfSpecialTokensIsPromotedAnywhere(t *testing.T) {
	s := named(t, "JSON behind a tag")
	one := s.section([]cases.Call{paris})
	for _, output := range []string{"Hm." + one, "Hm." + strings.TrimPrefix(one, s.Tools.SectionStart)} {
		newParser(t, s.after("<|Assistant|><think>", "")).check(t, output, cases.Message{ReasoningContent: "Hm.", ToolCalls: []cases.Call{paris}})
	}
	if a := assemble.Assemble(s.input()); len(a.ThinkingEnds) != 3 {
		t.Errorf("expected the end marker and two openers, found %q", a.ThinkingEnds)
	}
}

func TestContentIsWrappedWithReasoning(t *testing.T) {
	s := sample{Dialect: dialect.Dialect{
		Reasoning: dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<think>", End: "</think>"},
		Content:   dialect.Content{Mode: dialect.ContentWrappedWithReasoning, Start: "<response>", End: "</response>"},
	}}
	p := newParser(t, s.input())
	for output, want := range map[string]cases.Message{
		"<think>Hm</think><response>Hi</response>":       {ReasoningContent: "Hm", Content: "Hi"},
		"<think>Hm</think>\n<response>\nHi\n</response>": {ReasoningContent: "Hm", Content: "Hi"},
		"<think>Hm</think>Hi":                            {ReasoningContent: "Hm", Content: "Hi"},
		"<think>Hm</think><response>Hi":                  {ReasoningContent: "Hm", Content: "Hi"},
		"Hi </response> there":                           {Content: "Hi </response> there"},
	} {
		p.check(t, output, want)
	}
}
