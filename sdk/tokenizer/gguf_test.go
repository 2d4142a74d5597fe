package tokenizer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ggufFile is a GGUF file being written.
type ggufFile struct {
	pairs bytes.Buffer
	count uint64
}

func (g *ggufFile) write(values ...any) {
	for _, v := range values {
		if text, ok := v.(string); ok {
			g.write(uint64(len(text)))
			g.pairs.WriteString(text)
		} else if err := binary.Write(&g.pairs, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

// set writes a key of the vocabulary.
func (g *ggufFile) set(key string, value any) {
	g.count++
	g.write(keys + key)
	switch v := value.(type) {
	case string:
		g.write(uint32(8), v)
	case bool:
		g.write(uint32(7), v)
	case uint32:
		g.write(uint32(4), v)
	case []int32:
		g.write(uint32(9), uint32(5), uint64(len(v)), v)
	case []float32:
		g.write(uint32(9), uint32(6), uint64(len(v)), v)
	case []string:
		g.write(uint32(9), uint32(8), uint64(len(v)))
		for _, text := range v {
			g.write(text)
		}
	default:
		panic(key)
	}
}

func (g *ggufFile) bytes() []byte {
	head := append([]byte("GGUF\x03\x00\x00\x00"), make([]byte, 8)...)
	return append(binary.LittleEndian.AppendUint64(head, g.count), g.pairs.Bytes()...)
}

// openGGUF opens a file with these keys, in the order of their names.
func openGGUF(t testing.TB, values map[string]any) (*Tokenizer, error) {
	t.Helper()
	g := &ggufFile{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		g.set(key, values[key])
	}
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(path, g.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(path)
}

// published is a tokenizer.json of testdata as far as a GGUF file repeats it.
type published struct {
	Added []map[string]any `json:"added_tokens"`
	Model struct {
		Vocab  map[string]int `json:"vocab"`
		Merges []string       `json:"merges"`
	} `json:"model"`
	members map[string]any
}

func readPublished(t testing.TB, name string) (p published) {
	data, err := os.ReadFile(filepath.Join("testdata", name, fileName))
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err == nil {
		err = json.Unmarshal(data, &p.members)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// values returns the keys of a GGUF file with the tokens, their types and the merges.
func (p *published) values(kind func(spelling string) int32) map[string]any {
	tokens, types := map[int]string{}, map[int]int32{}
	for spelling, id := range p.Model.Vocab {
		tokens[id], types[id] = spelling, kind(spelling)
	}
	for _, a := range p.Added {
		id := int(a["id"].(float64))
		if tokens[id], types[id] = a["content"].(string), userToken; a["special"] == true {
			types[id] = controlToken
		}
	}
	v := struct {
		tokens []string
		types  []int32
	}{}
	for id := range len(tokens) {
		v.tokens, v.types = append(v.tokens, tokens[id]), append(v.types, types[id])
	}
	return map[string]any{"tokens": v.tokens, "token_type": v.types, "merges": p.Model.Merges}
}

// rewritten returns the tokenizer of the tokenizer.json with other members.
func (p *published) rewritten(t testing.TB, change func(members, model map[string]any)) *Tokenizer {
	change(p.members, p.members["model"].(map[string]any))
	data, err := json.Marshal(p.members)
	if err != nil {
		t.Fatal(err)
	}
	tk, err := read(bytes.NewReader(data), &config{})
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// same compares the ids and texts of two tokenizers.
func same(t *testing.T, text string, got, want *Tokenizer) {
	t.Helper()
	for _, o := range []Options{{}, {AddSpecial: true}, {Literal: true}} {
		ids, wanted := got.Encode(text, o), want.Encode(text, o)
		if !slices.Equal(ids, wanted) {
			t.Errorf("%q, %+v: ids %d, want %d", text, o, ids, wanted)
		}
		for _, skip := range []bool{false, true} {
			if a, b := got.Decode(wanted, skip), want.Decode(wanted, skip); a != b {
				t.Errorf("%q: %d decoded %q, want %q", text, wanted, a, b)
			}
		}
	}
}

// referenceTexts returns the texts that the reference encoded for a vocabulary.
func referenceTexts(t testing.TB, name string) (all []encoded) {
	data, err := os.ReadFile(filepath.Join("testdata", name, "reference.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var e encoded
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func normalToken(string) int32 { return 1 }

// TestGGUFWithMergesGivesTheSameIds compares each splitting with the patterns that the models of that name are published with.
func TestGGUFWithMergesGivesTheSameIds(t *testing.T) {
	const (
		ends   = ` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
		letter = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|`
		gpt2   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
		marks  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
		upper  = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
		lower  = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
		suffix = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
		slash  = ` ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
		before = `[^\r\n\p{L}\p{N}]?`

		punctuated = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
	)
	for _, c := range []struct {
		pre      string
		patterns []string
		whole    bool
		ascii    bool // llama.cpp does not know the case of other letters
	}{
		{pre: "llama-bpe", patterns: []string{letter + `\p{N}{1,3}|` + ends}, whole: true},
		{pre: "glm4", patterns: []string{letter + `\p{N}{1,3}|` + ends}},
		{pre: "qwen2", patterns: []string{letter + `\p{N}|` + ends}},
		{pre: "qwen35", patterns: []string{marks}},
		{pre: "gpt-2", patterns: []string{gpt2}},
		{pre: "starcoder", patterns: []string{`\p{N}`, gpt2}},
		{pre: "deepseek-v3", patterns: []string{`\p{N}{1,3}`, `[一-龥぀-ゟ゠-ヿ]+`, punctuated}},
		{pre: "gpt-4o", patterns: []string{before + upper + `*` + lower + `+` + suffix + `|` + before + upper + `+` + lower + `*` + suffix + `|\p{N}{1,3}|` + slash}, ascii: true},
		{pre: "tekken", patterns: []string{before + upper + `*` + lower + `+|` + before + upper + `+` + lower + `*|\p{N}|` + slash}, whole: true, ascii: true},
	} {
		t.Run(c.pre, func(t *testing.T) {
			p := readPublished(t, "bytelevel")
			values := p.values(normalToken)
			values["model"], values["pre"], values["bos_token_id"], values["add_bos_token"] = "gpt2", c.pre, uint32(578), true
			got, err := openGGUF(t, values)
			if err != nil {
				t.Fatal(err)
			}
			want := p.rewritten(t, func(members, model map[string]any) {
				var all []any
				for _, source := range c.patterns {
					all = append(all, map[string]any{"type": "Split", "pattern": map[string]any{"Regex": source}, "behavior": "Isolated", "invert": false})
				}
				all = append(all, map[string]any{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})
				members["normalizer"], members["pre_tokenizer"], model["ignore_merges"] = nil, map[string]any{"type": "Sequence", "pretokenizers": all}, c.whole
				for _, a := range members["added_tokens"].([]any) { // GGUF has no such flags
					maps.Copy(a.(map[string]any), map[string]any{"single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
				}
			})
			for _, e := range append(referenceTexts(t, "bytelevel"), encoded{Text: []byte("He'Ll SAY's HTMLParser 12345 ../x\n/\r\n  \t x  ")}) {
				if text := string(e.Text); !c.ascii || strings.IndexFunc(text, func(r rune) bool { return r >= 128 }) < 0 {
					same(t, text, got, want)
				}
			}
		})
	}
}

// TestGGUFWithScoresGivesTheSameIds compares with the reference's ids.
func TestGGUFWithScoresGivesTheSameIds(t *testing.T) {
	p, want := readPublished(t, "fallback"), open(t, "fallback")
	values := p.values(func(spelling string) int32 {
		if _, ok := spelledByte([]byte(spelling)); ok {
			return byteToken
		}
		return 1
	})
	scores := make([]float32, len(p.Model.Vocab))
	for rank, text := range p.Model.Merges {
		scores[p.Model.Vocab[strings.Replace(text, " ", "", 1)]] = -1 - float32(rank)
	}
	delete(values, "merges")
	maps.Copy(values, map[string]any{
		"model": "llama", "scores": scores, "bos_token_id": uint32(1), "eos_token_id": uint32(2), "unknown_token_id": uint32(0), "add_eos_token": true,
	})
	got, err := openGGUF(t, values)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range referenceTexts(t, "fallback") {
		same(t, string(e.Text), got, want)
		if ids := got.Encode(string(e.Text), Options{AddSpecial: true}); !slices.Equal(ids, e.Whole) {
			t.Errorf("%q: ids %d, want %d", e.Text, ids, e.Whole)
		}
	}
}

// tiny returns the keys of a vocabulary of two letters and their merge, with some replaced; nil removes a key.
func tiny(model string, replaced map[string]any) map[string]any {
	values := map[string]any{
		"model": model, "tokens": []string{"a", "b", "ab", "<|im_end|>", "<user>", "<control>"}, "token_type": []int32{1, 1, 1, 1, userToken, controlToken},
	}
	if model == "gpt2" {
		values["pre"], values["merges"] = "gpt-2", []string{"a b"}
		for b := range 256 { // a model of bytes has all of them
			if text := string(spelledAs[b]); text != "a" && text != "b" {
				values["tokens"] = append(values["tokens"].([]string), text)
			}
		}
	} else {
		values["scores"] = []float32{0, 0, -1, 0, 0, 0}
	}
	maps.Copy(values, replaced)
	maps.DeleteFunc(values, func(_ string, v any) bool { return v == nil })
	return values
}

func TestGGUFTypesAndEnds(t *testing.T) {
	ids := map[string]any{"bos_token_id": uint32(0), "eos_token_id": uint32(1)}
	with := func(more map[string]any) map[string]any {
		all := maps.Clone(ids)
		maps.Copy(all, more)
		return all
	}
	for _, c := range []struct {
		name, model string
		replaced    map[string]any
		whole       []ID // of ab
	}{
		{"byte pairs begin with nothing", "gpt2", ids, []ID{2}},
		{"llama-bpe begins texts", "gpt2", with(map[string]any{"pre": "llama-bpe"}), []ID{0, 2}},
		{"the file decides", "gpt2", with(map[string]any{"pre": "llama-bpe", "add_bos_token": false, "add_eos_token": true}), []ID{2, 1}},
		{"scores begin texts", "llama", with(map[string]any{"add_space_prefix": false}), []ID{0, 2}},
		{"both ends", "llama", with(map[string]any{"add_space_prefix": false, "add_eos_token": true}), []ID{0, 2, 1}},
	} {
		tk, err := openGGUF(t, tiny(c.model, c.replaced))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := tk.Encode("ab", Options{AddSpecial: true}); !slices.Equal(got, c.whole) {
			t.Errorf("%s: %d, want %d", c.name, got, c.whole)
		}
		text := "<user>ab<control><|im_end|>"
		if got, want := tk.Encode(text, Options{}), []ID{4, 2, 5, 3}; !slices.Equal(got, want) {
			t.Errorf("%s: %s is %d, want %d", c.name, text, got, want)
		}
		if got := tk.Decode([]ID{4, 2, 5, 3}, true); got != "<user>ab" {
			t.Errorf("%s: without special tokens %q", c.name, got)
		}
	}
}

func TestVocabulariesThatAreNotSupportedAreRefused(t *testing.T) {
	for _, c := range []struct {
		model    string
		replaced map[string]any
		want     string
	}{
		{"bert", nil, `m.gguf: tokenizer.ggml.model: a vocabulary of the kind "bert" is not supported`},
		{"gpt2", map[string]any{"pre": "other"}, `m.gguf: tokenizer.ggml.pre: the splitting "other" is not supported`},
		{"gpt2", map[string]any{"pre": nil}, `tokenizer.ggml.pre: the splitting "" is not supported`},
		{"gpt2", map[string]any{"tokens": nil}, `tokenizer.ggml.tokens: the file has no vocabulary`},
		{"gpt2", map[string]any{"tokens": "a"}, `tokenizer.ggml.tokens: expected an array, found string`},
		{"gpt2", map[string]any{"merges": []string{"a c d"}}, `tokenizer.ggml.merges[0]: "a c d": both tokens and what they make must be in the vocabulary`},
		{"gpt2", map[string]any{"merges": []string{""}}, `tokenizer.ggml.merges[0]: ""`},
		{"gpt2", map[string]any{"add_eos_token": true}, `tokenizer.ggml.eos_token_id: add_eos_token asks for this token; expected the id of one of`},
		{"llama", map[string]any{"add_bos_token": true, "bos_token_id": uint32(6)}, `tokenizer.ggml.bos_token_id: add_bos_token asks for this token; expected the id of one of 6 tokens`},
		{"llama", map[string]any{"scores": []float32{1}}, `tokenizer.ggml.scores: expected a score for each of 6 tokens, found 1`},
		{"llama", map[string]any{"tokens": []string{"a", strings.Repeat("ab", 1000)}, "scores": []float32{0, 0}}, `tokenizer.ggml.tokens[1]: the token has more than 1024 bytes`},
	} {
		if _, err := openGGUF(t, tiny(c.model, c.replaced)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.60v:\n got %v\nwant %s", c.model, c.replaced, err, c.want)
		}
	}
	g := &ggufFile{}
	g.set("model", "llama")
	g.set("model", "gpt2")
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := os.WriteFile(path, g.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "tokenizer.ggml.model: the file has this key twice") {
		t.Error(err)
	}
}

// FuzzGGUF opens hostile files: each is refused, or encodes and decodes.
func FuzzGGUF(f *testing.F) {
	for _, model := range []string{"gpt2", "llama"} {
		g, values := &ggufFile{}, tiny(model, nil)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			g.set(key, values[key])
		}
		f.Add(g.bytes(), "<user>ab <|im_end|>")
	}
	path := filepath.Join(f.TempDir(), "m.gguf")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if tk, err := Open(path); err == nil {
			tk.Decode(tk.Encode(text, Options{AddSpecial: true}), false)
			tk.AppendTokens(nil, text, Options{})
		}
	})
}
