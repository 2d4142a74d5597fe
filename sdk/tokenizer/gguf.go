package tokenizer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/internal/gguf"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/tokenizer/internal/pattern"
)

// keys is what the names of the vocabulary's keys in a GGUF file begin with.
const keys = "tokenizer.ggml."

// The types of tokens in GGUF.
const (
	unknownToken = 2
	controlToken = 3
	userToken    = 4 // added, and not special
	byteToken    = 6
)

// ggufVocabulary is what a GGUF file says about its vocabulary. Ids are negative, and choices nil, where it says nothing.
type ggufVocabulary struct {
	model, pre     string
	tokens, merges []string
	types          []byte
	scores         []float32
	bos, eos, unk  int64
	addBOS, addEOS *bool
	spacePrefix    *bool
	seen           map[string]bool // the keys that were read
}

// readGGUF reads the vocabulary of the GGUF file at path, and makes the tokenizer that llama.cpp makes of it.
func readGGUF(path string) (*Tokenizer, error) {
	v := &ggufVocabulary{bos: -1, eos: -1, unk: -1, seen: map[string]bool{}}
	if err := gguf.Read(path, v.read); err != nil {
		return nil, &fault.Error{Code: fault.InvalidArgument, Message: err.Error(), Err: err}
	}
	t, err := v.tokenizer()
	if err != nil {
		return nil, within(path, err)
	}
	return t, nil
}

func (v *ggufVocabulary) read(r *gguf.Reader, key string, kind gguf.Kind) {
	texts := func(to *[]string) {
		r.Each(key, kind, func(kind gguf.Kind) bool {
			ok := r.Expect(key, kind, gguf.String, "an array of strings")
			*to = append(*to, r.Text(key))
			return ok
		})
	}
	choice := func(to **bool) {
		b := r.Bool(key, kind)
		*to = &b
	}
	name, known := strings.CutPrefix(key, keys)
	if !known {
		r.Skip(key, kind)
		return
	}
	if v.seen[name] {
		r.Fail("%s: the file has this key twice", key)
		return
	}
	v.seen[name] = true
	switch name {
	case "model":
		if r.Expect(key, kind, gguf.String, "a string") {
			v.model = r.Text(key)
		}
	case "pre":
		if r.Expect(key, kind, gguf.String, "a string") {
			v.pre = r.Text(key)
		}
	case "tokens":
		texts(&v.tokens)
	case "merges":
		texts(&v.merges)
	case "token_type":
		r.Each(key, kind, func(kind gguf.Kind) bool {
			n := r.Integer(key, kind)
			if n < 0 || n > math.MaxUint8 {
				n = 0
			}
			v.types = append(v.types, byte(n))
			return true
		})
	case "scores":
		r.Each(key, kind, func(kind gguf.Kind) bool {
			v.scores = append(v.scores, r.Float(key, kind))
			return true
		})
	case "bos_token_id":
		v.bos = r.Integer(key, kind)
	case "eos_token_id":
		v.eos = r.Integer(key, kind)
	case "unknown_token_id":
		v.unk = r.Integer(key, kind)
	case "add_bos_token":
		choice(&v.addBOS)
	case "add_eos_token":
		choice(&v.addEOS)
	case "add_space_prefix":
		choice(&v.spacePrefix)
	default:
		r.Skip(key, kind)
	}
}

// splitting is how texts are split for a model of byte pairs, under the names that GGUF files use.
type splitting struct {
	names    []string
	patterns []string
	whole    bool // pieces that are a token are not merged; such vocabularies also begin texts with BOS
}

