package tokenizer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// file is a tokenizer.json as far as it is read. The vocabulary and the merges are read as they come, so that the file is never in
// memory as a whole.
type file struct {
	in         *jsontext.Decoder
	components map[string]jsontext.Value
	added      []addedToken
	model      modelMembers
	vocabulary *vocabulary
	merges     *merges
	late       jsontext.Value // merges that stand before the vocabulary
}

// modelMembers are the members of a model that are not long.
type modelMembers struct {
	Type                    string  `json:"type"`
	Dropout                 float64 `json:"dropout"`
	UnknownToken            string  `json:"unk_token"`
	ContinuingSubwordPrefix string  `json:"continuing_subword_prefix"`
	EndOfWordSuffix         string  `json:"end_of_word_suffix"`
	FuseUnknown             bool    `json:"fuse_unk"`
	ByteFallback            bool    `json:"byte_fallback"`
	IgnoreMerges            bool    `json:"ignore_merges"`
}

// read reads a tokenizer.json, and makes the tokenizer that it describes together with a configuration.
func read(in io.Reader, c *config) (*Tokenizer, error) {
	f := &file{in: jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true)), components: map[string]jsontext.Value{}, vocabulary: newVocabulary()}
	if err := f.top(); err != nil {
		return nil, decoded(err)
	}
	var err error
	if f.added, err = c.amend(f.added); err != nil {
		return nil, err
	}
	t, err := f.tokenizer()
	if err != nil {
		return nil, err
	}
	return t, c.setEnds(t)
}

// decoded converts an error of the JSON decoder.
func decoded(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntax):
		return fault.Invalid(ordered.PointerPath("", syntax.JSONPointer), fmt.Sprintf("not JSON: byte %d: %v", syntax.ByteOffset, syntax.Err))
	case errors.Is(err, io.EOF):
		return fault.Invalid("", "expected a JSON object, found nothing")
	}
	return err
}

// invalid returns an error at the place that was just read.
func (f *file) invalid(format string, args ...any) error {
	return fault.Invalid(ordered.PointerPath("", f.in.StackPointer()), fmt.Sprintf(format, args...))
}

// object calls read for each member of an object, which must read the value.
func (f *file) object(read func(name string) error) error {
	if err := f.open('{', "an object"); err != nil {
		return err
	}
	for f.in.PeekKind() != '}' {
		name, err := f.in.ReadToken()
		if err != nil {
			return err
		}
		if err := read(name.String()); err != nil {
			return err
		}
	}
	_, err := f.in.ReadToken()
	return err
}

// array calls read for each item of an array, which must read it.
func (f *file) array(read func(i int) error) error {
	if err := f.open('[', "an array"); err != nil {
		return err
	}
	for i := 0; f.in.PeekKind() != ']'; i++ {
		if err := read(i); err != nil {
			return err
		}
	}
	_, err := f.in.ReadToken()
	return err
}

func (f *file) open(kind jsontext.Kind, name string) error {
	t, err := f.in.ReadToken()
	if err == nil && t.Kind() != kind {
		err = f.invalid("expected %s, found %s", name, t.Kind())
	}
	return err
}

// value reads a value into v.
func (f *file) value(v any) error {
	raw, err := f.in.ReadValue()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return f.invalid("%v", err)
	}
	return nil
}

func (f *file) top() error {
	return f.object(func(name string) error {
		switch name {
		case "model":
			return f.object(f.member)
		case "added_tokens":
			return f.value(&f.added)
		case "normalizer", "pre_tokenizer", "post_processor", "decoder":
			raw, err := f.in.ReadValue()
			f.components[name] = raw.Clone()
			return err
		case "version", "truncation", "padding":
			return f.in.SkipValue()
		}
		return unsupported(name, "the member %q", name)
	})
}

// member reads a member of the model.
func (f *file) member(name string) error {
	m := &f.model
	members := map[string]any{
		"type": &m.Type, "dropout": &m.Dropout, "unk_token": &m.UnknownToken, "fuse_unk": &m.FuseUnknown, "byte_fallback": &m.ByteFallback,
		"ignore_merges": &m.IgnoreMerges, "continuing_subword_prefix": &m.ContinuingSubwordPrefix, "end_of_word_suffix": &m.EndOfWordSuffix,
	}
	switch to := members[name]; {
	case to != nil:
		return f.value(to)
	case name == "vocab" && f.in.PeekKind() == '{':
		return f.readVocabulary()
	case name == "merges" && f.vocabulary.size() == 0:
		raw, err := f.in.ReadValue()
		f.late = raw.Clone()
		return err
	case name == "merges":
		return f.readMerges()
	}
	return unsupported("model."+name, "the member %q of a model of type %q", name, m.Type)
}

func (f *file) readVocabulary() error {
	var text []byte
	return f.object(func(name string) error {
		raw, err := f.in.ReadValue()
		if err != nil {
			return err
		}
		id, err := strconv.ParseUint(string(raw), 10, 32)
		if err != nil {
			return f.invalid("expected the number of a token, found %.20s", raw)
		}
		text = append(text[:0], name...)
		if err := f.vocabulary.set(ID(id), text); err != nil {
			return f.invalid("%v", err)
		}
		if f.vocabulary.index(ID(id)) {
			return f.invalid("the vocabulary has this token twice")
		}
		return nil
	})
}

