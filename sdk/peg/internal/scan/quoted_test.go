package scan

import "testing"

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