// The case of contractions, and the parts of patterns that several have.
const (
	contractions = `(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])`
	lineEnds     = ` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	slashEnds    = ` ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	notLower     = `[^a-z\P{L}]` // letters but a to z
	notUpper     = `[^A-Z\P{L}]`
	gpt2Source   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)`
)

// splittings are those of llama.cpp.
var splittings = []splitting{
	{[]string{"llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral", "lfm2"}, []string{contractions + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|` + lineEnds}, true},
	{[]string{"glm4", "chatglm-bpe", "dbrx", "smaug-bpe"}, []string{contractions + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|` + lineEnds}, false},
	{[]string{"qwen2", "deepseek-r1-qwen", "stablelm2", "megrez"}, []string{contractions + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|` + lineEnds}, false},
	{[]string{"qwen35"}, []string{contractions + `|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`}, false},
	{[]string{"deepseek-v3"}, []string{
		`\p{N}{1,3}`, `[一-龥぀-ゟ゠-ヿ]+`,
		"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
	}, false},
	{[]string{"gpt-4o", "llama4"}, []string{
		`[^\r\n\p{L}\p{N}]?` + notLower + `*` + notUpper + `+` + contractions + `?|[^\r\n\p{L}\p{N}]?` + notLower + `+` + notUpper + `*` + contractions + `?|\p{N}{1,3}|` + slashEnds,
	}, false},
	{[]string{"tekken"}, []string{
		`[^\r\n\p{L}\p{N}]?` + notLower + `*` + notUpper + `+|[^\r\n\p{L}\p{N}]?` + notLower + `+` + notUpper + `*|\p{N}|` + slashEnds,
	}, true},
	{[]string{"gpt-2", "phi-2", "mpt", "olmo", "jina-es", "jina-de"}, []string{gpt2Source}, false},
	{[]string{"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"}, []string{`\p{N}`, gpt2Source}, false},
}

// tokenizer makes a tokenizer of what was read.
func (v *ggufVocabulary) tokenizer() (*Tokenizer, error) {
	if len(v.tokens) == 0 {
		return nil, &fault.Error{Code: fault.NotFound, Place: keys + "tokens", Message: "the file has no vocabulary"}
	}
	for _, end := range []struct {
		name string
		add  *bool
		id   int64
	}{{"bos", v.addBOS, v.bos}, {"eos", v.addEOS, v.eos}} {
		if end.add != nil && *end.add && (end.id < 0 || end.id >= int64(len(v.tokens))) {
			return nil, fault.Invalid(keys+end.name+"_token_id", fmt.Sprintf("add_%s_token asks for this token; expected the id of one of %d tokens", end.name, len(v.tokens)))
		}
	}
	words := newVocabulary()
	for i, text := range v.tokens {
		if err := words.set(ID(i), []byte(text)); err != nil {
			return nil, fault.Invalid(fmt.Sprintf(keys+"tokens[%d]", i), err.Error())
		}
		if text != "" {
			words.index(ID(i))
		}
	}
	t := newTokenizer(words)
	b := &bpe{words: words}
	var err error
	switch v.model {
	case "gpt2":
		err = v.byteLevel(t, b)
	case "llama":
		err = v.sentencePiece(t, b)
	default:
		err = unsupported(keys+"model", "a vocabulary of the kind %q", v.model)
	}
	if err != nil {
		return nil, err
	}
	unknown := ""
	if v.unk >= 0 && v.unk < int64(len(v.tokens)) {
		unknown = v.tokens[v.unk]
	}
	if err := t.finish(b, v.added(), unknown, v.model == "llama"); err != nil {
		return nil, err
	}
	for _, end := range []struct {
		add *bool
		id  int64
		ids *[]ID
	}{{v.addBOS, v.bos, &t.begin}, {v.addEOS, v.eos, &t.end}} {
		if end.add != nil && *end.add && end.id >= 0 && end.id < int64(len(v.tokens)) {
			*end.ids = []ID{ID(end.id)}
		}
	}
	return t, nil
}

// endTokens end a turn wherever a vocabulary has them, whatever type a file gives them.
var endTokens = []string{
	"<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>",
	"_<EOT>", "<|end_of_text|>", "<end_of_utterance>", "< EOT >", "<｜end▁of▁sentence｜>",
}

