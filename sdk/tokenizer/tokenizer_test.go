package tokenizer

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// byteLevel is a tokenizer of 256 bytes, a few merges, and added tokens.
func byteLevel(t *testing.T) *Tokenizer {
	t.Helper()
	tk, err := read(strings.NewReader(byteLevelFile()), &config{})
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func byteLevelFile() string {
	var b strings.Builder
	b.WriteString(`{"model": {"type": "BPE", "vocab": {`)
	for i, r := range spelledAs {
		c := string(r)
		if c == `"` || c == `\` {
			c = `\` + c
		}
		b.WriteString(`"` + c + `": ` + strconv.Itoa(i) + `, `)
	}
	b.WriteString(`"he": 256, "ll": 257, "hell": 258, "hello": 259, "Ġw": 260}, "merges": ["h e", "l l", "he ll", ["hell", "o"], "Ġ w"]},
		"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}, "decoder": {"type": "ByteLevel"},
		"added_tokens": [{"id": 300, "content": "<|end|>", "special": true}, {"id": 301, "content": "</think>"}],
		"post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "b"}}, {"Sequence": {"id": "A"}}],
			"special_tokens": {"b": {"id": "b", "ids": [300], "tokens": ["<|end|>"]}}}}`)
	return b.String()
}

func TestTheLowestRankIsMergedFirst(t *testing.T) {
	tk := byteLevel(t)
	if got, want := tk.Encode("hello w", Options{}), []ID{259, 260}; !slices.Equal(got, want) {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestSpecialTokensAreFoundUnlessTheTextIsLiteral(t *testing.T) {
	tk := byteLevel(t)
	if got, want := tk.Encode("h<|end|></think>", Options{AddSpecial: true}), []ID{300, 'h', 300, 301}; !slices.Equal(got, want) {
		t.Errorf("%d, want %d", got, want)
	}
	if got := tk.Encode("<|end|></think>", Options{Literal: true}); len(got) != len("<|end|>")+1 || got[len(got)-1] != 301 {
		t.Errorf("%d", got)
	}
}

func TestIdsAreDecodedAtEverySplit(t *testing.T) {
	tk := byteLevel(t)
	text := "hello wörld 🪿 <|end|>\n\xF0\x9F"
	ids := tk.Encode(text, Options{})
	if got, want := tk.Decode(ids, false), strings.ToValidUTF8(text, replacement); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	tokens := tk.AppendTokens(nil, text, Options{})
	for i, token := range tokens {
		if token.ID != ids[i] || i > 0 && token.From < tokens[i-1].To && !strings.HasSuffix(text, text[token.From:]) {
			t.Errorf("token %d: %v, want id %d", i, token, ids[i])
		}
	}
}
