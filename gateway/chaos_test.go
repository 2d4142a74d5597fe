package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/wire"
	"github.com/dragoman-project/dragoman/gateway/engine/wire/wiretest"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// What engines write in TestEnginesDie, and what it becomes.
const (
	chaosThought, chaosContent = "Grüße, 世界… 😀 what to say? Something of several tokens.", "Hello, Ünïversum! 你好 </thi and good bye."
	chaosOutput                = chaosThought + "\n</think>\n\n" + chaosContent + "<|im_end|>"
)

// TestEnginesDie asks two engines of each kind, which die in every way, at any piece. An answer is whole, or it is its beginning and an
// error; every byte that an engine has written is accounted for.
func TestEnginesDie(t *testing.T) {
	for _, kind := range []string{"vllm", "sglang", "llama-server", "tgi", "ollama"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			g := dying(t, kind)
			var all sync.WaitGroup
			var mu sync.Mutex
			seen := map[string]int{}
			for i := range 40 {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					became := survive(ctx, t, g, i%4 == 0)
					mu.Lock()
					seen[became]++
					mu.Unlock()
				})
			}
			all.Wait()
			if seen["whole"] == 0 || seen["broken"] == 0 {
				t.Errorf("answers became %v", seen)
			}
			for _, s := range g.servers {
				if n := s.running.Load(); n != 0 {
					t.Errorf("%d outputs of %s are still counted", n, s.Name)
				}
			}
		})
	}
}

// dying returns a gateway in front of two engines of a kind.
func dying(t *testing.T, kind string) *Gateway {
	t.Helper()
	h, err := host.New(t.Context(), host.Options{Config: config.Default(), Static: true})
	if err != nil {
		t.Fatal(err)
	}
	client := wire.NewClient(wire.Options{Idle: 200 * time.Millisecond})
	o := Options{Host: h, Models: map[string]Alias{"m": {Model: "org/m", Template: "chatml-reasoning"}}}
	if kind == "ollama" {
		o.Models["m"] = Alias{Model: "m:latest", Template: "chatml-reasoning"}
	}
	var servers []*httptest.Server
	for i := range 2 {
		var mu sync.Mutex
		dice := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // the same in each run
		server := httptest.NewServer(wiretest.Handler(kind, func(prompt string) wiretest.Script {
			mu.Lock()
			defer mu.Unlock()
			output := chaosOutput
			if strings.HasSuffix(prompt, "</think>") {
				output = "\n\n" + chaosContent + "<|im_end|>"
			}
			s := wiretest.Script{Pieces: tokensOf(output, kind, dice), Fate: wiretest.Fate(dice.IntN(12))}
			if s.Fate > wiretest.Silent {
				s.Fate = wiretest.Whole
			}
			s.At = dice.IntN(len(s.Pieces))
			return s
		}))
		servers = append(servers, server)
		o.Servers = append(o.Servers, Server{Name: fmt.Sprint("e", i), Find: func(ctx context.Context) (engine.Engine, error) { return client.Find(ctx, server.URL) }})
	}
	g := New(t.Context(), o)
	t.Cleanup(func() {
		g.Close()
		client.Close()
		for _, s := range servers {
			s.Close()
		}
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return g
}

// special is a token that no engine cuts.
var special = regexp.MustCompile(`</think>|<\|im_end\|>`)

// tokensOf cuts an output as engines of a kind do: some cut characters, none cuts special tokens.
func tokensOf(output, kind string, dice *rand.Rand) (out []string) {
	for output != "" {
		at := special.FindStringIndex(output)
		if at == nil {
			at = []int{len(output), len(output)}
		}
		for text := output[:at[0]]; text != ""; {
			n := min(1+dice.IntN(6), len(text))
			for (kind == "vllm" || kind == "tgi") && n < len(text) && text[n]&0xC0 == 0x80 {
				n++
			}
			out, text = append(out, text[:n]), text[n:]
		}
		if at[0] < at[1] {
			out = append(out, output[at[0]:at[1]])
		}
		output = output[at[1]:]
	}
	return out
}

// survive asks for one answer, with a budget of thinking or without, and returns what became of it.
func survive(ctx context.Context, t *testing.T, g *Gateway, budget bool) string {
	request := `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`
	if budget {
		request = `{"model":"m","messages":[{"role":"user","content":"Hi"}],"thinking_budget":4}`
	}
	a, err := g.Plan(ctx, []byte(request))
	if err != nil {
		t.Error(err)
		return "refused"
	}
	var waited time.Duration
	o, err := a.Begin(ctx, "id", &waited)
	if err != nil {
		if code := fault.CodeOf(err); code != fault.Unavailable && code != fault.TimedOut {
			t.Error(err)
		}
		return "never begun"
	}
	defer o.Close()
	thought, content := "", ""
	for err == nil {
		var pieces []chat.Piece
		pieces, err = o.Next(nil)
		for _, d := range chat.Deltas(pieces) {
			thought, content = thought+d.ReasoningContent, content+d.Content
		}
	}
	if !strings.HasPrefix(chaosThought, thought) || !strings.HasPrefix(chaosContent, content) || content != "" && thought != chaosThought && !budget {
		t.Errorf("thought %q, content %q", thought, content)
	}
	if !errors.Is(err, io.EOF) {
		if code := fault.CodeOf(err); code != fault.Unavailable && code != fault.TimedOut {
			t.Error(err)
		}
		return "broken"
	}
	report := o.Result().Report
	if end := report.Spans[len(report.Spans)-1].End; content != chaosContent || report.Status != chat.Complete || end != report.Length {
		t.Errorf("content %q, report %+v", content, report)
	}
	if written := report.Length - report.PromptLength; !budget && written != len(chaosOutput) && written != len(chaosOutput)-len("<|im_end|>") {
		t.Errorf("%d bytes of %d were read", written, len(chaosOutput))
	}
	return "whole"
}
