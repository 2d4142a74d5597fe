package syntax

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/pystr"
)

// scanner makes gonja's tokens of a source, as Jinja2's lexer does with trim_blocks and lstrip_blocks. gonja's own lexer
// has other whitespace, other escapes and other numbers; to its parser the tokens are as good as its own:
//
//   - whitespace control is already applied to the text, comments are gone, raw blocks are text;
//   - {{ e }} is a tag: gonja's tags can be replaced, its expressions cannot;
//   - all words are names; strings and numbers are spelled as in the source.
type scanner struct {
	src     string
	at      int
	newLine bool            // what was read last ended a line
	open    []byte          // brackets of the current tag that are not closed yet
	starts  []int           // of all tags
	tokens  []*tokens.Token // the first of them are read; the others are room
	read    int
}

// Normalize makes all line ends \n and drops the last one, as Jinja2 does.
func Normalize(source string) string {
	source = strings.ReplaceAll(source, "\r\n", "\n")
	source = strings.ReplaceAll(source, "\r", "\n")
	return strings.TrimSuffix(source, "\n")
}

// scanners keeps the memory of the tokens of finished compilations: it is as much as all else that a compilation takes.
var scanners = sync.Pool{New: func() any { return &scanner{} }}

// scan reads a normalised source.
func scan(src string) *scanner {
	s := scanners.Get().(*scanner)
	*s = scanner{src: src, newLine: true, open: s.open[:0], starts: s.starts[:0], tokens: s.tokens}
	for s.at < len(s.src) {
		s.segment()
	}
	s.emit(tokens.EOF, len(src), "")
	return s
}

// keptTokens is the largest number of tokens whose memory is worth keeping.
const keptTokens = 1 << 14

// release gives the memory of the tokens to the next compilation.
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

// emit adds a token.
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
	for at < len(s.src) && s.src[at] == ' ' {
		at++
	}
	if at == len(s.src) || s.src[at] > ' ' && s.src[at] < utf8.RuneSelf { // as nearly always
		return at
	}
	return len(s.src) - len(strings.TrimLeftFunc(s.src[at:], pystr.IsSpace))
}

// text adds text.
func (s *scanner) text(t string) {
	if t != "" {
		s.emit(tokens.Data, s.at, t)
	}
}

// comment leaves a comment out.
func (s *scanner) comment(start, body int) {
	if body == len(s.src) { // Jinja2 misses the end of a comment only if the comment has begun
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
	if at == len(s.src) { // as with comments
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

// tag reads the tokens of a tag or of an expression.
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

// token reads one token and returns where it ends.
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

// wordLength is the length of the word that src begins with, or 0.
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

func mustBeIdentifier(at int, id string) {
	if !pystr.IsASCII(id) && !pystr.IsIdentifier(id) {
		failure.Reject(at, "Invalid character in identifier %s", pystr.Quote(id))
	}
}

// balance opens and closes brackets.
func (s *scanner) balance(at int, kind tokens.Type) {
	switch kind {
	case tokens.LeftParenthesis, tokens.LeftBracket, tokens.LeftBrace:
		s.open = append(s.open, s.src[at])
	case tokens.RightParenthesis, tokens.RightBracket, tokens.RightBrace:
		s.closeBracket(at, s.src[at])
	}
}

// closeBracket takes the bracket that c closes off the open ones.
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
