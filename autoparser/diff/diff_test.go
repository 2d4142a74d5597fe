package diff_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/diff"
	"github.com/google/go-cmp/cmp"
)

func TestTextsAreCutAtTheBordersOfMarkers(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want diff.Split
	}{
		"nothing in common":          {"abc", "xyz", diff.Split{Left: "abc", Right: "xyz"}},
		"equal texts are all prefix": {"<a>b</a>", "<a>b</a>", diff.Split{Prefix: "<a>b</a>"}},
		"plain text is cut byte by byte": {"one two three", "one 2 three",
			diff.Split{Prefix: "one ", Left: "two", Right: "2", Suffix: " three"}},
		"markers that begin alike stay whole": {"x<think>y", "x<tool>y",
			diff.Split{Prefix: "x", Left: "<think>", Right: "<tool>", Suffix: "y"}},
		"markers that end alike stay whole": {"x[BEGIN_CALL]y", "x[END_CALL]y",
			diff.Split{Prefix: "x", Left: "[BEGIN_CALL]", Right: "[END_CALL]", Suffix: "y"}},
		"a name inside a marker takes the marker along": {"<f=one>(", "<f=two>(",
			diff.Split{Left: "<f=one>", Right: "<f=two>", Suffix: "("}},
		"a marker that only one text has": {"a</s>", "a<b></s>",
			diff.Split{Prefix: "a", Right: "<b>", Suffix: "</s>"}},
		"a JSON array is no marker": {`[{"a": 1}]`, `[{"a": 2}]`,
			diff.Split{Prefix: `[{"a": `, Left: "1", Right: "2", Suffix: "}]"}},
		"a comparison in prose is no marker": {"if a < b then 1", "if a < b then 2",
			diff.Split{Prefix: "if a < b then ", Left: "1", Right: "2"}},
		"markers in other brackets stay whole": {"x«think»y", "x«tool»y",
			diff.Split{Prefix: "x", Left: "«think»", Right: "«tool»", Suffix: "y"}},
		"a marker that is left open":           {"x«a", "x«b", diff.Split{Prefix: "x", Left: "«a", Right: "«b"}},
		"characters stay whole":                {"aé|", "aè|", diff.Split{Prefix: "a", Left: "é", Right: "è", Suffix: "|"}},
		"characters that end alike stay whole": {"\u00e9", "\u0129", diff.Split{Left: "\u00e9", Right: "\u0129"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, diff.Texts(c.a, c.b)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func TestSegmentsSeparateMarkersFromText(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"no marker":              "(no marker)",
		"a<b>c[D]":               "(a)<<b>>(c)<[D]>",
		"<a><b>":                 "<<a>><<b>>",
		"a < b > c":              "(a < b > c)",
		"x <= y >":               "(x <= y >)",
		"<a<b>":                  "(<a)<<b>>",
		`[{"a": [1]}]`:           `([{"a": )<[1]>(}])`,
		"<not\na marker>":        "(<not\na marker>)",
		"<>[]":                   "(<>[])",
		"[BEGIN FINAL RESPONSE]": "<[BEGIN FINAL RESPONSE]>",
		"a«b»◁/c▷【d】⟨e⟩⟦f⟧‹g›": "(a)<«b»><◁/c▷><【d】><⟨e⟩><⟦f⟧><‹g›>",
		"« mot »":                            "(« mot »)",
		"«a▷":                                "(«a▷)",
		"<<x>>[[/Y]]":                        "<<<x>>><[[/Y]]>",
		"<<x>":                               "(<)<<x>>",
		"[[1, 2], [3]]":                      "([)<[1, 2]>(, )<[3]>(])",
		`<function name="f">`:                `<<function name="f">>`,
		"<" + strings.Repeat("x", 200) + ">": "(<" + strings.Repeat("x", 200) + ">)",
	} {
		var got strings.Builder
		for _, s := range diff.Segments(text) {
			if s.Marker {
				got.WriteString("<" + s.Text + ">")
			} else {
				got.WriteString("(" + s.Text + ")")
			}
		}
		if got.String() != want {
			t.Errorf("Segments(%q)\n got %s\nwant %s", text, got.String(), want)
		}
	}
}

func TestFirstAndLastMarker(t *testing.T) {
	for _, c := range []struct{ text, first, last string }{
		{"", "", ""},
		{"none", "", ""},
		{"a<b>c", "<b>", "<b>"},
		{"a<b>c[d]e", "<b>", "[d]"},
	} {
		s, e := diff.FirstMarker(c.text)
		if got := c.text[s:e]; got != c.first {
			t.Errorf("FirstMarker(%q) = %q, want %q", c.text, got, c.first)
		}
		s, e = diff.LastMarker(c.text)
		if got := c.text[s:e]; got != c.last {
			t.Errorf("LastMarker(%q) = %q, want %q", c.text, got, c.last)
		}
	}
}

func TestWhatLooksLikeAPairOfMarkers(t *testing.T) {
	for _, c := range []struct {
		open, closing string
		pair          bool
	}{
		{"<x>", "</x>", true},
		{"[X]", "[/X]", true},
		{"<|x|>", "<|/x|>", true},
		{"<|x_start|>", "<|x_end|>", true},
		{"<|x|>", "<|x_end|>", true},
		{"<|x|>", "<|end_of_x|>", false}, // two words more
		{"<|x|>", "<|end_x|>", true},
		{"<a:x>", "</a:x>", true},
		{"<x>", "<x>", false},
		{"</x>", "<x>", false},
		{"<x>", "<y>", false},
		{"<x>", "[/x]", false},
		{"<x>", "</y>", false},
		{"<x_a>", "<x_a_b_c>", false},
		{"<>", "</>", false},
		{"", "<x>", false},
		{"<x>", "", false},
	} {
		if got := diff.Closes(c.open, c.closing); got != c.pair {
			t.Errorf("Closes(%q, %q) = %v", c.open, c.closing, got)
		}
	}
}

func FuzzTextsReassemble(f *testing.F) {
	f.Add("x<think>y", "x<tool>y")
	f.Add("a</s>", "a<b></s>")
	f.Add("aé|", "aè|")
	f.Add("[[<", "[<<")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := diff.Texts(a, b)
		if s.Prefix+s.Left+s.Suffix != a {
			t.Errorf("Texts(%q, %q) = %+v does not give the first text", a, b, s)
		}
		if s.Prefix+s.Right+s.Suffix != b {
			t.Errorf("Texts(%q, %q) = %+v does not give the second text", a, b, s)
		}
	})
}

