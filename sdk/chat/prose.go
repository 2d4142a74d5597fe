package chat

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxBlanks is how many bytes of blanks are held back because they may be the last ones. A longer run counts as text, so
// that a flood of blanks does not pile up.
const maxBlanks = 4096

const blanks = " \t\r\n\v\f"

// prose is content or reasoning on its way to the client. Between what came and what was said stand
//
//	said … | blanks | tail
//
// blanks, which are said only when more text follows, and the tail, an unfinished character of up to three bytes. Where
// said is empty, blanks are the indentation of the first line that has text.
type prose struct {
	said   strings.Builder
	blanks []byte
	repair repair
}

// add takes a piece and returns what can be said now.
func (p *prose) add(piece []byte) string { return p.trim(p.repair.add(piece)) }

// end returns what was held only for want of the rest of a character. Where the engine cut the text off, the blanks at its
// end are part of it.
func (p *prose) end(cutOff bool) string {
	text := p.trim(p.repair.end())
	if cutOff && p.said.Len() > 0 {
		text += p.say(string(p.blanks))
		p.blanks = p.blanks[:0]
	}
	return text
}

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

// indent drops the blank lines before the first text and keeps its indentation, as far as that is not a flood. It returns
// the text from there on.
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

// overflow takes whole blocks off the blanks that are too many.
func (p *prose) overflow() string {
	n := len(p.blanks) / maxBlanks * maxBlanks
	text := string(p.blanks[:n])
	p.blanks = append(p.blanks[:0], p.blanks[n:]...)
	return text
}

func (p *prose) say(text string) string {
	p.said.WriteString(text)
	return text
}

// repair replaces what is not UTF-8 by U+FFFD: one for each byte that starts nothing, one for each character that breaks
// off. What it makes of a text does not depend on how the text is cut.
type repair struct {
	tail []byte // the beginning of a character, up to three bytes
}

// add returns the text that is decided; it may be part of piece.
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

// end replaces a character that never became whole.
func (r *repair) end() []byte {
	if len(r.tail) == 0 {
		return nil
	}
	r.tail = r.tail[:0]
	return []byte(string(utf8.RuneError))
}

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

// brokenPrefix is the length of the character that breaks off at the start of text, at least 1.
func brokenPrefix(text []byte) int {
	n := 1
	for n < len(text) && !utf8.FullRune(text[:n+1]) {
		n++
	}
	return n
}

// whole repairs a text that is complete.
func whole(text []byte) string {
	var r repair
	repaired := string(r.add(text))
	return repaired + string(r.end())
}
