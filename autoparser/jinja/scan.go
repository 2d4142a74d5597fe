package jinja

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rewrite turns a Jinja2 source (trim_blocks, lstrip_blocks, keep_trailing_newline=False)
// into a canonical source that gonja lexes without loss:
//   - whitespace control is already applied to the text,
//   - comments are gone, raw blocks are text,
//   - {{ e }} is {% print_ e %} (gonja cannot parse a conditional expression nested
//     in {{ }} arguments, and its {{ }} grammar is not replaceable; its tags are),
//   - string literals are replaced by "N", an index into pool (gonja mangles escapes),
//   - newlines inside tags are blanks (gonja's lexer only knows ' ' and '\t').
func rewrite(src string) (out string, pool []string, err error) {
	src = strings.ReplaceAll(src, "\r\n", "\n")
	src = strings.ReplaceAll(src, "\r", "\n")
	src = strings.TrimSuffix(src, "\n")
	var b strings.Builder
	b.Grow(len(src) + len(src)/8)
	intern := func(s string) int { pool = append(pool, s); return len(pool) - 1 }
	emitText := func(t string) {
		if t == "" {
			return
		}
		if strings.Contains(t, "{{") || strings.Contains(t, "{%") || strings.Contains(t, "{#") || strings.HasSuffix(t, "{") {
			fmt.Fprintf(&b, `{%% data_ "%d" %%}`, intern(t))
			return
		}
		b.WriteString(t)
	}
	pos := 0
	lineStarting := true
	prepText := func(t string, sign byte, variable bool) string {
		switch {
		case sign == '-':
			return strings.TrimRightFunc(t, unicode.IsSpace)
		case sign != '+' && !variable:
			l := strings.LastIndexByte(t, '\n') + 1
			if l > 0 || lineStarting {
				if strings.TrimSpace(t[l:]) == "" {
					return t[:l]
				}
			}
		}
		return t
	}
	signAt := func(p int) byte {
		if p < len(src) && (src[p] == '-' || src[p] == '+') {
			return src[p]
		}
		return 0
	}
	skipSpace := func(p int) int {
		for p < len(src) {
			r, w := utf8.DecodeRuneInString(src[p:])
			if !unicode.IsSpace(r) {
				break
			}
			p += w
		}
		return p
	}
	// after the end delimiter: apply -, +, trim_blocks
	afterEnd := func(p int, sign byte, variable bool) int {
		q := p
		switch {
		case sign == '-':
			q = skipSpace(p)
		case !variable && sign != '+' && p < len(src) && src[p] == '\n':
			q = p + 1
		}
		lineStarting = q > 0 && src[q-1] == '\n'
		return q
	}
	for pos < len(src) {
		// find next delimiter
		i := pos
		for {
			j := strings.IndexByte(src[i:], '{')
			if j < 0 || i+j+1 >= len(src) {
				i = -1
				break
			}
			i += j
			if c := src[i+1]; c == '{' || c == '%' || c == '#' {
				break
			}
			i++
		}
		if i < 0 {
			emitText(src[pos:])
			break
		}
		kind := src[i+1]
		sign := signAt(i + 2)
		body := i + 2
		if sign != 0 && !(kind == '{' && sign == '+') {
			body++
		} else if kind == '{' && sign == '+' {
			// jinja2 accepts {{+ as "no lstrip"; variables are never lstripped
			body++
		}
		text := prepText(src[pos:i], sign, kind == '{')
		emitText(text)
		switch kind {
		case '#':
			e := strings.Index(src[body:], "#}")
			if e < 0 {
				return "", nil, fmt.Errorf("missing end of comment tag")
			}
			e += body
			var s byte
			if e-1 >= i+2 && (src[e-1] == '-' || src[e-1] == '+') {
				s = src[e-1]
			}
			pos = afterEnd(e+2, s, false)
			continue
		case '%':
			// raw?
			p := skipSpace(body)
			if strings.HasPrefix(src[p:], "raw") {
				q := skipSpace(p + 3)
				var s byte
				ok := false
				if strings.HasPrefix(src[q:], "%}") {
					ok, q = true, q+2
				} else if strings.HasPrefix(src[q:], "-%}") {
					ok, s, q = true, '-', q+3
				}
				if ok {
					if s == '-' {
						q = skipSpace(q)
					}
					// find endraw
					r := q
					for {
						k := strings.Index(src[r:], "{%")
						if k < 0 {
							return "", nil, fmt.Errorf("missing end of raw directive")
						}
						k += r
						es := signAt(k + 2)
						m := k + 2
						if es != 0 {
							m++
						}
						m = skipSpace(m)
						if strings.HasPrefix(src[m:], "endraw") {
							m = skipSpace(m + 6)
							var ends byte
							if c := signAt(m); c != 0 {
								ends = c
								m++
							}
							if strings.HasPrefix(src[m:], "%}") {
								lineStarting = src[q-1] == '\n'
								emitText(prepText(src[q:k], es, false))
								pos = afterEnd(m+2, ends, false)
								break
							}
						}
						r = k + 2
					}
					continue
				}
			}
		}
		// expression segment
		end := "%}"
		if kind == '{' {
			end = "}}"
			b.WriteString("{% print_ ")
		} else {
			b.WriteString("{% ")
		}
		p := skipSpace(body)
		var stack []byte
		closed := false
		for p < len(src) {
			if len(stack) == 0 {
				if strings.HasPrefix(src[p:], end) {
					b.WriteString(" %}")
					pos = afterEnd(p+2, 0, kind == '{')
					closed = true
					break
				}
				if (src[p] == '-' || (src[p] == '+' && kind == '%')) && strings.HasPrefix(src[p+1:], end) {
					b.WriteString(" %}")
					pos = afterEnd(p+3, src[p], kind == '{')
					closed = true
					break
				}
			}
			c := src[p]
			switch {
			case c == '\'' || c == '"':
				q := p + 1
				for q < len(src) && src[q] != c {
					if src[q] == '\\' {
						q++
					}
					q++
				}
				if q >= len(src) {
					return "", nil, fmt.Errorf("unexpected char %q: unterminated string", c)
				}
				s, uerr := pyUnescape(src[p+1 : q])
				if uerr != nil {
					return "", nil, uerr
				}
				fmt.Fprintf(&b, ` "%d" `, intern(s))
				p = q + 1
			case c == '(' || c == '[' || c == '{':
				stack = append(stack, c)
				b.WriteByte(c)
				p++
			case c == ')' || c == ']' || c == '}':
				if len(stack) == 0 {
					return "", nil, fmt.Errorf("unexpected '%c'", c)
				}
				o := stack[len(stack)-1]
				if (o == '(' && c != ')') || (o == '[' && c != ']') || (o == '{' && c != '}') {
					return "", nil, fmt.Errorf("unexpected '%c'", c)
				}
				stack = stack[:len(stack)-1]
				b.WriteByte(c)
				p++
			case c < utf8.RuneSelf:
				switch {
				case c == '\n' || c == '\r' || c == '\f' || c == '\v':
					b.WriteByte(' ')
				case c == '!' && p+1 < len(src) && src[p+1] == '=',
					strings.IndexByte(" \t.,:|~+-*/%<>=_", c) >= 0,
					c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
					b.WriteByte(c)
				case c == ';':
					return "", nil, fmt.Errorf("unexpected ';'")
				default:
					return "", nil, fmt.Errorf("unexpected char %q", c)
				}
				p++
			default:
				r, w := utf8.DecodeRuneInString(src[p:])
				if unicode.IsSpace(r) {
					b.WriteByte(' ')
				} else if unicode.IsLetter(r) || unicode.IsDigit(r) {
					b.WriteString(src[p : p+w])
				} else {
					return "", nil, fmt.Errorf("unexpected char %q", r)
				}
				p += w
			}
		}
		if !closed {
			return "", nil, fmt.Errorf("unexpected end of template")
		}
	}
	return b.String(), pool, nil
}

