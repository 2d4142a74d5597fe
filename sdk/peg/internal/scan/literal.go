package scan

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Range is a range of bytes of a chunk, End exclusive.
type Range struct{ Start, End int }

// Literal is a text to match. It knows which of its bytes are special tokens.
type Literal struct {
	Text    []byte
	special []Range
}

// String quotes the text.
func (l *Literal) String() string { return strconv.Quote(string(l.Text)) }

// Specials are the texts of special tokens.
type Specials struct {
	texts []string
	first ByteSet
}

// NewSpecials returns the specials with the given texts; empty ones are ignored.
func NewSpecials(texts []string) Specials {
	s := Specials{}
	for _, t := range texts {
		if t != "" {
			s.texts = append(s.texts, t)
			s.first.Add(t[0])
		}
	}
	return s
}

// Literal returns the literal of a text. Its special tokens are found from left to right, the longest first.
func (s *Specials) Literal(text string) *Literal {
	l := &Literal{Text: []byte(text)}
	for i := 0; i < len(text); {
		n := s.prefix(text[i:])
		if n > 0 {
			l.special = append(l.special, Range{i, i + n})
		}
		i += max(n, 1)
	}
	return l
}

// prefix returns the length of the longest special token that text, which is not empty, begins with.
func (s *Specials) prefix(text string) int {
	n := 0
	if s.first.Has(text[0]) {
		for _, t := range s.texts {
			if strings.HasPrefix(text, t) {
				n = max(n, len(t))
			}
		}
	}
	return n
}

// Match compares the literal with the beginning of b, which is at offset at of the input.
func (l *Literal) Match(b []byte, at int, tokens *Tokens) Outcome {
	n := min(len(b), len(l.Text))
	if !bytes.Equal(b[:n], l.Text[:n]) || len(l.special) > 0 && tokens.deny(l, at, n) {
		return Failed
	}
	if n < len(l.Text) {
		return Hungry
	}
	return Matched
}

// Tokens holds which bytes of the input did not come from special tokens, as far as the engine says so. Elsewhere the text
// alone decides.
//
// The ranges are in order, do not touch, and reach back only as far as the input that is still undecided.
type Tokens struct{ plain []Range }

// deny reports whether one of the first n bytes of l, at offset at, must come from a special token and does not.
func (t *Tokens) deny(l *Literal, at, n int) bool {
	if len(t.plain) == 0 {
		return false
	}
	for _, s := range l.special {
		if s.Start < n && t.touch(at+s.Start, at+min(s.End, n)) {
			return true
		}
	}
	return false
}

// touch reports whether a byte of [from, to) is plain.
func (t *Tokens) touch(from, to int) bool {
	for _, p := range slices.Backward(t.plain) {
		if p.End <= from {
			return false
		}
		if p.Start < to {
			return true
		}
	}
	return false
}

// Add records that the bytes of a chunk of length n at offset at are plain, except those in special.
func (t *Tokens) Add(at, n int, special []Range) {
	from := 0
	for _, s := range special {
		t.addPlain(at+from, at+min(s.Start, n))
		from = max(from, s.End)
	}
	t.addPlain(at+from, at+n)
}

func (t *Tokens) addPlain(from, to int) {
	if from >= to {
		return
	}
	if k := len(t.plain); k > 0 && t.plain[k-1].End == from {
		t.plain[k-1].End = to
		return
	}
	t.plain = append(t.plain, Range{from, to})
}

// Forget drops what precedes offset at.
func (t *Tokens) Forget(at int) {
	if len(t.plain) > 0 {
		t.forget(at)
	}
}

func (t *Tokens) forget(at int) {
	n := 0
	for n < len(t.plain) && t.plain[n].End <= at {
		n++
	}
	if n > 0 {
		t.plain = slices.Delete(t.plain, 0, n)
	}
}
