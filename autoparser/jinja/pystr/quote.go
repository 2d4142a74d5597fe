package pystr

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote is Python's repr of a string: in single quotes, unless the string contains those and no
// double quotes.
func Quote(s string) string {
	q := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = '"'
	}
	b := make([]byte, 0, len(s)+2)
	b = append(b, q)
	for _, c := range s {
		b = appendQuoted(b, c, rune(q))
	}
	return string(append(b, q))
}

func appendQuoted(b []byte, c, q rune) []byte {
	switch {
	case c == q || c == '\\':
		return append(b, '\\', byte(c))
	case c == '\n':
		return append(b, '\\', 'n')
	case c == '\r':
		return append(b, '\\', 'r')
	case c == '\t':
		return append(b, '\\', 't')
	case c == ' ' || unicode.IsPrint(c):
		return utf8.AppendRune(b, c)
	case c < 0x100:
		return fmt.Appendf(b, `\x%02x`, c)
	case c < 0x10000:
		return fmt.Appendf(b, `\u%04x`, c)
	}
	return fmt.Appendf(b, `\U%08x`, c)
}