func FuzzSegmentsReassemble(f *testing.F) {
	f.Add("a<b>c[d]<<e>")
	f.Fuzz(func(t *testing.T, text string) {
		var all strings.Builder
		for _, s := range diff.Segments(text) {
			if s.Text == "" {
				t.Errorf("Segments(%q) holds an empty segment", text)
			}
			all.WriteString(s.Text)
		}
		if all.String() != text {
			t.Errorf("Segments(%q) joined is %q", text, all.String())
		}
	})
}

func TestWhiteSpaceOfAPromptDoesNotCount(t *testing.T) {
	for _, c := range []struct{ text, words, want string }{
		{"<|a|>   </x>  rest", "\n<|a|></x>", "rest"},
		{"<|a|></x>rest", "<|a|>\n\n</x> ", "rest"},
		{" rest", "", "rest"},
	} {
		if got, ok := diff.Behind(c.text, c.words); !ok || got != c.want {
			t.Errorf("%q behind %q: %q, %v", c.text, c.words, got, ok)
		}
	}
	if got := diff.Shared("a <|b|>  <|c|>\n<|d|>", "a<|b|><|c|> <|e|>"); got != "a <|b|>  <|c|>\n" {
		t.Errorf("shared %q", got)
	}
	if got, ok := diff.Behind("<|a|>rest", "<|a|></x>"); ok {
		t.Errorf("found %q", got)
	}
}
