package charset_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

func TestSetsInWords(t *testing.T) {
	const controls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
		"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"
	for want, set := range map[string]charset.Set{
		"any character":                  charset.All,
		"a digit":                        charset.Of("0123456789"),
		"a hexadecimal digit":            charset.Of("0123456789abcdefABCDEF"),
		`"x"`:                            charset.Of("x"),
		`a tab or a space`:               charset.Of(" \t"),
		`"," or "]"`:                     charset.Of(",]"),
		`"a" to "c" or "é"`:              charset.Of("abcé"),
		`any character but "\"" or "\\"`: charset.Of(`"\`).Complement(),
		`any character but a control character or "\"" or "\\" or a delete character`: charset.Of(controls + "\"\\\x7f").Complement(),
	} {
		if got := set.Words(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
