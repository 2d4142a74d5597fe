// Package tokenizer turns texts into the token ids of a model, and ids into text, as the model's own tokenizer does.
//
//	text ─added tokens→ segments ─normalize→ ─split→ pieces ─model→ ids
//	ids ─Decoder→ text, as they come
//
// Open reads a tokenizer.json, with the tokenizer_config.json beside it, or the vocabulary in a GGUF file. What a file asks for and this package
// does not support is an error of Open: a tokenizer that opens gives the ids that the reference gives.
//
// Added tokens, such as <|im_end|>, are found in a text first; what is between them is normalized, split and encoded for
// itself, segment by segment. So the ids of a segment depend on its text alone, which is why the ids of long segments are kept
// and a prompt that repeats the previous one costs little more than looking for added tokens. Special tokens that a text
// spells become the special tokens, unless Options.Literal is set.
//
// Invalid UTF-8 is replaced by U+FFFD before anything else. Truncation and padding, for which a tokenizer.json has members,
// are not applied.
//
// Words that must not be confused: an *added* token is found in the text before everything else; some of those are *special*,
// which means that they say something about the text and are no part of it; the *spelling* of a token is what a vocabulary
// writes for it, such as Ġthe or <0x0A>, its *text* is what it stands for.
package tokenizer

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// ID is the number of a token.
type ID = uint32

// Tokenizer encodes and decodes for one model. It is safe for concurrent use.
type Tokenizer struct {
	vocabulary   *vocabulary
	model        model
	added        map[ID]*addedToken
	raw, normal  trie // added tokens that are found before and after normalisation
	normalizers  []normalizer
	prepare      []normalizer // what the pre-tokenizer changes, between the added tokens
	splitters    []splitter
	begin, end   []ID // what Options.AddSpecial adds
	decoding     decoding
	spelledBytes bool        // the vocabulary spells bytes as characters: Ġ for a space
	unspelled    map[ID]bool // tokens with characters that spell no byte

	addedIDs map[string]ID

	workspaces sync.Pool
	counts     sync.Pool
	segments   cache.Cache[segment, []ID]
}

// model turns a piece of text into tokens.
type model interface {
	encode(e *encoder, piece string, at int)
}

// Options say how to encode a text. The zero value is for rendered prompts.
type Options struct {
	// AddSpecial adds the tokens that begin and end a text, as the model's files say. A rendered prompt has them already.
	AddSpecial bool
	// Literal takes the spellings of special tokens as plain text.
	Literal bool
}

// Token is a token of a text: text[From:To] became it. Where normalisation changed the text, tokens can overlap and have equal
// ranges; tokens that AddSpecial added have empty ones.
type Token struct {
	ID       ID
	From, To int
}

// segment identifies the ids of a text between added tokens.
type segment struct {
	text           string
	first, literal bool
}

// Segments of this many bytes are kept; shorter ones are encoded faster than found. keptBytes bounds them together.
const (
	keptFrom  = 256
	keptBytes = 16 << 20
)

// Encode returns the ids of a text.
func (t *Tokenizer) Encode(text string, o Options) []ID {
	return t.Append(make([]ID, 0, len(text)/4+8), text, o)
}

// Append appends the ids of a text to dst.
func (t *Tokenizer) Append(dst []ID, text string, o Options) []ID {
	e := encoder{Tokenizer: t, ids: dst, literal: o.Literal}
	e.run(text, o)
	return e.ids
}

// AppendTokens appends the tokens of a text, with the ranges of the text that became them, to dst.
func (t *Tokenizer) AppendTokens(dst []Token, text string, o Options) []Token {
	e := encoder{Tokenizer: t, tokens: dst, literal: o.Literal, ranges: true}
	e.run(text, o)
	return e.tokens
}

// EncodeWithin is Encode that ends with ctx, whose cause is then the error: for texts of any length.
func (t *Tokenizer) EncodeWithin(ctx context.Context, text string, o Options) ([]ID, error) {
	return t.appendWithin(ctx, make([]ID, 0, len(text)/4+8), text, o)
}

// TokensWithin returns the tokens of a text, with the ranges of the text that became them. It ends with ctx, as EncodeWithin does.
func (t *Tokenizer) TokensWithin(ctx context.Context, text string, o Options) (_ []Token, err error) {
	defer work.Stopped(&err)
	e := encoder{Tokenizer: t, literal: o.Literal, ranges: true, meter: meter(ctx)}
	e.run(text, o)
	return e.tokens, nil
}

func (t *Tokenizer) appendWithin(ctx context.Context, dst []ID, text string, o Options) (_ []ID, err error) {
	defer work.Stopped(&err)
	e := encoder{Tokenizer: t, ids: dst, literal: o.Literal, meter: meter(ctx)}
	e.run(text, o)
	return e.ids, nil
}

// meter returns one that only looks at the context: encoding is linear, so that the text bounds its steps.
func meter(ctx context.Context) *work.Meter { return work.New(ctx, math.MaxInt, nil) }

// Size returns one more than the highest id.
func (t *Tokenizer) Size() int { return t.vocabulary.size() }

// Info is what is known of a token.
type Info struct {
	// Spelling is what the vocabulary writes for the token; empty if there is no such token.
	Spelling string
	// Text is what the token stands for within a text. It can be a part of a character.
	Text []byte
	// Added tokens are found in texts as a whole, before the model splits them.
	Added bool
	// Special tokens are added tokens that say something about the text and are no part of it.
	Special bool
}

// Token returns what is known of an id.
func (t *Tokenizer) Token(id ID) (info Info, ok bool) {
	if int64(id) >= int64(t.Size()) || t.vocabulary.at[id].size == 0 {
		return Info{}, false
	}
	info.Spelling, info.Text = t.spelling(id), t.appendText(nil, id)
	if a := t.added[id]; a != nil {
		info.Added, info.Special = true, a.Special
	}
	return info, true
}

// Check returns an error unless all ids are below Size. place is where they stand in a request.
func (t *Tokenizer) Check(place string, ids []ID) error {
	for i, id := range ids {
		if int64(id) >= int64(t.Size()) {
			return fault.Invalid(ordered.IndexPath(place, i), fmt.Sprintf("expected a token id below %d, found %d; send the ids of this model", t.Size(), id))
		}
	}
	return nil
}

// ID returns the id of a token by its spelling.
func (t *Tokenizer) ID(spelling string) (ID, bool) {
	if id, ok := t.addedIDs[spelling]; ok {
		return id, true
	}
	if t.spelledBytes {
		text, ok := appendSpelledBytes(nil, spelling)
		if !ok {
			return 0, false
		}
		spelling = string(text)
	}
	return t.vocabulary.id(spelling)
}

// Added returns the ids of the added tokens, in no order.
func (t *Tokenizer) Added() []ID {
	ids := make([]ID, 0, len(t.added))
	for id := range t.added {
		ids = append(ids, id)
	}
	return ids
}
