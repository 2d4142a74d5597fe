package emit

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote decodes a quoted JSON string while it streams, from after its opening quote to the closing one.
type unquote struct {
	quote  byte
	done   bool
	escape []byte // what has come of an escape, from its backslash on
	high   rune   // the first half of a character written as two escapes
}

// read appends to dst what t, a piece of the string, stands for.
func (u *unquote) read(dst, t []byte) []byte {
	for _, c := range t {
		switch {
		case u.done:
		case len(u.escape) == 0 && c == u.quote:
			u.done = true
		case len(u.escape) == 0 && c != '\\':
			dst = append(u.lone(dst), c)
		case len(u.escape) == 0 || len(u.escape) == 1 && c == 'u' || len(u.escape) > 1 && len(u.escape) < 5:
			u.escape = append(u.escape, c)
		case len(u.escape) == 1:
			dst = append(u.lone(dst), unescaped(c))
			u.escape = u.escape[:0]
		default:
			dst = u.unit(dst, append(u.escape, c))
			u.escape = u.escape[:0]
		}
	}
	return dst
}

// unit appends what the escape \uXXXX stands for: a character, or half of one.
func (u *unquote) unit(dst, escape []byte) []byte {
	n, err := strconv.ParseUint(string(escape[2:]), 16, 16)
	r := rune(n)
	if err != nil {
		r = utf8.RuneError
	}
	if whole := utf16.DecodeRune(u.high, r); u.high != 0 && whole != utf8.RuneError {
		u.high = 0
		return utf8.AppendRune(dst, whole)
	}
	dst = u.lone(dst)
	if utf16.IsSurrogate(r) {
		u.high = r
		return dst
	}
	return utf8.AppendRune(dst, r)
}

// lone appends a replacement for a half whose other half has not come.
func (u *unquote) lone(dst []byte) []byte {
	if u.high == 0 {
		return dst
	}
	u.high = 0
	return utf8.AppendRune(dst, utf8.RuneError)
}

// unescaped returns the character that a backslash and c stand for.
func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
