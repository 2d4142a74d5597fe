package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is found in texts before the model splits them, with the flags of tokenizer.json.
type addedToken struct {
	ID         ID     `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only between characters that are not of words
	LStrip     bool   `json:"lstrip"`      // it takes the white space before it
	RStrip     bool   `json:"rstrip"`      // it takes the white space behind it
	Normalized bool   `json:"normalized"`  // it is looked for after normalisation
	Special    bool   `json:"special"`
}

// trie finds added tokens in texts.
type trie struct {
	first [256]*branch
	some  bool
	most  int // bytes of the longest token
}

type branch struct {
	kids  map[byte]*branch
	token *addedToken // nil if no token ends here
}

func (t *trie) add(text string, token *addedToken) {
	if text == "" {
		return
	}
	t.some = true
	t.most = max(t.most, len(text))
	at := &t.first[text[0]]
	if *at == nil {
		*at = &branch{}
	}
	b := *at
	for i := 1; i < len(text); i++ {
		if b.kids == nil {
			b.kids = map[byte]*branch{}
		}
		kid := b.kids[text[i]]
		if kid == nil {
			kid = &branch{}
			b.kids[text[i]] = kid
		}
		b = kid
	}
	b.token = token
}

// find returns the leftmost token at or after a position, the longest of those; it is nil if there is none.
func (t *trie) find(text string, from int) (start, end int, token *addedToken) {
	if !t.some {
		return 0, 0, nil
	}
	for ; from < len(text); from++ {
		b := t.first[text[from]]
		for i := from + 1; b != nil; i++ {
			if b.token != nil {
				end, token = i, b.token
			}
			if i == len(text) {
				break
			}
			b = b.kids[text[i]]
		}
		if token != nil {
			return from, end, token
		}
	}
	return 0, 0, nil
}

// span is a part of a text: an added token, or what is between two.
type span struct {
	from, to int
	token    *addedToken // nil for text
}

// spans iterates over the parts of a text. With literal, the spellings of special tokens are text, as is a shorter token within
// one.
func (t *trie) spans(text string, literal bool) func(yield func(span) bool) {
	return func(yield func(span) bool) {
		done := 0 // what is before was yielded
		for next := 0; ; {
			start, end, token := t.find(text, next)
			if token == nil {
				break
			}
			next = end
			if literal && token.Special || token.SingleWord && (endsInWord(text[:start]) || beginsWithWord(text[end:])) {
				continue
			}
			if token.LStrip {
				start = max(done, len(strings.TrimRightFunc(text[:start], unicode.IsSpace)))
			}
			if token.RStrip {
				end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
			}
			if start > done && !yield(span{from: done, to: start}) || !yield(span{start, end, token}) {
				return
			}
			done = end
		}
		if done < len(text) {
			yield(span{from: done, to: len(text)})
		}
	}
}

func endsInWord(text string) bool {
	r, n := utf8.DecodeLastRuneInString(text)
	return n > 0 && ofWord(r)
}

func beginsWithWord(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n > 0 && ofWord(r)
}

func ofWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}
