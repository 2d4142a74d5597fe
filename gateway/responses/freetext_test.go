package responses

import "testing"

func TestTheInputOfACustomToolIsReadAsItComes(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"input":"plain"}`:                          "plain",
		` { "input" : "a\n\t\"b\" \\ \/ c" } `:       "a\n\t\"b\" \\ / c",
		`{"input":"\u00e9 \ud83d\ude00 日 \ud83d x"}`: "é 😀 日 \ufffd x",
		`{"input":"\ud83d\n"}`:                       "\ufffd\n",
		`{"input":""}`:                               "",
		`{"input":"broken o`:                         "broken o",
		`{"input":"half \u00`:                        "half ",
		`{"input":7}`:                                `{"input":7}`,
		`{"other":"x"}`:                              `{"other":"x"}`,
		`{"inp`:                                      `{"inp`,
		`{}`:                                         `{}`,
	} {
		for size := 1; size <= len(arguments); size++ {
			var f freeText
			got := ""
			for rest := []byte(arguments); len(rest) > 0; {
				n := min(size, len(rest))
				got += string(f.read(rest[:n]))
				rest = rest[n:]
			}
			if got += string(f.rest()); got != want {
				t.Errorf("%s in pieces of %d: %q, want %q", arguments, size, got, want)
			}
		}
	}
}
