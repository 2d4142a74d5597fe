package tokenizer

import (
	"bytes"
	"unicode/utf8"
)

// decoding is how tokens become text.
type decoding struct {
	byteLevel bool
	replace   []replacing // in the texts of tokens
	fallback  bool        // tokens such as <0x0A> are bytes
	// Up to strip times, stripped is taken from the beginning of the text; if firstToken is set, wherever it is in the first
	// token.
	strip      int
	stripped   string
	firstToken bool
}

type replacing struct{ what, with string }

// Decoder turns ids into text, as they come. What it has returned it never takes back: bytes are held back only while they could
// be the beginning of a character. Bytes that are none become U+FFFD. A Decoder belongs to one goroutine.
type Decoder struct {
	t       *Tokenizer
	pending []byte // bytes that could begin a character
	begun   bool
	skip    bool // special tokens that keep does not have
	keep    map[ID]bool
}

// NewDecoder returns a decoder for a text from its beginning.
func (t *Tokenizer) NewDecoder() *Decoder { return &Decoder{t: t} }

// ContinueDecoder returns a decoder for what follows a text, such as what a model writes after a prompt. Some tokenizers drop a
// space that begins a text, and must not here.
func (t *Tokenizer) ContinueDecoder() *Decoder { return &Decoder{t: t, begun: true} }

// SkipSpecial makes the decoder drop special tokens, except for those in keep, as engines drop them from texts.
func (d *Decoder) SkipSpecial(keep map[ID]bool) { d.skip, d.keep = true, keep }

// skips reports whether the decoder drops an added token.
func (d *Decoder) skips(a *addedToken) bool { return d.skip && a.Special && !d.keep[a.ID] }

// Decode returns the text of ids, from its beginning, with or without special tokens.
func (t *Tokenizer) Decode(ids []ID, skipSpecial bool) string {
	d := t.NewDecoder()
	d.skip = skipSpecial
	var out []byte
	for _, id := range ids {
		out, _ = d.Append(out, id)
	}
	return string(d.Finish(out))
}

// Append appends the text that an id completes to dst. If the token is an added one, such as a special token, its text is the last
// added bytes of out, and what is before them was held back. Unknown ids have no text.
func (d *Decoder) Append(dst []byte, id ID) (out []byte, added int) {
	t, n := d.t, len(dst)
	a := t.added[id]
	if a != nil && d.skips(a) {
		return dst, 0
	}
	if t.decoding.fallback {
		if b, ok := spelledByte(t.vocabulary.text(id)); ok {
			d.pending = append(d.pending, b)
			return d.begin(d.flush(dst, false, true), n), 0
		}
	}
	if a != nil {
		dst = d.Finish(dst)
		n = len(dst)
		if dst = t.appendText(dst, id); !utf8.Valid(dst[n:]) {
			dst = append(dst[:n], valid(string(dst[n:]), nil)...)
		}
		dst = d.begin(dst, n)
		return dst, len(dst) - n
	}
	if t.decoding.byteLevel {
		d.pending = t.appendText(d.pending, id)
		return d.begin(d.flush(dst, false, false), n), 0
	}
	return d.begin(t.appendText(d.flush(dst, true, true), id), n), 0
}

// Finish appends what was held back.
func (d *Decoder) Finish(dst []byte) []byte {
	n := len(dst)
	return d.begin(d.flush(dst, true, !d.t.decoding.byteLevel), n)
}

// begin strips what is stripped from the beginning of a text, if dst[n:] is that.
func (d *Decoder) begin(dst []byte, n int) []byte {
	if d.begun || len(dst) == n {
		return dst
	}
	d.begun = true
	c, text := &d.t.decoding, dst[n:]
	if c.firstToken {
		return append(dst[:n], bytes.ReplaceAll(text, []byte(c.stripped), nil)...)
	}
	for range c.strip {
		text = bytes.TrimPrefix(text, []byte(c.stripped))
	}
	return append(dst[:n], text...)
}

// flush appends the characters in pending; at the end also what is unfinished. What is no character becomes one U+FFFD, or one
// for each byte.
func (d *Decoder) flush(dst []byte, end, each bool) []byte {
	p := d.pending
	for len(p) > 0 {
		_, n := utf8.DecodeRune(p)
		if n > 1 || p[0] < utf8.RuneSelf {
			dst = append(dst, p[:n]...)
			p = p[n:]
			continue
		}
		n, unfinished := illFormed(p)
		if unfinished && !end {
			break
		}
		for i := range n {
			if i == 0 || each {
				dst = append(dst, replacement...)
			}
		}
		p = p[n:]
	}
	d.pending = append(d.pending[:0], p...)
	return dst
}

// appendText appends the bytes that a token stands for.
func (t *Tokenizer) appendText(dst []byte, id ID) []byte {
	text := t.vocabulary.text(id)
	if t.decoding.fallback {
		if b, ok := spelledByte(text); ok {
			return append(dst, b)
		}
	}
	for _, r := range t.decoding.replace {
		if bytes.Contains(text, []byte(r.what)) {
			text = bytes.ReplaceAll(text, []byte(r.what), []byte(r.with))
		}
	}
	return append(dst, text...)
}