// readMerges reads pairs of tokens: "a b" or ["a", "b"].
func (f *file) readMerges() error {
	f.merges = newMerges(f.vocabulary.size())
	var joined []byte
	return f.array(func(rank int) error {
		var two [2]string
		if f.in.PeekKind() == '"' {
			t, err := f.in.ReadToken()
			if err != nil {
				return err
			}
			text := t.String()
			var ok bool
			if two[0], two[1], ok = strings.Cut(text, " "); !ok || strings.Contains(two[1], " ") {
				return f.invalid("expected two tokens with a space between them, found %.60q", text)
			}
		} else if err := f.array(func(i int) error {
			t, err := f.in.ReadToken()
			if err == nil && (i > 1 || t.Kind() != '"') {
				err = f.invalid("expected two strings")
			}
			if err == nil {
				two[i] = t.String()
			}
			return err
		}); err != nil {
			return err
		}
		left, okLeft := f.vocabulary.id(two[0])
		right, okRight := f.vocabulary.id(two[1])
		joined = append(append(joined[:0], two[0]...), two[1]...)
		id, ok := f.vocabulary.id(string(joined))
		if !okLeft || !okRight || !ok {
			return f.invalid("%.60q and %.60q: both and what they make must be in the vocabulary", two[0], two[1])
		}
		f.merges.put(left, right, rank, id)
		return nil
	})
}

func newTokenizer(v *vocabulary) *Tokenizer {
	t := &Tokenizer{vocabulary: v, added: map[ID]*addedToken{}, addedIDs: map[string]ID{}}
	t.segments.MaxBytes = keptBytes
	return t
}

// tokenizer makes a tokenizer of what was read.
func (f *file) tokenizer() (*Tokenizer, error) {
	m := &f.model
	switch {
	case m.Type != "" && m.Type != "BPE":
		return nil, unsupported("model.type", "a model of type %q", m.Type)
	case m.Dropout != 0, m.ContinuingSubwordPrefix != "", m.EndOfWordSuffix != "":
		return nil, unsupported("model", "a model with dropout, continuing_subword_prefix or end_of_word_suffix")
	case f.vocabulary.size() == 0:
		return nil, fault.Invalid("model.vocab", "missing")
	}
	if f.late != nil {
		f.in = jsontext.NewDecoder(bytes.NewReader(f.late))
		if err := f.readMerges(); err != nil {
			return nil, decoded(err)
		}
	}
	if f.merges == nil {
		return nil, fault.Invalid("model.merges", "missing")
	}
	t := newTokenizer(f.vocabulary)
	for _, part := range []struct {
		name string
		read func(string, jsontext.Value) error
	}{
		{"normalizer", t.readNormalizer}, {"pre_tokenizer", t.readPreTokenizer},
		{"post_processor", t.readPostProcessor}, {"decoder", t.readDecoder},
	} {
		if err := part.read(part.name, f.components[part.name]); err != nil {
			return nil, err
		}
	}
	if t.spelledBytes != t.decoding.byteLevel {
		return nil, unsupported("decoder", "ByteLevel in only one of pre_tokenizer and decoder")
	}
	b := &bpe{words: f.vocabulary, merges: f.merges, byteLevel: t.spelledBytes, ignoreMerges: m.IgnoreMerges, fuseUnknown: m.FuseUnknown}
	if err := t.finish(b, f.added, m.UnknownToken, m.ByteFallback); err != nil {
		return nil, err
	}
	return t, nil
}

// finish completes a tokenizer whose vocabulary has the spellings of a file.
func (t *Tokenizer) finish(b *bpe, added []addedToken, unknown string, fallback bool) error {
	for i := range added {
		if err := t.addToken(&added[i]); err != nil {
			return fault.Invalid(fmt.Sprintf("added_tokens[%d]", i), err.Error())
		}
	}
	b.unknown = none
	if id, ok := t.vocabulary.id(unknown); ok && unknown != "" {
		b.unknown = id
	}
	if err := b.findBytes(fallback); err != nil {
		return err
	}
	if t.spelledBytes {
		t.unspell()
	}
	b.prepare()
	b.whole = make([]atomic.Uint32, t.vocabulary.size()/perWord+1)
	t.model = b
	return nil
}

// addToken adds a token. One that is in the vocabulary keeps the id that it has there.
func (t *Tokenizer) addToken(a *addedToken) error {
	if a.Content == "" {
		return errors.New("the token is empty")
	}
	if id, ok := t.vocabulary.id(a.Content); ok {
		a.ID = id
	} else if err := t.vocabulary.set(a.ID, []byte(a.Content)); err != nil {
		return err
	}
	t.added[a.ID], t.addedIDs[a.Content] = a, a.ID
	if a.Normalized {
		t.normal.add(normalized(t.normalizers, a.Content, false, nil, nil), a)
	} else {
		t.raw.add(a.Content, a)
	}
	return nil
}