// added returns the tokens that are found before the model splits a text.
func (v *ggufVocabulary) added() (all []addedToken) {
	for i, kind := range v.types {
		if i < len(v.tokens) && slices.Contains(endTokens, v.tokens[i]) && kind != userToken {
			kind = controlToken
		}
		if i < len(v.tokens) && v.tokens[i] != "" && (kind == controlToken || kind == unknownToken || kind == userToken) {
			all = append(all, addedToken{ID: ID(i), Content: v.tokens[i], Special: kind != userToken})
		}
	}
	return all
}

// byteLevel prepares a vocabulary with merges, in the spelling of bytes.
func (v *ggufVocabulary) byteLevel(t *Tokenizer, b *bpe) error {
	i := slices.IndexFunc(splittings, func(s splitting) bool { return slices.Contains(s.names, v.pre) })
	if i < 0 {
		return unsupported(keys+"pre", "the splitting %q", v.pre)
	}
	for _, source := range splittings[i].patterns {
		p, err := pattern.Compile(source)
		if err != nil {
			return unsupported(keys+"pre", "%q: %v: this", v.pre, err)
		}
		t.splitters = append(t.splitters, splitter{pattern: p, behavior: isolated})
	}
	b.ignoreMerges = splittings[i].whole
	if v.addBOS == nil {
		v.addBOS = &b.ignoreMerges
	}
	t.spelledBytes, t.decoding.byteLevel, b.byteLevel = true, true, true
	b.merges = newMerges(len(v.merges))
	for rank, text := range v.merges {
		left, right, _ := strings.Cut(text, " ")
		l, okLeft := b.words.id(left)
		r, okRight := b.words.id(right)
		id, ok := b.words.id(left + right)
		if !okLeft || !okRight || !ok {
			return fault.Invalid(fmt.Sprintf(keys+"merges[%d]", rank), fmt.Sprintf("%.60q: both tokens and what they make must be in the vocabulary", text))
		}
		b.merges.put(l, r, rank, id)
	}
	return nil
}

// sentencePiece prepares a vocabulary with scores: the two symbols whose token has the highest score are merged first.
func (v *ggufVocabulary) sentencePiece(t *Tokenizer, b *bpe) error {
	if len(v.scores) != len(v.tokens) {
		return fault.Invalid(keys+"scores", fmt.Sprintf("expected a score for each of %d tokens, found %d", len(v.tokens), len(v.scores)))
	}
	const space = "▁"
	yes := true
	if v.addBOS == nil {
		v.addBOS = &yes
	}
	if v.spacePrefix == nil || *v.spacePrefix {
		t.normalizers = append(t.normalizers, prepended(space))
		t.decoding.strip, t.decoding.stripped = 1, " "
	}
	t.normalizers = append(t.normalizers, replaced(" ", space))
	t.decoding.replace, t.decoding.fallback = []replacing{{space, " "}}, true
	ordered := slices.Clone(v.scores)
	slices.SortFunc(ordered, compareDown)
	ordered = slices.Compact(ordered)
	b.merges = newMerges(len(v.tokens))
	for i, text := range v.tokens {
		if i < len(v.types) && v.types[i] == byteToken {
			continue
		}
		rank, _ := slices.BinarySearchFunc(ordered, v.scores[i], compareDown)
		for at := range text {
			if at == 0 || !utf8.RuneStart(text[at]) {
				continue
			}
			if len(text) > maxScored {
				return fault.Invalid(fmt.Sprintf(keys+"tokens[%d]", i), fmt.Sprintf("the token has more than %d bytes", maxScored))
			}
			left, okLeft := b.words.id(text[:at])
			right, okRight := b.words.id(text[at:])
			if okLeft && okRight {
				b.merges.put(left, right, rank, ID(i))
			}
		}
	}
	return nil
}

// maxScored bounds a token with a score: the work for one grows with the square of its length.
const maxScored = 1024

func compareDown(a, b float32) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}
