package cfg

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

func (p *parser) literal() (*Expr, error) {
	open := p.pos
	p.pos++
	var b strings.Builder
	for {
		if p.pos == len(p.src) {
			return nil, p.fail(open, "unterminated literal")
		}
		if p.take(`"`) {
			return Text(b.String()), nil
		}
		r, err := p.char()
		if err != nil {
			return nil, err
		}
		b.WriteRune(r)
	}
}

func (p *parser) class() (*Expr, error) {
	open := p.pos
	p.pos++
	negated := p.take("^")
	var ranges []charset.Range
	for {
		if p.pos == len(p.src) {
			return nil, p.fail(open, "unterminated character class")
		}
		if p.take("]") {
			break
		}
		lo, err := p.char()
		if err != nil {
			return nil, err
		}
		hi := lo
		if rest := p.src[p.pos:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			p.pos++
			if hi, err = p.char(); err != nil {
				return nil, err
			}
		}
		ranges = append(ranges, charset.Range{Lo: lo, Hi: hi})
	}
	set := charset.New(ranges...)
	if negated {
		set = set.Complement()
	}
	return Class(set), nil
}

// char reads one character of a literal or class, resolving escapes.
func (p *parser) char() (rune, error) {
	if p.src[p.pos] != '\\' {
		r, size := utf8.DecodeRuneInString(p.src[p.pos:])
		if r == utf8.RuneError && size == 1 {
			return 0, p.fail(p.pos, "invalid UTF-8")
		}
		p.pos += size
		return r, nil
	}
	if p.pos+1 == len(p.src) {
		return 0, p.fail(p.pos, "incomplete escape")
	}
	c := p.src[p.pos+1]
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]; digits > 0 {
		return p.hex(digits)
	}
	i := strings.IndexByte(`nrt"\[]`, c)
	if i < 0 {
		return 0, p.fail(p.pos, `unknown escape "\%c": use \n \r \t \" \\ \[ \] \xNN \uNNNN \UNNNNNNNN`, c)
	}
	p.pos += 2
	return rune("\n\r\t\"\\[]"[i]), nil
}

func (p *parser) hex(digits int) (rune, error) {
	at := p.pos
	p.pos += 2
	var r rune
	for range digits {
		if p.pos == len(p.src) {
			return 0, p.fail(at, "incomplete escape")
		}
		d := strings.IndexByte("0123456789abcdef", p.src[p.pos]|0x20)
		if d < 0 || p.src[p.pos] < '0' {
			return 0, p.fail(p.pos, "expected %d hexadecimal digits, found %s", digits, p.found())
		}
		r = r<<4 | rune(d)
		p.pos++
	}
	if r > utf8.MaxRune || r < 0 {
		return 0, p.fail(at, "code point above %X", utf8.MaxRune)
	}
	return r, nil
}

// space skips blanks and comments, and line breaks if lines is set.
func (p *parser) space(lines bool) {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '#':
			for p.pos < len(p.src) && p.src[p.pos] != '\n' && p.src[p.pos] != '\r' {
				p.pos++
			}
		case c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r'):
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) take(s string) bool {
	if !strings.HasPrefix(p.src[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) name() string {
	start := p.pos
	for p.pos < len(p.src) && isName(p.src[p.pos]) {
		p.pos++
	}
	return p.src[start:p.pos]
}

// found describes the character at pos for error messages.
func (p *parser) found() string {
	if p.pos == len(p.src) {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return fmt.Sprintf("%q", r)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isName(c byte) bool {
	return isDigit(c) || c == '-' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
