package match_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// special returns the output written in text, in which «» enclose the bytes that came from special tokens.
func special(marked string) output {
	o := output{special: []match.Range{}}
	for marked != "" {
		before, rest, found := strings.Cut(marked, "«")
		o.text += before
		if !found {
			break
		}
		token, after, _ := strings.Cut(rest, "»")
		o.special = append(o.special, match.Range{Start: len(o.text), End: len(o.text) + len(token)})
		o.text += token
		marked = after
	}
	return o
}

// TestSpecialTokens parses outputs of engines that distinguish special tokens from text that only spells them.
func TestSpecialTokens(t *testing.T) {
	for _, test := range []struct{ does, text, want string }{
		{"takes a special token for the marker", "«<think>»hm«</think>»yes", `reasoning "hm" | content "yes"`},
		{"takes its spelling for text", "«<think>»I write </think> to stop«</think>»yes",
			`reasoning "I write </think> to stop" | content "yes"`},
		{"needs the whole marker to be special", "«<think>»a</«think>»b«</think>»yes", `reasoning "a</think>b" | content "yes"`},
		{"takes tokens side by side for two", "«<think></think>»yes", `content "yes"`},
		{"takes a marker of several tokens", "«<think>»hm«</»«think>»yes", `reasoning "hm" | content "yes"`},
		{"tells a call from one that is quoted", "like <tool_call>{}: «<tool_call>»{\"name\": \"f\", \"arguments\": {\"a\": 1}}«</tool_call>»",
			`content "like <tool_call>{}: " | ` + good},
		{"knows markers that are no tokens by their text", "hi" + turnEnd, `content "hi"`},
		{"resumes at special tokens only", "«<tool_call>»1 <tool_call>{\"name\": \"g\", \"arguments\": {}} «<tool_call>»{\"name\": \"f\", \"arguments\": {\"a\": 1}}«</tool_call>»",
			`recovered "<tool_call>1 <tool_call>{\"name\": \"g\", \"arguments\": {}} " | ` + good},
	} {
		t.Run(test.does, func(t *testing.T) {
			code := compile(t, jsonCalls().Bind(""), "<think>", "</think>", "<tool_call>", "</tool_call>")
			got, _ := everySplit(t, code, special(test.text))
			if got.String() != test.want {
				t.Errorf("%s\n got %v\nwant %v", test.text, got, test.want)
			}
		})
	}
}

// TestSpecialTokensWithinLiterals matches a literal of which only a part is a special token.
func TestSpecialTokensWithinLiterals(t *testing.T) {
	var b peg.Builder
	marker := "<|start|>assistant<|channel|>"
	code := compile(t, b.Build(b.Seq(b.Tag(peg.Content, b.Until(marker)), b.Optional(b.Lit(marker)), b.End())),
		"<|start|>", "<|channel|>", "<|")
	for text, want := range map[string]string{
		"a«<|start|>»assistant«<|channel|>»": `content "a"`,
		"a«<|start|>assistant<|channel|>»":   `content "a"`,
		"a<|start|>assistant«<|channel|>»":   `content "a<|start|>assistant<|channel|>"`,
		"a«<|start|>»assistant<|channel|>":   `content "a<|start|>assistant<|channel|>"`,
	} {
		if got, _ := everySplit(t, code, special(text)); got.String() != want {
			t.Errorf("%s\n got %v\nwant %v", text, got, want)
		}
	}
}

// TestWithoutSpecialsTextDecides feeds markers of unknown origin.
func TestWithoutSpecialsTextDecides(t *testing.T) {
	code := compile(t, jsonCalls().Bind("<think>"), "<think>", "</think>")
	o := output{prompt: "<think>", text: "hm</think>yes"}
	got, _ := everySplit(t, code, o)
	if want := `reasoning "hm" | content "yes"`; got.String() != want {
		t.Errorf("got %v, want %v", got, want)
	}
	o.special = []match.Range{} // no token of the output is special, but the prompt is as it was written
	got, _ = everySplit(t, code, o)
	if want := `reasoning "hm</think>yes"`; got.String() != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestRangesOutsideOfTheChunkAreIgnored passes invalid ranges.
func TestRangesOutsideOfTheChunkAreIgnored(t *testing.T) {
	code := compile(t, jsonCalls().Bind(""), turnEnd)
	for _, ranges := range [][]match.Range{
		nil, {{Start: -5, End: -1}, {Start: 90, End: 99}}, {{Start: 3, End: 1}}, {{Start: 2, End: 9}, {Start: 0, End: 1}},
	} {
		var all transcript
		m := match.New(code, all.sink)
		m.FeedSpecial([]byte("hi"+turnEnd), ranges)
		if r := m.Finish(false); r.Status != chat.Complete || all.String() == "" {
			t.Errorf("%v: %v, %+v", ranges, all, r)
		}
	}
}
