package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Escape writes s as the inside of a string between quotes.
func Escape(s string, quote rune) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == quote || r == '\\' || r == utf8.RuneError }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteString(EscapeChar(r, quote))
	}
	return b.String()
}

func EscapeChar(r, quote rune) string {
	if i := strings.IndexRune("\b\f\n\r\t", r); i >= 0 {
		return `\` + "bfnrt"[i:i+1]
	}
	switch {
	case r == quote || r == '\\':
		return `\` + string(r)
	case r < ' ':
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}
