package detect

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLiterals(t *testing.T) {
	for text, want := range map[string]int{ // the length of the literal at the beginning; 0: none
		`{}`:                              2,
		`[]x`:                             2,
		`{"a": 1}`:                        8,
		`{ "a" : [1, -2.5e3, "x"] } more`: 26,
		`{'a': True, 'b': None}`:          22,
		`"a\"b" c`:                        6,
		`'it\'s'`:                         7,
		`true,`:                           4,
		`{"a": 1,}`:                       0,
		`{"a" 1}`:                         0,
		`{a: 1}`:                          0,
		`{"a": 1`:                         0,
		`["a"`:                            0,
		`"open`:                           0,
		`"open\`:                          0,
		``:                                0,
		`<`:                               0,
	} {
		got, ok := literalAt(text, 0)
		if ok != (want > 0) || ok && got.end != want {
			t.Errorf("%s: ends at %d, %v; want %d", text, got.end, ok, want)
		}
	}
}

func TestDeepLiteralsAreNone(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	if _, ok := literalAt(deep, 0); ok {
		t.Error("was read")
	}
}

// FuzzLiteral checks that JSON is a literal of the same length, and that no literal exceeds its
// text.
func FuzzLiteral(f *testing.F) {
	f.Add(`{"a": [1, "x", {"b": null}]}`)
	f.Add(`{'a': "it's"}`)
	f.Add("[[[{\"")
	f.Fuzz(func(t *testing.T, text string) {
		for at := range text {
			if l, ok := literalAt(text, at); ok && (l.start != at || l.end <= at || l.end > len(text)) {
				t.Fatalf("%q at %d: %+v", text, at, l)
			}
		}
		var v any
		if (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Unmarshal([]byte(text), &v) == nil && strings.Count(text, "[")+strings.Count(text, "{") < deepestLiteral {
			if l, ok := literalAt(text, 0); !ok || l.end != len(strings.TrimRight(text, " \t\r\n")) {
				t.Errorf("%q: %d, %v", text, l.end, ok)
			}
		}
	})
}
