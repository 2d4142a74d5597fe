package gateway

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// TestWhatAnEngineDoesNotCountIsCounted lets engines count more and less of an output with reasoning.
func TestWhatAnEngineDoesNotCountIsCounted(t *testing.T) {
	vocabulary, err := os.ReadFile("../sdk/tokenizer/testdata/bytelevel/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile("../templates/chatml-reasoning.jinja")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "m")
	files := map[string][]byte{"tokenizer.json": vocabulary, "chat_template.jinja": template, "tokenizer_config.json": []byte(`{"eos_token":"<|im_end|>"}`)}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tokens, err := tokenizer.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const thought, output = "I greet.", "I greet.\n</think>\n\nHello there!<|im_end|>"
	count := func(text string) int { return len(tokens.Encode(text, tokenizer.Options{})) }
	for _, test := range []struct {
		name    string
		known   bool // the tokenizer
		counted *engine.Usage
		want    func(prompt int) *engine.Usage
	}{
		{"nothing", true, nil, func(n int) *engine.Usage {
			return &engine.Usage{Prompt: n, Completion: count(output), Reasoning: new(count(thought))}
		}},
		{"the output", true, &engine.Usage{Completion: 99}, func(n int) *engine.Usage {
			return &engine.Usage{Prompt: n, Completion: 99, Reasoning: new(count(thought))}
		}},
		{"no reasoning", true, &engine.Usage{Prompt: 88, Completion: 99, Cached: new(7)}, func(int) *engine.Usage {
			return &engine.Usage{Prompt: 88, Completion: 99, Cached: new(7), Reasoning: new(count(thought))}
		}},
		{"fewer tokens than its reasoning has", true, &engine.Usage{Prompt: 88, Completion: 1}, func(int) *engine.Usage {
			return &engine.Usage{Prompt: 88, Completion: 1, Reasoning: new(1)}
		}},
		{"all", true, &engine.Usage{Prompt: 88, Completion: 99, Reasoning: new(5)}, func(int) *engine.Usage {
			return &engine.Usage{Prompt: 88, Completion: 99, Reasoning: new(5)}
		}},
		{"nothing, and the tokenizer is not known", false, nil, func(int) *engine.Usage { return nil }},
		{"the output, and the tokenizer is not known", false, &engine.Usage{Completion: 99}, func(int) *engine.Usage { return &engine.Usage{Completion: 99} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg, known := config.Default(), "chatml-reasoning"
			if test.known {
				cfg.Templates.Models, known = []string{dir}, "m"
			}
			h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
			if err != nil {
				t.Fatal(err)
			}
			e := &scripted{models: []engine.Model{{Name: "m", Known: known}}, pieces: inPieces(output, 3, engine.Stopped)}
			e.pieces[len(e.pieces)-1].Usage = test.counted
			g := New(t.Context(), Options{Host: h, Servers: []Server{{Name: "e", Find: func(context.Context) (engine.Engine, error) { return e, nil }}}})
			got, o := answer(t, g, `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`)
			g.Close()
			if got.err != nil {
				t.Fatal(got.err)
			}
			if d := cmp.Diff(test.want(count(e.requests[0].Prompt)), o.Usage()); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if err := h.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
