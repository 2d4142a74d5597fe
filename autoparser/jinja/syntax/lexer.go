package syntax

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
)

// scanner converts a source to tokens of gonja's, as Jinja2's lexer does with trim_blocks and
// lstrip_blocks:
//
//   - white space control is applied to the text, comments are removed, raw blocks are text;
//   - {{ e }} is a tag: gonja's tags can be replaced, its expressions cannot;
//   - all words are names; strings and numbers keep their spelling.
type scanner struct {
	src     string
	at      int
	newLine bool            // the text before at ended with a line break
	open    []byte          // brackets of the current tag that are not closed yet
	starts  []int           // offsets of all tags
	tokens  []*tokens.Token // the first read are in use
	read    int
}

// Normalize converts all line ends to \n and drops the last one, as Jinja2 does.
func Normalize(source string) string {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	source = strings.ReplaceAll(source, "\r", "\n")
	return strings.TrimSuffix(source, "\n")
}

// scanners pools the tokens of finished compilations, which take as much memory as the rest of a
// compilation.
var scanners = sync.Pool{New: func() any { return &scanner{} }}

// scan converts a normalized source.
func scan(src string) *scanner {
	s := scanners.Get().(*scanner)
	*s = scanner{src: src, newLine: true, open: s.open[:0], starts: s.starts[:0], tokens: s.tokens}
	for s.at < len(s.src) {
		s.segment()
	}
	s.emit(tokens.EOF, len(src), "")
	return s
}

// keptTokens is the largest number of tokens to pool.
const keptTokens = 1 << 14

// release returns the tokens to the pool.
func (s *scanner) release() {
	if len(s.tokens) > keptTokens {
		return
	}
	for _, t := range s.tokens[:s.read] {
		*t = tokens.Token{}
	}
	s.src = ""
	scanners.Put(s)
}

// emit appends a token.
func (s *scanner) emit(kind tokens.Type, at int, spelling string) {
	if s.read == len(s.tokens) {
		room := make([]tokens.Token, 256)
		for i := range room {
			s.tokens = append(s.tokens, &room[i])
		}
	}
	t := s.tokens[s.read]
	t.Type, t.Pos, t.Val = kind, at, spelling
	s.read++
}

// segment reads the text up to a tag, and the tag.
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

// trimmedBefore applies the sign of a tag, or lstrip_blocks, to the text before it.
func (s *scanner) trimmedBefore(t string, sign byte, variable bool) string {
	switch {
	case sign == '-':
		return strings.TrimRightFunc(t, pystr.IsSpace)
	case sign == '+' || variable:
		return t
	}
	line := strings.LastIndexByte(t, '\n') + 1
	if (line > 0 || s.newLine) && strings.TrimFunc(t[line:], pystr.IsSpace) == "" {
		return t[:line]
	}
	return t
}

// finish continues after a tag that ended at an offset, applying a sign or trim_blocks to the text
// that follows.
func (s *scanner) finish(at int, sign byte, variable bool) {
	switch {
	case sign == '-':
		at = s.skipSpace(at)
	case sign != '+' && !variable && strings.HasPrefix(s.src[at:], "\n"):
		at++
	}
	s.at, s.newLine = at, at > 0 && s.src[at-1] == '\n'
}

// skipSpace returns the offset of the next character that is not white space.
func (s *scanner) skipSpace(at int) int {
	for at < len(s.src) && s.src[at] == ' ' {
		at++
	}
	if at == len(s.src) || s.src[at] > ' ' && s.src[at] < utf8.RuneSelf { // the usual case
		return at
	}
	return len(s.src) - len(strings.TrimLeftFunc(s.src[at:], pystr.IsSpace))
}

// text emits text unless it is empty.
func (s *scanner) text(t string) {
	if t != "" {
		s.emit(tokens.Data, s.at, t)
	}
}

// comment skips a comment.
func (s *scanner) comment(start, body int) {
	if body == len(s.src) { // Jinja2 accepts a comment that the source ends right after opening
		s.at = body
		return
	}
	length := strings.Index(s.src[body:], "#}")
	if length < 0 {
		failure.Reject(start, "Missing end of comment tag")
	}
	end := body + length
	s.finish(end+2, s.signBefore(end, body), false)
}

// signBefore returns the sign directly before an offset, if it is at or after first.
func (s *scanner) signBefore(at, first int) byte {
	if at-1 >= first {
		return s.sign(at - 1)
	}
	return 0
}

