package chat

import (
	"bytes"
	"unicode/utf8"
)

// maxBlanks is the number of bytes of white space held back because they may be trailing. A longer run counts as text, which
// bounds the memory that it takes.
const maxBlanks = 4096

const blanks = " \t\r\n\v\f"

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// prose is content or reasoning on its way to the client. What has been received is divided into
//
//	delivered … | blanks | tail
//
// the text that was delivered, white space that is delivered only when more text follows, and the first bytes of a character
// of which up to three are there. While nothing is delivered, blanks is the indentation of the first line with text.
type prose struct {
	text   []byte // what was delivered, as far as it is kept
	begun  bool   // something was delivered
	from   int    // where what is held begins in the output
	blanks []byte
	repair repair
}

// held returns how many bytes are held back.
func (p *prose) held() int { return len(p.blanks) + len(p.repair.tail) }

// add adds a piece, and delivers what it decides.
func (p *prose) add(piece []byte) {
	if n := len(piece); n > 0 && p.begun && !isBlank(piece[n-1]) && p.held() == 0 && utf8.Valid(piece) { // most of the time
		p.text = append(p.text, piece...)
		return
	}
	p.trim(p.repair.add(piece))
}

// end delivers the rest: an incomplete character and, if the engine cut the output off, trailing white space.
func (p *prose) end(cutOff bool) {
	p.trim(p.repair.end())
	if cutOff && p.begun {
		p.text = append(p.text, p.blanks...)
		p.blanks = p.blanks[:0]
	}
}

// trim delivers text up to its trailing white space, which it holds back.
func (p *prose) trim(text []byte) {
	if !p.begun {
		text = p.indent(text)
	}
	solid := len(text)
	for solid > 0 && isBlank(text[solid-1]) {
		solid--
	}
	if solid > 0 {
		p.begun = true
		p.text = append(append(p.text, p.blanks...), text[:solid]...)
		p.blanks = p.blanks[:0]
	}
	if solid < len(text) {
		p.blanks = append(p.blanks, text[solid:]...)
		p.overflow()
	}
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

// overflow delivers whole blocks of maxBlanks bytes of the white space held back.
func (p *prose) overflow() {
	if n := len(p.blanks) / maxBlanks * maxBlanks; n > 0 {
		p.begun = true
		p.text = append(p.text, p.blanks[:n]...)
		p.blanks = p.blanks[:copy(p.blanks, p.blanks[n:])]
	}
}

// repair replaces invalid UTF-8 by U+FFFD: one for each byte that begins no character, and one for each incomplete character.
// The result does not depend on how the text is cut into pieces.
type repair struct {
	tail []byte // the first bytes of a character, at most three
	text []byte // a tail and what follows it; its memory is reused
	out  []byte // text, repaired
}

// add adds a piece and returns the text that is decided, valid until the next call. It may share the memory of piece.
func (r *repair) add(piece []byte) []byte {
	if len(r.tail) == 0 && utf8.Valid(piece) {
		return piece
	}
	r.text = append(append(r.text[:0], r.tail...), piece...)
	r.out = r.out[:0]
	for text := r.text; ; {
		n := validPrefix(text)
		r.out = append(r.out, text[:n]...)
		text = text[n:]
		if !utf8.FullRune(text) {
			r.tail = append(r.tail[:0], text...)
			return r.out
		}
		r.out = utf8.AppendRune(r.out, utf8.RuneError)
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
func whole(text []byte) []byte {
	var r repair
	return append(r.add(text), r.end()...)
}
