package session

import (
	"slices"
	"testing"
)

func TestOnlySpecialTokensAreSpecial(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		vocabulary, markers, want []string
	}{
		{"by their shape", nil,
			[]string{"<|call|>", "<｜call▁begin｜>", "<|channel>", "<channel|>", "<think>", "<function=", "</function>", ">", "\">", "[ARGS]", "<|a|> b", "<|a|><|b|>", "<｜x｜call>", "\n"},
			[]string{"<|call|>", "<｜call▁begin｜>", "<|channel>", "<channel|>", "<|a|>", "<|b|>"}},
		{"by the vocabulary", []string{"<s>", "<think>", "｜x｜", "<|unused|>"},
			[]string{"<think>", "<function=", "<｜x｜call>", "<|call|>"}, []string{"<think>", "｜x｜"}},
		{"no markers", []string{"<s>"}, nil, nil},
	} {
		if got := specials(tt.vocabulary, tt.markers); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPreservedTokensAreSingleTokens(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		vocabulary, markers, want []string
	}{
		{"tags and words in brackets", nil, []string{"<think>", "</think>", "[TOOL_CALLS]", "[/THINK]", "<|call|>", "<|channel>thought", "<seed:call>", "[|user|]", "◁think▷"},
			[]string{"<think>", "</think>", "[TOOL_CALLS]", "[/THINK]", "<|call|>", "<|channel>", "<seed:call>", "[|user|]", "◁think▷"}},
		{"several in one marker", nil, []string{"<|end|>\n\nfunction call<|start|>", "function<｜sep｜>", "<|begin|>assistant<|think|>", `<|open|>call tool="`},
			[]string{"<|end|>", "<|start|>", "<｜sep｜>", "<|begin|>", "<|think|>", "<|open|>"}},
		{"a token within tags", nil, []string{"<｜DSML｜calls>", "</｜DSML｜calls>", `<｜DSML｜invoke name="`}, []string{"｜DSML｜"}},
		{"odd brackets", nil, []string{"]~b]", "]<]model[>["}, []string{"]~b]", "]<]model[>["}},
		{"text", nil, []string{"<function=", ">", `">`, "{", "}", "call:", "functions.", "```json", `<invoke name="`, "all", "("}, nil},
		{"each once", nil, []string{"<|a|><|b|>", "<|b|>"}, []string{"<|a|>", "<|b|>"}},
		{"by the vocabulary", []string{"]<]m[>[", "｜x｜", "<eos>"}, []string{"]<]m[>[<tool>", "<｜x｜call>", "<think>"}, []string{"]<]m[>[", "｜x｜", "<tool>", "<think>"}},
	} {
		if got := tokens(tt.vocabulary, tt.markers); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