// pyUnescape decodes a Python string literal body as jinja2 does
// (s.encode("ascii","backslashreplace").decode("unicode-escape")).
func pyUnescape(s string) (string, error) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' {
			b.WriteByte(c)
			i++
			continue
		}
		i++
		if i >= len(s) {
			return "", fmt.Errorf("trailing backslash in string")
		}
		hex := func(n int) error {
			if i+1+n > len(s) {
				return fmt.Errorf("truncated escape")
			}
			v := 0
			for _, h := range []byte(s[i+1 : i+1+n]) {
				switch {
				case h >= '0' && h <= '9':
					v = v*16 + int(h-'0')
				case h >= 'a' && h <= 'f':
					v = v*16 + int(h-'a') + 10
				case h >= 'A' && h <= 'F':
					v = v*16 + int(h-'A') + 10
				default:
					return fmt.Errorf("bad escape")
				}
			}
			b.WriteRune(rune(v))
			i += 1 + n
			return nil
		}
		var err error
		switch s[i] {
		case '\n':
			i++
		case '\\', '\'', '"':
			b.WriteByte(s[i])
			i++
		case 'a':
			b.WriteByte(7)
			i++
		case 'b':
			b.WriteByte(8)
			i++
		case 'f':
			b.WriteByte(12)
			i++
		case 'n':
			b.WriteByte(10)
			i++
		case 'r':
			b.WriteByte(13)
			i++
		case 't':
			b.WriteByte(9)
			i++
		case 'v':
			b.WriteByte(11)
			i++
		case 'x':
			err = hex(2)
		case 'u':
			err = hex(4)
		case 'U':
			err = hex(8)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v, n := 0, 0
			for n < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7' {
				v = v*8 + int(s[i]-'0')
				i++
				n++
			}
			b.WriteRune(rune(v))
		default:
			b.WriteByte('\\')
			_, w := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+w])
			i += w
		}
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}
