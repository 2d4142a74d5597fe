package emit

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

func TestArgumentsInAString(t *testing.T) {
	for written, want := range map[string]string{
		`"{\"a\": \"b\"}"`:                  `{"a": "b"}`,
		`" {} "`:                            `{} `,
		`"{\"a\": \"\\n\\\"\\\\\\u00e9\"}"`: `{"a": "\n\"\\\u00e9"}`,
		`"{\n\t\"a\":\/1}"`:                 "{\n\t\"a\":/1}",
		`"{\"\u00e9\": \"\ud83d\ude42\"}"`:  `{"é": "🙂"}`,
		`"{\"\ud83d\": \"\ude42\"}"`:        `{"` + "\uFFFD" + `": "` + "\uFFFD" + `"}`,
		`'{"a": True}'`:                     `{"a": true}`,
		`"text"`:                            `{}`,
		`""`:                                `{}`,
		`null`:                              `{}`,
	} {
		for at := range len(written) {
			var a arguments
			var got []byte
			say := func(piece []byte) { got = append(got, piece...) }
			say(a.begin(peg.Arguments))
			say(a.text([]byte(written[:at])))
			say(a.text([]byte(written[at:])))
			say(a.end(peg.Arguments))
			say(a.complete())
			if string(got) != want {
				t.Errorf("%s, cut at byte %d: expected %s, found %s", written, at, want, got)
			}
		}
	}
}

func TestNoQuoteIsPlain(t *testing.T) {
	for c := range 256 {
		if quotes.Has(byte(c)) && scan.IsPlain(byte(c)) {
			t.Errorf("%q is a quote, and plain", byte(c))
		}
	}
}
