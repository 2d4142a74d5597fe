package syntax

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
)

// The numbers of Jinja2's lexer, as regular expressions.
var (
	floatLiteral   = regexp.MustCompile(`^(?i)(\d+_)*\d+((\.(\d+_)*\d+)?e[+\-]?(\d+_)*\d+|\.(\d+_)*\d+)`)
	integerLiteral = regexp.MustCompile(`^(?i)(0b(_?[0-1])+|0o(_?[0-7])+|0x(_?[\da-f])+|[1-9](_?\d)*|0(_?0)*)`)
)

// numberLength returns the kind and the length of the number that src begins with. at is its
// offset. After a dot there are only integers: a.1.2 is two positions.
func numberLength(src string, at int, afterDot bool) (tokens.Type, int) {
	if n := plainDigits(src); n > 0 {
		return tokens.Integer, n
	}
	head := src[:min(len(src), 2*value.MaxDigits)]
	if s := floatLiteral.FindString(head); s != "" && !afterDot {
		return tokens.Float, len(s)
	}
	n := len(integerLiteral.FindString(head))
	if n > value.MaxDigits {
		failure.Reject(at, "this is an integer of more than %d digits", value.MaxDigits)
	}
	return tokens.Integer, n
}

// plainDigits returns the length of the integer that src begins with if it is short and in plain
// decimal, and 0 otherwise.
func plainDigits(src string) int {
	n := 0
	for n < len(src) && src[n] >= '0' && src[n] <= '9' {
		n++
	}
	unusual := n > 18 || n > 1 && src[0] == '0' || n < len(src) && (src[n] == '.' || src[n] >= utf8.RuneSelf || pystr.IsWordByte(src[n]))
	if unusual {
		return 0
	}
	return n
}

// numberValue converts a number.
func numberValue(kind tokens.Type, spelling string, at int) value.Value {
	if kind == tokens.Float {
		f, _ := strconv.ParseFloat(strings.ReplaceAll(spelling, "_", ""), 64)
		return value.Float(f)
	}
	if plainDigits(spelling) == len(spelling) {
		n, _ := strconv.ParseInt(spelling, 10, 64)
		return value.Int(n)
	}
	digits := strings.ReplaceAll(spelling, "_", "")
	if strings.Trim(digits, "0") == "" {
		return value.Int(0)
	}
	n, ok := new(big.Int).SetString(digits, 0)
	if !ok {
		failure.Reject(at, "this is no integer: %s", pystr.Quote(spelling))
	}
	return value.IntOf(n)
}

// stringLength returns the length of the string literal that src begins with. at is its offset.
func stringLength(src string, at int) int {
	q := src[0]
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case q:
			return i + 1
		}
	}
	failure.Reject(at, "unexpected char %s: the string that begins here is not closed", pystr.Quote(string(q)))
	return 0
}

// plainEscapes are the escapes of one character.
var plainEscapes = map[byte]string{
	'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// unescape replaces the escapes of a Python string. Unknown ones are kept.
func unescape(s string, at int) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		plain, known := plainEscapes[rest[0]]
		switch c := rest[0]; {
		case known:
			b.WriteString(plain)
			s = rest[1:]
		case c == 'x' || c == 'u' || c == 'U':
			n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			b.WriteRune(codePoint(rest[1:], n, 16, at))
			s = rest[1+n:]
		case c >= '0' && c <= '7':
			n := len(rest) - len(strings.TrimLeft(rest, "01234567"))
			b.WriteRune(codePoint(rest, min(n, 3), 8, at))
			s = rest[min(n, 3):]
		case c == 'N':
			failure.Reject(at, `\N{…} is not supported: write the character itself`)
		default:
			b.WriteByte('\\')
			s = rest
		}
	}
}

// codePoint returns the character given by n digits.
func codePoint(s string, n, base, at int) rune {
	if len(s) < n {
		failure.Reject(at, "truncated escape in a string")
	}
	v, err := strconv.ParseUint(s[:n], base, 32)
	if err != nil || !utf8.ValidRune(rune(v)) {
		failure.Reject(at, "illegal escape in a string: %s", pystr.Quote(s[:n]))
	}
	return rune(v)
}
