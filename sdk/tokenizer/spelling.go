package tokenizer

import (
	"fmt"
	"unicode/utf8"
)

// Vocabularies at byte level spell each byte as a character: the printable ones of Latin-1 as themselves, the others as those
// from U+0100 on, so that no token contains a space.
var (
	spelledAs [256]rune
	spells    = map[rune]byte{}
)

func init() {
	next := rune(256)
	for b := range rune(256) {
		r := b
		if b < '!' || b > '~' && b < 0xA1 || b == 0xAD {
			r = next
			next++
		}
		spelledAs[b], spells[r] = r, byte(b)
	}
}

// appendSpelledBytes appends the bytes that a spelling stands for; ok is false if it has a character that stands for none.
func appendSpelledBytes(dst []byte, spelling string) (out []byte, ok bool) {
	for _, r := range spelling {
		b, ok := spells[r]
		if !ok {
			return dst, false
		}
		dst = append(dst, b)
	}
	return dst, true
}

// spelling returns what the vocabulary writes for a token.
func (t *Tokenizer) spelling(id ID) string {
	text := t.vocabulary.text(id)
	if a := t.added[id]; a != nil {
		return a.Content
	}
	if !t.spelledBytes || t.unspelled[id] {
		return string(text)
	}
	spelled := make([]byte, 0, 2*len(text))
	for _, b := range text {
		spelled = utf8.AppendRune(spelled, spelledAs[b])
	}
	return string(spelled)
}

// unspell replaces the spellings in the vocabulary by the bytes that they stand for. Tokens with characters that stand for no
// byte keep them, and are no longer found by their text, which no piece of a text can have.
func (t *Tokenizer) unspell() {
	old := t.vocabulary
	v := &vocabulary{seed: old.seed, texts: make([]byte, 0, len(old.texts)), at: make([]place, len(old.at)), slots: make([]uint32, len(old.slots))}
	t.unspelled = map[ID]bool{}
	for id := range ID(len(old.at)) {
		text := old.text(id)
		if len(text) == 0 {
			continue
		}
		from := len(v.texts)
		var ok bool
		if v.texts, ok = appendSpelledBytes(v.texts, string(text)); !ok {
			v.texts = append(v.texts[:from], text...)
			t.unspelled[id] = true
		}
		v.at[id] = place{uint32(from), uint32(len(v.texts) - from)}
		if ok && t.inModel(old, id) {
			v.index(id)
		}
	}
	*t.vocabulary = *v
}

// inModel reports whether a token is known to the model, and not only added.
func (t *Tokenizer) inModel(v *vocabulary, id ID) bool {
	known, ok := v.id(string(v.text(id)))
	return ok && known == id
}

// findBytes finds the tokens of single bytes.
func (m *bpe) findBytes(fallback bool) error {
	missing := 0
	for b := range 256 {
		spelling := fmt.Sprintf("<0x%02X>", b)
		if m.byteLevel {
			spelling = string(spelledAs[b])
		}
		m.bytes[b] = none
		if id, ok := m.words.id(spelling); ok && (m.byteLevel || fallback) {
			m.bytes[b] = id
		} else {
			missing++
		}
	}
	if fallback && !m.byteLevel && missing > 0 && missing < 256 {
		return unsupported("model.byte_fallback", "a vocabulary with tokens for some bytes and not for all")
	}
	for c := range m.ascii {
		m.ascii[c] = none
		if id, ok := m.words.id(string(rune(c))); ok {
			m.ascii[c] = id
		}
	}
	return nil
}

// prepare notes which symbols can come to lie side by side in a merge.
func (m *bpe) prepare() {
	m.joined = newPairSet()
	for _, e := range m.merges.slots {
		if e.pair != 0 {
			left, right := ID(e.pair>>32)-1, ID(e.pair)
			m.joined.add(m.lastSymbol(left), m.firstSymbol(right))
		}
	}
	for id := range ID(m.words.size()) {
		m.longest = max(m.longest, len(m.words.text(id)))
	}
}

func (m *bpe) firstSymbol(id ID) ID {
	text := m.words.text(id)
	if m.byteLevel {
		return m.bytes[text[0]]
	}
	_, n := utf8.DecodeRune(text)
	return m.charSymbol(text[:n])
}

func (m *bpe) lastSymbol(id ID) ID {
	text := m.words.text(id)
	if m.byteLevel {
		return m.bytes[text[len(text)-1]]
	}
	_, n := utf8.DecodeLastRune(text)
	return m.charSymbol(text[len(text)-n:])
}

func (m *bpe) charSymbol(char []byte) ID {
	if id, ok := m.words.id(string(char)); ok {
		return id
	}
	return none
}