// raw reads a raw block and reports whether there is one at start.
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
	if at == len(s.src) { // accepted, as for comments
		s.at = at
		return true
	}
	for from := at; ; {
		i := strings.Index(s.src[from:], "{%")
		if i < 0 {
			failure.Reject(start, "Missing end of raw directive")
		}
		from += i
		if s.endRaw(at, from) {
			return true
		}
		from += 2
	}
}

// endRaw reads the end of a raw block that began at start and reports whether there is one at an
// offset.
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

// word skips white space, a word and white space, and reports whether the word is there.
func (s *scanner) word(at int, word string) (after int, ok bool) {
	at = s.skipSpace(at)
	if !strings.HasPrefix(s.src[at:], word) {
		return at, false
	}
	return s.skipSpace(at + len(word)), true
}

// tag reads the tokens of a tag or of {{ … }}.
func (s *scanner) tag(start, at int, kind byte) {
	end := "%}"
	s.starts = append(s.starts, start)
	s.emit(tokens.BlockBegin, start, "{%")
	if kind == '{' {
		end = "}}"
		s.emit(tokens.Name, start, valueTag)
	} else {
		mustBeTag(start, s.src[s.skipSpace(at):])
	}
	s.open = s.open[:0]
	for {
		if at = s.skipSpace(at); at >= len(s.src) {
			failure.Reject(start, "unexpected end of template: the tag that begins here is not closed")
		}
		if len(s.open) == 0 {
			if sign, n := closing(s.src[at:], end); n > 0 {
				s.emit(tokens.BlockEnd, at, "%}")
				s.finish(at+n, sign, kind == '{')
				return
			}
		}
		at = s.token(at)
	}
}

// closing returns the sign and the length of the end of a tag that src begins with; n is 0 if there
// is none.
func closing(src, end string) (sign byte, n int) {
	if strings.HasPrefix(src, end) {
		return 0, 2
	}
	if (src[0] == '-' || src[0] == '+' && end == "%}") && strings.HasPrefix(src[1:], end) {
		return src[0], 3
	}
	return 0, 0
}

// token reads one token and returns its end.
func (s *scanner) token(at int) int {
	kind := tokens.Name
	var n int
	switch c := s.src[at]; {
	case c == '"' || c == '\'':
		kind, n = tokens.String, stringLength(s.src[at:], at)
	case c >= '0' && c <= '9':
		kind, n = numberLength(s.src[at:], at, s.src[at-1] == '.')
	default:
		if n = wordLength(s.src[at:]); n > 0 {
			mustBeIdentifier(at, s.src[at:at+n])
			break
		}
		if kind, n = operator(s.src[at:]); n == 0 {
			c, _ := utf8.DecodeRuneInString(s.src[at:])
			failure.Reject(at, "unexpected char %s", pystr.Quote(string(c)))
		}
		s.balance(at, kind)
	}
	s.emit(kind, at, s.src[at:at+n])
	return at + n
}

// wordLength returns the length of the word that src begins with, or 0.
func wordLength(src string) int {
	for i := range len(src) {
		switch c := src[i]; {
		case c >= utf8.RuneSelf:
			return len(src) - len(strings.TrimLeftFunc(src, pystr.IsWord))
		case !pystr.IsWordByte(c):
			return i
		}
	}
	return len(src)
}

// mustBeIdentifier rejects words that are not identifiers in Python.
func mustBeIdentifier(at int, id string) {
	if !pystr.IsASCII(id) && !pystr.IsIdentifier(id) {
		failure.Reject(at, "Invalid character in identifier %s", pystr.Quote(id))
	}
}

// balance keeps track of brackets.
func (s *scanner) balance(at int, kind tokens.Type) {
	switch kind {
	case tokens.LeftParenthesis, tokens.LeftBracket, tokens.LeftBrace:
		s.open = append(s.open, s.src[at])
	case tokens.RightParenthesis, tokens.RightBracket, tokens.RightBrace:
		s.closeBracket(at, s.src[at])
	}
}

// closeBracket matches the closing bracket c with the last open one.
func (s *scanner) closeBracket(at int, c byte) {
	if len(s.open) == 0 {
		failure.Reject(at, "unexpected '%c'", c)
	}
	last := len(s.open) - 1
	if want := ")]}"[strings.IndexByte("([{", s.open[last])]; c != want {
		failure.Reject(at, "unexpected '%c', expected '%c'", c, want)
	}
	s.open = s.open[:last]
}
