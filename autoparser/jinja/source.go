package jinja

import (
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// canonical is a template rewritten so that gonja's lexer reads it without loss. Jinja2's own lexer decides what is
// text, what whitespace goes, and where a tag ends; what is left to gonja is unambiguous:
//
//   - whitespace control is already applied to the text, comments are gone, raw blocks are text;
//   - {{ e }} is {% value e %}: gonja's tags can be replaced, its expressions cannot;
//   - literals are lifted into a table and written as "0", "1", … (gonja has other escapes and other numbers);
//   - where two tokens could be read as one there is a blank between them.
type canonical struct {
	text     string
	literals []Value
	places   []correspondence
	last     int // the place that was asked for last
}

// correspondence says that what stands at an offset of the canonical text stood at another one in the source.
type correspondence struct{ canonical, source int }

// offset translates an offset of the canonical text. Mostly they come in order.
func (c *canonical) offset(at int) int {
	if c.last < len(c.places) && c.places[c.last].canonical <= at {
		for c.last+1 < len(c.places) && c.places[c.last+1].canonical <= at {
			c.last++
		}
		return c.places[c.last].source
	}
	c.last = max(sort.Search(len(c.places), func(i int) bool { return c.places[i].canonical > at })-1, 0)
	if len(c.places) == 0 {
		return 0
	}
	return c.places[c.last].source
}

// scanner goes through a source as Jinja2's lexer does with trim_blocks and lstrip_blocks.
type scanner struct {
	src      string
	at       int
	newLine  bool // what was read last ended a line
	last     byte // of the canonical tag so far
	out      strings.Builder
	literals []Value
	places   []correspondence
}

// normalise makes all line ends \n and drops the last one, as Jinja2 does.
func normalise(source string) string {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	source = strings.ReplaceAll(source, "\r", "\n")
	return strings.TrimSuffix(source, "\n")
}

// canonicalise rewrites a normalised source.
func canonicalise(src string) *canonical {
	s := &scanner{src: src, newLine: true, places: make([]correspondence, 0, len(src)/4)}
	s.out.Grow(len(src) + len(src)/8)
	for s.at < len(s.src) {
		s.segment()
	}
	return &canonical{text: s.out.String(), literals: s.literals, places: s.places}
}

// segment reads text up to a tag, and the tag.
func (s *scanner) segment() {
	start := s.at + nextTag(s.src[s.at:])
	if start == len(s.src) {
		s.text(s.src[s.at:])
		s.at = start
		return
	}
	kind, sign, body := s.src[start+1], s.sign(start+2), start+2
	if sign != 0 {
		body++
	}
	s.text(s.trimmedBefore(s.src[s.at:start], sign, kind == '{'))
	switch {
	case kind == '#':
		s.comment(start, body)
	case kind == '%' && s.raw(start, body):
	default:
		s.tag(start, body, kind)
	}
}

// nextTag returns the offset of the next {{, {% or {#, or the length of src.
func nextTag(src string) int {
	at := 0
	for {
		i := strings.IndexByte(src[at:], '{')
		if i < 0 || at+i+1 >= len(src) {
			return len(src)
		}
		at += i
		if c := src[at+1]; c == '{' || c == '%' || c == '#' {
			return at
		}
		at++
	}
}

// sign returns the - or + at an offset, or 0.
func (s *scanner) sign(at int) byte {
	if at < len(s.src) && (s.src[at] == '-' || s.src[at] == '+') {
		return s.src[at]
	}
	return 0
}

// trimmedBefore applies a sign, or lstrip_blocks, to the text before a tag.
func (s *scanner) trimmedBefore(t string, sign byte, variable bool) string {
	switch {
	case sign == '-':
		return strings.TrimRightFunc(t, space)
	case sign == '+' || variable:
		return t
	}
	line := strings.LastIndexByte(t, '\n') + 1
	if (line > 0 || s.newLine) && strings.TrimFunc(t[line:], space) == "" {
		return t[:line]
	}
	return t
}

// finish goes on after a tag that ended at an offset, applying a sign or trim_blocks to the text that follows.
func (s *scanner) finish(at int, sign byte, variable bool) {
	switch {
	case sign == '-':
		at = s.skipSpace(at)
	case sign != '+' && !variable && strings.HasPrefix(s.src[at:], "\n"):
		at++
	}
	s.at, s.newLine = at, at > 0 && s.src[at-1] == '\n'
}

func (s *scanner) skipSpace(at int) int {
	return len(s.src) - len(strings.TrimLeftFunc(s.src[at:], space))
}

// text writes text; what gonja could take for a tag becomes a literal.
func (s *scanner) text(t string) {
	switch {
	case t == "":
	case nextTag(t) < len(t) || strings.HasSuffix(t, "{"):
		s.mark(s.at)
		s.out.WriteString("{%text")
		s.last = 't'
		s.literal(s.at, text(t))
		s.write(s.at, "%}")
	default:
		s.out.WriteString(t)
	}
}

// comment leaves a comment out.
func (s *scanner) comment(start, body int) {
	length := strings.Index(s.src[body:], "#}")
	if length < 0 {
		reject(start, "Missing end of comment tag")
	}
	end := body + length
	s.finish(end+2, s.signBefore(end, start+2), false)
}

// signBefore returns the sign directly before an offset, if it stands at or after first.
func (s *scanner) signBefore(at, first int) byte {
	if at-1 >= first {
		return s.sign(at - 1)
	}
	return 0
}

// raw reads a raw block, if that is what begins here.
func (s *scanner) raw(start, body int) bool {
	at, ok := s.word(body, "raw")
	if !ok {
		return false
	}
	switch {
	case strings.HasPrefix(s.src[at:], "%}"):
		at += 2
	case strings.HasPrefix(s.src[at:], "-%}"):
		at = s.skipSpace(at + 3)
	default:
		return false
	}
	for from := at; ; {
		i := strings.Index(s.src[from:], "{%")
		if i < 0 {
			reject(start, "Missing end of raw directive")
		}
		from += i
		if s.endRaw(at, from) {
			return true
		}
		from += 2
	}
}

// endRaw reads the end of a raw block, if it stands at an offset; the block began at start.
func (s *scanner) endRaw(start, at int) bool {
	before, body := s.sign(at+2), at+2
	if before != 0 {
		body++
	}
	end, ok := s.word(body, "endraw")
	if !ok {
		return false
	}
	after := s.sign(end)
	if after != 0 {
		end++
	}
	if !strings.HasPrefix(s.src[end:], "%}") {
		return false
	}
	s.at, s.newLine = start, s.src[start-1] == '\n'
	s.text(s.trimmedBefore(s.src[start:at], before, false))
	s.finish(end+2, after, false)
	return true
}

// word skips blanks, a word and blanks.
func (s *scanner) word(at int, word string) (after int, ok bool) {
	at = s.skipSpace(at)
	if !strings.HasPrefix(s.src[at:], word) {
		return at, false
	}
	return s.skipSpace(at + len(word)), true
}

// tag writes the tokens of a tag or of an expression.
func (s *scanner) tag(start, at int, kind byte) {
	end := "%}"
	s.mark(start)
	s.out.WriteString("{%")
	s.last = ' '
	if kind == '{' {
		end = "}}"
		s.write(start, "value")
	} else {
		mustBeTag(start, s.src[s.skipSpace(at):])
	}
	var open []byte
	for {
		if at = s.skipSpace(at); at >= len(s.src) {
			reject(start, "unexpected end of template: the tag that begins here is not closed")
		}
		if len(open) == 0 {
			if sign, n := closing(s.src[at:], end); n > 0 {
				s.write(at, "%}")
				s.finish(at+n, sign, kind == '{')
				return
			}
		}
		at, open = s.token(at, open)
	}
}

// closing reports whether src begins with the end of a tag, with its sign.
func closing(src, end string) (sign byte, n int) {
	if strings.HasPrefix(src, end) {
		return 0, 2
	}
	if (src[0] == '-' || src[0] == '+' && end == "%}") && strings.HasPrefix(src[1:], end) {
		return src[0], 3
	}
	return 0, 0
}

// mark notes that what is written next stood at a place of the source.
func (s *scanner) mark(source int) {
	s.places = append(s.places, correspondence{s.out.Len(), source})
}

// token writes one token and returns where the next one begins, and the open brackets.
func (s *scanner) token(at int, open []byte) (int, []byte) {
	c, size := utf8.DecodeRuneInString(s.src[at:])
	switch {
	case c == '"' || c == '\'':
		value, n := scanString(s.src[at:], at)
		s.literal(at, text(value))
		return at + n, open
	case c >= '0' && c <= '9':
		value, n := scanNumber(s.src[at:], at, at > 0 && s.src[at-1] == '.')
		s.literal(at, value)
		return at + n, open
	case wordRune(c):
		end := at + len(s.src[at:]) - len(strings.TrimLeftFunc(s.src[at:], wordRune))
		s.name(at, s.src[at:end])
		return end, open
	case c < utf8.RuneSelf && strings.ContainsRune("([{", c):
		open = append(open, byte(c))
	case c < utf8.RuneSelf && strings.ContainsRune(")]}", c):
		open = closeBracket(at, open, byte(c))
	case size == 1 && operator(s.src[at:]) > 0:
		size = operator(s.src[at:])
	default:
		reject(at, "unexpected char %s", quote(string(c)))
	}
	s.write(at, s.src[at:at+size])
	return at + size, open
}

// closeBracket takes the bracket that c closes off the open ones.
func closeBracket(at int, open []byte, c byte) []byte {
	if len(open) == 0 {
		reject(at, "unexpected '%c'", c)
	}
	want := map[byte]byte{'(': ')', '[': ']', '{': '}'}[open[len(open)-1]]
	if c != want {
		reject(at, "unexpected '%c', expected '%c'", c, want)
	}
	return open[:len(open)-1]
}

// operator returns the length of the operator that src begins with, or 0.
func operator(src string) int {
	if len(src) > 1 {
		switch src[:2] {
		case "//", "**", "==", "!=", ">=", "<=":
			return 2
		}
	}
	if strings.IndexByte("+-/*%=<>.:|,~", src[0]) >= 0 {
		return 1
	}
	return 0
}

func (s *scanner) name(at int, id string) {
	if !isASCII(id) && (!isIdentifier(id) || strings.IndexFunc(id, unreadable) >= 0) {
		reject(at, "Invalid character in identifier %s", quote(id))
	}
	s.write(at, id)
}

// unreadable are the characters of identifiers that gonja does not read.
func unreadable(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// literal writes the reference to a literal.
func (s *scanner) literal(at int, v Value) {
	s.literals = append(s.literals, v)
	s.write(at, `"`+strconv.Itoa(len(s.literals)-1)+`"`)
}

// write writes a token.
func (s *scanner) write(at int, token string) {
	if couldJoin(s.last, token[0]) {
		s.out.WriteByte(' ')
	}
	s.mark(at)
	s.out.WriteString(token)
	s.last = token[len(token)-1]
}

// couldJoin reports whether a token that ends in a could be read as one with another that begins with b: two words, or
// two operators.
func couldJoin(a, b byte) bool {
	ca, cb := byteClass(a), byteClass(b)
	return ca == cb && ca != 0
}

// byteClass is 1 for words, 2 for operators and braces, and 0 for what never joins.
func byteClass(c byte) int {
	switch {
	case c >= utf8.RuneSelf, c == '_', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return 1
	case strings.IndexByte(`"()[], `, c) >= 0:
		return 0
	}
	return 2
}
