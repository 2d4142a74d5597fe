package client_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/client"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// withTokens adds a model, m, whose tokens are single bytes and a few markers.
func withTokens(t *testing.T) func(*config.Config) {
	t.Helper()
	template, err := os.ReadFile("../templates/chatml-reasoning.jinja")
	must(t, err)
	dir := filepath.Join(t.TempDir(), "m")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "chat_template.jinja"), template, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(shared.ByteVocabulary("<s>", "<|im_start|>", "<|im_end|>", "</think>")), 0o600))
	return func(c *config.Config) { c.Templates.Models = []string{dir} }
}

const (
	thought = 258 // </think>
	ended   = 257 // <|im_end|>
)

// spelled returns the ids of the bytes of a text.
func spelled(text string) (ids []uint32) {
	for _, b := range []byte(text) {
		ids = append(ids, uint32(b))
	}
	return ids
}

// located is what a chunk adds, and the ids that it came from.
type located struct {
	chat.Delta
	first, end int
}

// TestOutputsAreSentAsTokenIds sends ids cut everywhere, over a stream of their own and over a shared one: prose spells the marker that ends
// reasoning, and each chunk says which ids it came from.
func TestOutputsAreSentAsTokenIds(t *testing.T) {
	c, streams, stop := sharing(t, withTokens(t))
	defer stop()
	const reasoning, content = "The tag </think> é closes.", "Hi 🪿."
	ids := append(append(append(spelled(reasoning), thought), spelled(content)...), ended)
	whole, err := c.ParseIDs(t.Context(), "m", request1, ids)
	must(t, err)
	want := &chat.TokenCounts{Output: len(ids), Reasoning: len(reasoning), Content: len(content)}
	if m := whole.Message; m.ReasoningContent != reasoning || m.Content.Join("") != content || !cmp.Equal(whole.Report.Tokens, want) {
		t.Fatalf("%+v, %+v", m, whole.Report.Tokens)
	}
	for cut := range ids {
		own, err := c.ParseStream(t.Context(), "m", request1, client.TokenIDs(), client.Deltas())
		must(t, err)
		part, err := streams.ParseStream(t.Context(), "m", request1, client.TokenIDs(), client.Deltas())
		must(t, err)
		for name, s := range map[string]*client.Stream{"own": own, "shared": part} {
			must(t, errors.Join(s.SendIDs(ids[:cut]...), s.SendIDs(ids[cut:]...), s.CloseSend()))
			next := 0
			for chunk, err := range s.Chunks() {
				must(t, err)
				l := located{}
				must(t, json.Unmarshal(chunk, &l.Delta))
				l.first, l.end = s.IDs()
				next = l.check(t, ids, next)
			}
			got := s.Result()
			got.Report.MaxHeld = whole.Report.MaxHeld // depends on the cut
			if diff := cmp.Diff(whole, got); diff != "" || next < len(ids)-1 {
				t.Errorf("%s, cut at %d: chunks up to id %d of %d (-whole +stream):\n%s", name, cut, next, len(ids), diff)
			}
		}
	}
}

// check checks that a chunk's text is within that of its ids, which follow those of the chunk before.
func (l *located) check(t *testing.T, ids []uint32, next int) int {
	t.Helper()
	text := l.Content + l.ReasoningContent
	if text == "" {
		if l.first != 0 || l.end != 0 {
			t.Errorf("the role came from ids %d to %d", l.first, l.end)
		}
		return next
	}
	var all []byte
	for _, id := range ids[l.first:l.end] {
		if id < 256 {
			all = append(all, byte(id))
		}
	}
	if l.first < next-1 || !strings.Contains(string(all), text) {
		t.Errorf("%q came from ids %d to %d, %q, after %d", text, l.first, l.end, all, next)
	}
	return l.end
}

// collected receives an output of token ids.
type collected struct {
	ids  [][2]int
	done chan error
}

func (c *collected) IDs(first, end int)             { c.ids = append(c.ids, [2]int{first, end}) }
func (c *collected) Chunk(json.RawMessage)          {}
func (c *collected) End(_ *session.Result, e error) { c.done <- e }

func TestReceiversLearnTheIdsOfChunks(t *testing.T) {
	_, streams, stop := sharing(t, withTokens(t))
	defer stop()
	got := &collected{done: make(chan error, 1)}
	s, err := streams.ParseInto(t.Context(), "m", request1, got, client.TokenIDs(), client.Deltas())
	must(t, err)
	must(t, errors.Join(s.SendIDs('a', thought, 'b'), s.CloseSend()))
	must(t, <-got.done)
	if want := [][2]int{{0, 0}, {0, 1}, {2, 3}}; !cmp.Equal(got.ids, want) {
		t.Errorf("chunks came from ids %v, want %v", got.ids, want)
	}
}
