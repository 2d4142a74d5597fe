package api

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/dragoman-project/dragoman/host/config"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// withTokens starts a daemon with a model of that name, in which </think> is a special token.
func withTokens(t *testing.T, name string) *daemon {
	t.Helper()
	source, err := os.ReadFile("../../templates/chatml-reasoning.jinja")
	must(t, err)
	files, err := json.Marshal(map[string]any{"chat_template": string(source), "added_tokens_decoder": map[string]any{
		"1": map[string]any{"content": "</think>", "special": true},
		"2": map[string]any{"content": "<|im_end|>", "special": true},
	}})
	must(t, err)
	dir := filepath.Join(t.TempDir(), name)
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), files, 0o600))
	return serve(t, func(c *config.Config) { c.Templates.Models = []string{dir} })
}

// TestProseMaySpellAMarkerWhereTheEngineKnowsItsTokens sends an output that mentions the marker
// which later ends its reasoning, at once and cut everywhere, also within the marker.
func TestProseMaySpellAMarkerWhereTheEngineKnowsItsTokens(t *testing.T) {
	const output, from, to = "The tag </think> closes it. </think>Hi.", 28, 36
	const want = `{"role":"assistant","content":"Hi.","reasoning_content":"The tag </think> closes it."}`
	d := withTokens(t, "m")
	chat := dragomanv1connect.NewChatServiceClient(httpClient(t), d.url)
	start := start1()
	start.Template, start.Options = "m", &dragomanv1.ParseOptions{SpecialKnown: true}
	whole, err := chat.Parse(t.Context(), &dragomanv1.ParseRequest{Template: "m", Request: start.Request, Options: start.Options,
		Output: &dragomanv1.ParseRequest_Text{Text: output}, Special: within(0, len(output), from, to)})
	must(t, err)
	same(t, whole.Message.Text, want)
	for cut := range len(output) + 1 {
		stream := open(t, t.Context(), chat)
		must(t, stream.Send(&dragomanv1.ParseStreamRequest{Start: start}))
		for _, p := range [][2]int{{0, cut}, {cut, len(output)}} {
			must(t, stream.Send(&dragomanv1.ParseStreamRequest{Special: within(p[0], p[1], from, to),
				Chunk: &dragomanv1.ParseStreamRequest_Data{Data: []byte(output[p[0]:p[1]])}}))
		}
		_, result := exchangeRest(t, stream, "")
		same(t, result.Message.Text, want)
	}
}

// within returns the part of a range that lies in a piece, relative to the beginning of the piece.
func within(begin, end, from, to int) []*dragomanv1.ByteRange {
	if from = max(from, begin); from >= min(to, end) {
		return nil
	}
	return []*dragomanv1.ByteRange{{Start: uint32(from - begin), End: uint32(min(to, end) - begin)}}
}
