package emit

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// spelling rewrites a value as JSON while it streams, whatever the notation: other quotes become double quotes, and words
// such as True those of JSON. It also repairs what models get wrong: raw control characters within strings, backslashes
// before characters that need none, and commas after the last item. White space outside strings stays as it is.
type spelling struct {
	inside bool   // within a string
	quote  byte   // what ends the string; 0: nothing does
	escape bool   // after a backslash
	code   []byte // an escape of Python after its backslash, as far as it is read: x7 of \x7f
	word   []byte // what could still become a foreign word
	comma  []byte // a comma, and the white space after it, until something else follows

	repairs int // how many characters were valid in no notation
}

// begin resets s for another value, or for the inside of a string.
func (s *spelling) begin(inside bool) {
	*s = spelling{inside: inside, code: s.code[:0], word: s.word[:0], comma: s.comma[:0]}
}

// The words that JSON spells differently, and the quotes, of all notations.
var (
	foreignWords = slices.DeleteFunc(peg.AllNotations.Notation().Words, func(w peg.Word) bool { return w.Text == w.JSON })
	quotes       = scan.SetOf(peg.AllNotations.Notation().Quotes)
)

// rewrite appends t, the next piece of the value, to dst. A foreign word and a backslash are held until it is clear what
// they begin.
func (s *spelling) rewrite(dst, t []byte) []byte {
	for len(t) > 0 {
		n := s.keep(t)
		dst = append(dst, t[:n]...)
		if t = t[n:]; len(t) > 0 {
			dst = s.byte(dst, t[0])
			t = t[1:]
		}
	}
	return dst
}

// keep reads the beginning of t that stays as it is, and returns its length: all of t, most of the time.
func (s *spelling) keep(t []byte) int {
	if s.escape || len(s.code) > 0 || len(s.word) > 0 || len(s.comma) > 0 {
		return 0
	}
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case s.inside && scan.IsPlain(c):
			for i+1 < len(t) && scan.IsPlain(t[i+1]) {
				i++
			}
		case !s.inside && !specialOutside.Has(c):
		case c == '"' && (!s.inside || s.quote == c):
			s.inside, s.quote = !s.inside, c
		case s.inside && c == '\\' && i+1 < len(t) && isEscape(t[i+1]):
			i++
		case !s.inside && c == ',':
			next := i + 1 + scan.BlankPrefix(t[i+1:])
			if next == len(t) || isCloser(t[next]) {
				return i
			}
			i = next - 1
		case !s.inside || c == '"' || !quotes.Has(c) || s.quote == c:
			return i
		}
	}
	return len(t)
}

// end appends what is held at the end of the value.
func (s *spelling) end(dst []byte) []byte {
	if s.escape { // a backslash at the end
		s.escape = false
		s.repairs++
		return append(dst, '\\', '\\')
	}
	return s.endComma(s.endWord(s.endCode(dst)))
}

func (s *spelling) byte(dst []byte, c byte) []byte {
	if len(s.code) > 0 {
		if isHex(c) {
			return s.digit(dst, c)
		}
		dst = s.endCode(dst)
	}
	switch {
	case s.escape && codeDigits(c) > 0:
		s.escape, s.code = false, append(s.code, c)
		return dst
	case s.escape:
		s.escape = false
		if !isEscape(c) && !quotes.Has(c) {
			s.repairs++
		}
		return appendEscape(dst, c)
	case !s.inside:
		return s.outside(dst, c)
	case c == s.quote && c != 0:
		s.inside = false
		return append(dst, '"')
	case c == '\\':
		s.escape = true
		return dst
	}
	if c < ' ' {
		s.repairs++
	}
	return appendEscaped(dst, c)
}

// digit reads a digit of a character's code. The last one completes the character.
func (s *spelling) digit(dst []byte, c byte) []byte {
	if s.code = append(s.code, c); len(s.code) <= codeDigits(s.code[0]) {
		return dst
	}
	n, err := strconv.ParseUint(string(s.code[1:]), 16, 32)
	if err != nil || n > unicode.MaxRune {
		n = unicode.ReplacementChar
	}
	s.code = s.code[:0]
	return appendText(dst, utf8.AppendRune(nil, rune(n)))
}

