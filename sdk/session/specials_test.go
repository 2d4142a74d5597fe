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
			[]string{"<|call|>", "<｜call▁begin｜>", "<|channel>", "<channel|>"}},
		{"by the vocabulary", []string{"<s>", "<think>", "｜x｜", "<|unused|>"},
			[]string{"<think>", "<function=", "<｜x｜call>", "<|call|>"}, []string{"<think>", "｜x｜"}},
		{"no markers", []string{"<s>"}, nil, nil},
	} {
		if got := specials(tt.vocabulary, tt.markers); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
