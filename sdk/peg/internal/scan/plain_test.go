package scan

import (
	"bytes"
	"strings"
	"testing"
)

func TestPlainTextEndsAtEveryOtherByte(t *testing.T) {
	for c := range 256 {
		plain := c >= ' ' && !strings.ContainsRune("\"'\\", rune(c))
		for at := range 20 {
			text := bytes.Repeat([]byte{'a', 0x80, 0xff, ' ', '~'}, 4)
			text[at] = byte(c)
			want := len(text)
			if !plain {
				want = at
			}
			if got := PlainPrefix(text); got != want {
				t.Fatalf("%q: %d bytes are plain, want %d", text, got, want)
			}
		}
	}
}

func TestAnyByteCanBeAQuote(t *testing.T) {
	for _, quote := range "\"'|`" {
		text := []byte("some text, then \\" + string(quote) + " and \\u00e9" + string(quote))
		for cut := range text {
			q := Quoted{Quote: byte(quote)}
			n, o := q.Read(text[:cut])
			if m, end := q.Read(text[cut:]); o != Hungry || end != Matched || n+m != len(text)-1 {
				t.Errorf("%q, cut at %d: the string ends at %d+%d: %v, %v", text, cut, n, m, o, end)
			}
		}
	}
}
