package detect

import (
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/probe"
)

func TestTagsAreTokensWithWordsBetweenThem(t *testing.T) {
	for text, want := range map[string]Tags{
		"<|o|>a x=\"1\"<|m|><|o|>b<|m|>VALUENEEDLE<|c|>b<|m|><|c|>a<|m|>":    {"<|o|>", "<|c|>", "<|m|>"},
		"[O]a[M][O]b[M]x[C]b[M][C]a[M]":                                      {"[O]", "[C]", "[M]"},
		"<|o|>a<|m|><|o|>b<|m|>x<|o|>/b<|m|><|o|>/a<|m|>":                    {"<|o|>", "<|o|>", "<|m|>"},
		"<|o|> a\n<|m|><|o|> b\n<|m|>x<|c|>b\n<|m|>\n <|c|>a\n<|m|>":         {"<|o|> ", "<|c|>", "\n<|m|>"},
		"<|o|> a<|m|><|o|>b<|m|>x<|c|>b<|m|><|c|>a<|m|>":                     {}, // uneven white space
		"<|o|>a<|m|>x<|c|>a<|m|><|o|>a<|m|>x<|c|>a<|m|>":                     {}, // one element alone
		"<|o|>a<|m|><|o|>b<|m|>x<|c|>b<|m|><|c|>a<|m|><|o|>\n":               {}, // a token without words
		"<|o|>a<|m|><|o|>b<|m|>x<|c|>b<|m|><|c|>d<|m|>":                      {}, // it closes what nothing opens
		"<|h|>user<|/h|>x<|eot|><|h|>assistant<|/h|>y<|eot|>":                {},
		"<|s|>user<|m|>x<|e|><|s|>assistant<|c|>final<|m|>x<|e|>":            {},
		"<v n=\"a\">VALUENEEDLE</v><v n=\"b\">REPLACEMENT</v>":               {},
		"<v n=\"a\">VALUENEEDLE</v><w>VALUENEEDLE</v><v n=\"b\">REPLACEMENT": {},
	} {
		answers := probe.Answers{{TextA: text, TextB: text}}
		got := tagsIn(answers)
		if got != want {
			t.Errorf("%q: found %q", text, got)
		}
		if short := got.shorten(text); got.lengthen(short, func(s string) string { return s }) != text {
			t.Errorf("%q: shortened to %q", text, short)
		}
	}
}

func TestAPrefixTearsNoTag(t *testing.T) {
	tags := Tags{"<|o|>", "<|c|>", "<|m|>"}
	if got := tags.Prefix("<|o|>a<|m|><|o|>think<|m|>", "<|o|>a<|m|><|o|>tools<|m|>"); got != "<|o|>a<|m|>" {
		t.Errorf("the prefix is %q", got)
	}
}