// endCode appends what is held of an escape that is none.
func (s *spelling) endCode(dst []byte) []byte {
	if len(s.code) == 0 {
		return dst
	}
	s.repairs++
	dst = append(append(dst, '\\', '\\'), s.code...)
	s.code = s.code[:0]
	return dst
}

// codeDigits returns how many hexadecimal digits follow a letter in the escapes that Python has and JSON has not.
func codeDigits(c byte) int {
	switch c {
	case 'x':
		return 2
	case 'U':
		return 8
	}
	return 0
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func (s *spelling) outside(dst []byte, c byte) []byte {
	if len(s.comma) > 0 {
		if scan.IsJSONSpace(c) && len(s.comma) < maxBlanks {
			s.comma = append(s.comma, c)
			return dst
		}
		if isCloser(c) {
			s.repairs++
			s.comma = s.comma[:copy(s.comma, s.comma[1:])]
		}
		dst = s.endComma(dst)
	}
	if s.word = append(s.word, c); isWordStart(s.word) {
		return dst
	}
	s.word = s.word[:len(s.word)-1]
	dst = s.endWord(dst)
	switch {
	case quotes.Has(c):
		s.inside, s.quote = true, c
		return append(dst, '"')
	case c == ',':
		s.comma = append(s.comma, c)
		return dst
	}
	return append(dst, c)
}

// maxBlanks is how much white space after a comma is held.
const maxBlanks = 64

// endComma appends the comma that is held.
func (s *spelling) endComma(dst []byte) []byte {
	dst = append(dst, s.comma...)
	s.comma = s.comma[:0]
	return dst
}

func isCloser(c byte) bool { return c == '}' || c == ']' }

// endWord appends the word that is held, in the spelling of JSON.
func (s *spelling) endWord(dst []byte) []byte {
	word := s.word
	s.word = s.word[:0]
	for _, w := range foreignWords {
		if string(word) == w.Text {
			return append(dst, w.JSON...)
		}
	}
	return append(dst, word...)
}

func isWordStart(t []byte) bool {
	return slices.ContainsFunc(foreignWords, func(w peg.Word) bool { return len(t) <= len(w.Text) && w.Text[:len(t)] == string(t) })
}

// specialOutside holds the bytes outside strings that may not be JSON. Within strings they are those that are not plain.
var specialOutside = outside()

func outside() scan.ByteSet {
	s := quotes
	s.Add(',')
	for _, w := range foreignWords {
		s.Add(w.Text[0])
	}
	return s
}

// appendEscape appends the escape sequence of a backslash and c. A quote that JSON does not escape loses its backslash;
// before anything else that JSON does not escape, the backslash stands for itself.
func appendEscape(dst []byte, c byte) []byte {
	switch {
	case isEscape(c):
		return append(dst, '\\', c)
	case quotes.Has(c):
		return append(dst, c)
	}
	return appendEscaped(append(dst, '\\', '\\'), c)
}

// isEscape reports whether a backslash and c are an escape sequence of JSON.
func isEscape(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't', 'u':
		return true
	}
	return false
}

const hexDigits = "0123456789abcdef"

// appendEscaped appends c as it is written within a JSON string.
func appendEscaped(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\t':
		return append(dst, '\\', 't')
	case c == '\r':
		return append(dst, '\\', 'r')
	case c < ' ':
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

// appendText appends t as it is written within a JSON string.
func appendText(dst, t []byte) []byte {
	for len(t) > 0 {
		n := plainPrefix(t)
		dst = append(dst, t[:n]...)
		if t = t[n:]; len(t) > 0 {
			dst = appendEscaped(dst, t[0])
			t = t[1:]
		}
	}
	return dst
}

// plainPrefix returns how many bytes of t need no escape in a JSON string.
func plainPrefix(t []byte) int {
	for i, c := range t {
		if !scan.IsPlain(c) && c != '\'' {
			return i
		}
	}
	return len(t)
}
