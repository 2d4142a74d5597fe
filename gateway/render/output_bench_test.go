package render

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// outputs returns a function that begins outputs of a model whose ids of bytes are the bytes.
func outputs(t testing.TB) func() *output {
	t.Helper()
	template, err := dragoman.Templates.ReadFile("templates/chatml-reasoning.jinja")
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.New(t.Context(), host.Options{Config: config.Default()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(t.Context()) })
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err := os.WriteFile(path, []byte(shared.ByteVocabulary("<s>", "<s>", "<think>", "</think>")), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := tokenizer.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	req, err := chat.ParseRequest([]byte(`{"messages":[{"role":"user","content":"Hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := h.Detached(host.TemplateSource{Name: "m", Source: string(template)}).Plan(t.Context(), "", req)
	if err != nil {
		t.Fatal(err)
	}
	return func() *output {
		out, err := newOutput(t.Context(), tokens, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// derenderer takes the next ids of an output and returns how many bytes they add to its reasoning, without JSON.
type derenderer func(t testing.TB, ids ...tokenizer.ID) int

func length(t testing.TB, out *output, ids []tokenizer.ID) int {
	t.Helper()
	pieces, err := out.take(ids)
	if err != nil {
		t.Fatal(err)
	}
	var d delta
	if d.add(pieces); d.Reasoning == nil {
		return 0
	}
	return len(*d.Reasoning)
}

// incremental goes on where the chunk before has ended, as the service does.
func incremental(begin func() *output) derenderer {
	out := begin()
	return func(t testing.TB, ids ...tokenizer.ID) int { return length(t, out, ids) }
}

// replaying keeps the ids alone, decodes and parses all of them again with each chunk, and subtracts what was sent. The chunks before are
// replayed as one, which is the least that this way costs.
func replaying(begin func() *output) derenderer {
	var all []tokenizer.ID
	sent := 0
	return func(t testing.TB, ids ...tokenizer.ID) int {
		all = append(all, ids...)
		out := begin()
		defer out.close()
		added := length(t, out, all) - sent
		sent += added
		return added
	}
}

// TestATokenAllocatesTheSameAfterALongOutput counts bytes; a replay allocates at least the text so far.
func TestATokenAllocatesTheSameAfterALongOutput(t *testing.T) {
	begin := outputs(t)
	least := func(take derenderer, from, to int) uint64 {
		take(t, make([]tokenizer.ID, from)...)
		fewest := uint64(math.MaxUint64) // others may allocate meanwhile
		for n := from; n < to; n++ {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if added := take(t, 'h'); added != 1 {
				t.Fatalf("token %d adds %d bytes, want 1", n, added)
			}
			runtime.ReadMemStats(&after)
			fewest = min(fewest, after.TotalAlloc-before.TotalAlloc)
		}
		return fewest
	}
	const tokens, long, tries = 1 << 10, 1 << 16, 20
	early, late := least(incremental(begin), tokens, tokens+tries), least(incremental(begin), long, long+tries)
	if late > early {
		t.Errorf("a token allocates %d bytes after %d tokens, %d after %d", early, tokens, late, long)
	}
	if replayed := least(replaying(begin), long, long+1); replayed < long {
		t.Errorf("a token that replays %d allocates %d bytes: this test does not see a replay", long, replayed)
	}
}

// BenchmarkOutput measures what a token costs from its id to a delta, in streams of one token a chunk, beside an implementation that
// replays the output with each of them.
func BenchmarkOutput(b *testing.B) {
	begin := outputs(b)
	for _, c := range []struct {
		name    string
		new     func(func() *output) derenderer
		lengths []int
	}{
		{"incremental", incremental, []int{1 << 10, 1 << 12, 1 << 16}},
		{"replaying", replaying, []int{1 << 10, 1 << 11, 1 << 12}},
	} {
		for _, tokens := range c.lengths {
			b.Run(fmt.Sprintf("%s/%d-tokens", c.name, tokens), func(b *testing.B) {
				for b.Loop() {
					take := c.new(begin)
					for range tokens {
						take(b, 'h')
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tokens), "ns/token")
			})
		}
	}
}
