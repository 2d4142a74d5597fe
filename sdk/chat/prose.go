package chat

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxBlanks is the number of bytes of white space held back because they may be trailing. A longer run counts as text, which
// bounds the memory that it takes.
const maxBlanks = 4096

const blanks = " \t\r\n\v\f"

// prose is content or reasoning on its way to the client. What has been received is divided into
//
//	said … | blanks | tail
//
// the text that was delivered, white space that is delivered only when more text follows, and the first bytes of a character
// of which up to three are there. While said is empty, blanks is the indentation of the first line with text.
type prose struct {
	said   strings.Builder
	blanks []byte
	repair repair
}

// add adds a piece and returns the text that can be delivered now.
func (p *prose) add(piece []byte) string { return p.trim(p.repair.add(piece)) }

// end returns the text still to be delivered: an incomplete character and, if the engine cut the output off, trailing white
// space.
func (p *prose) end(cutOff bool) string {
	text := p.trim(p.repair.end())
	if cutOff && p.said.Len() > 0 {
		text += p.say(string(p.blanks))
		p.blanks = p.blanks[:0]
	}
	return text
}

// trim delivers text up to its trailing white space, which it holds back.
func (p *prose) trim(text []byte) string {
	if p.said.Len() == 0 {
		text = p.indent(text)
	}
	solid := bytes.TrimRight(text, blanks)
	edge := text[len(solid):]
	if len(solid) > 0 {
		text := string(p.blanks) + string(solid)
		p.blanks = append(p.blanks[:0], edge...)
		return p.say(text + p.overflow())
	}
	p.blanks = append(p.blanks, edge...)
	return p.say(p.overflow())
}

// indent drops the blank lines before the first text, and holds its indentation back, up to maxBlanks. It returns the text
// after them.
func (p *prose) indent(text []byte) []byte {
	rest := bytes.TrimLeft(text, blanks)
	edge := text[:len(text)-len(rest)]
	if line := bytes.LastIndexAny(edge, "\r\n"); line >= 0 {
		edge = edge[line+1:]
		p.blanks = p.blanks[:0]
	}
	room := maxBlanks - 1 - len(p.blanks)
	p.blanks = append(p.blanks, edge[:min(len(edge), room)]...)
	return rest
}

// overflow removes whole blocks of maxBlanks bytes from the white space held back, and returns them.
func (p *prose) overflow() string {
	n := len(p.blanks) / maxBlanks * maxBlanks
	text := string(p.blanks[:n])
	p.blanks = append(p.blanks[:0], p.blanks[n:]...)
	return text
}

// say records text as delivered, and returns it.
func (p *prose) say(text string) string {
	p.said.WriteString(text)
	return text
}

// repair replaces invalid UTF-8 by U+FFFD: one for each byte that begins no character, and one for each incomplete character.
// The result does not depend on how the text is cut into pieces.
type repair struct {
	tail []byte // the first bytes of a character, at most three
}

// add adds a piece and returns the text that is decided, which may share the memory of piece.
func (r *repair) add(piece []byte) []byte {
	if len(r.tail) == 0 && utf8.Valid(piece) {
		return piece
	}
	text := append(bytes.Clone(r.tail), piece...)
	var out []byte
	for {
		n := validPrefix(text)
		out = append(out, text[:n]...)
		text = text[n:]
		if !utf8.FullRune(text) {
			r.tail = append(r.tail[:0], text...)
			return out
		}
		out = utf8.AppendRune(out, utf8.RuneError)
		text = text[brokenPrefix(text):]
	}
}

// end returns the replacement of an incomplete character at the end of the text.
func (r *repair) end() []byte {
	if len(r.tail) == 0 {
		return nil
	}
	r.tail = r.tail[:0]
	return []byte(string(utf8.RuneError))
}

// validPrefix returns the length of the longest prefix of text that is valid UTF-8.
func validPrefix(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// brokenPrefix returns the length of the incomplete character at the start of text, at least 1.
func brokenPrefix(text []byte) int {
	n := 1
	for n < len(text) && !utf8.FullRune(text[:n+1]) {
		n++
	}
	return n
}

// whole returns a complete text, repaired.
func whole(text []byte) string {
	var r repair
	repaired := string(r.add(text))
	return repaired + string(r.end())
}
