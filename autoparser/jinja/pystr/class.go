package pystr

import (
	"unicode"
	"unicode/utf8"
)

// IsWord reports whether c matches \w in Python's regular expressions.
func IsWord(c rune) bool {
	if c < utf8.RuneSelf {
		return IsWordByte(byte(c))
	}
	return unicode.IsLetter(c) || IsNumeric(c)
}

// IsWordByte is IsWord for ASCII.
func IsWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// IsPrintable is str.isprintable of one character.
func IsPrintable(c rune) bool { return c == ' ' || unicode.IsPrint(c) }

// IsIdentifier reports whether s is a Python identifier.
func IsIdentifier(s string) bool {
	for i, c := range s {
		if c == '_' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c) {
			continue
		}
		if i == 0 || !(unicode.Is(unicode.Nd, c) || unicode.In(c, unicode.Mn, unicode.Mc, unicode.Pc)) {
			return false
		}
	}
	return s != ""
}
