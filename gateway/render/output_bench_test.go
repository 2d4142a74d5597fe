package render

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// BenchmarkOutput measures what a token costs from its id to a delta, without JSON: in streams of one token a chunk.
func BenchmarkOutput(b *testing.B) {
	template, err := dragoman.Templates.ReadFile("templates/chatml-reasoning.jinja")
	if err != nil {
		b.Fatal(err)
	}
	h, err := host.New(b.Context(), host.Options{Config: config.Default()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = h.Close(b.Context()) })
	path := filepath.Join(b.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, []byte(shared.ByteVocabulary("<s>", "<s>", "<think>", "</think>")), 0o600); err != nil {
		b.Fatal(err)
	}
	t, err := tokenizer.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	req, err := chat.ParseRequest([]byte(`{"messages":[{"role":"user","content":"Hi"}]}`))
	if err != nil {
		b.Fatal(err)
	}
	plan, err := h.Detached(host.TemplateSource{Name: "m", Source: string(template)}).Plan(b.Context(), "", req)
	if err != nil {
		b.Fatal(err)
	}
	const tokens = 65536
	b.ReportAllocs()
	var out *output
	for n := 0; b.Loop(); n++ {
		if n%tokens == 0 {
			if out, err = newOutput(b.Context(), t, plan, nil); err != nil {
				b.Fatal(err)
			}
		}
		var d delta
		pieces, err := out.take([]tokenizer.ID{'h'})
		if err != nil {
			b.Fatal(err)
		}
		d.add(pieces)
	}
}
