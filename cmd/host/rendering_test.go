package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// TestAScorerRendersWhatClientsSend runs a daemon for a model in Hugging Face's cache, and posts what llm-d's scorer posts: the body of
// a client, as it came, with another model. It reads token_ids and features.
func TestAScorerRendersWhatClientsSend(t *testing.T) {
	template, err := dragoman.Templates.ReadFile("templates/chatml-reasoning.jinja")
	must(t, err)
	cache := cached(t, "org/name", string(template))
	files := filepath.Join(cache, "models--org--name", "snapshots", cachedCommit)
	must(t, os.WriteFile(filepath.Join(files, "tokenizer.json"), []byte(shared.ByteVocabulary("<s>", "<s>", "<|im_start|>", "<|im_end|>")), 0o644))
	p := restarting(t, t.TempDir(), "--model", "org/name", "--download") // the hub is gone
	post := func(body []byte) (status int, answer struct {
		TokenIDs []uint32 `json:"token_ids"`
		Features any
		Error    struct{ Type string }
	}) {
		t.Helper()
		res, err := p.client.Post("http://host/v1/chat/completions/render", "application/json", bytes.NewReader(body))
		must(t, err)
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		must(t, err)
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return res.StatusCode, answer
	}
	if status, answer := post([]byte(`{"model":"name","messages":[{"role":"user","content":"Hi"}]}`)); status != http.StatusNotFound || answer.Error.Type != "NotFoundError" {
		t.Errorf("another model: %d %v", status, answer)
	}
	for _, body := range recordedChats(t) {
		var request map[string]json.RawMessage
		must(t, json.Unmarshal(body, &request))
		request["model"] = json.RawMessage(`"org/name"`)
		body, err := json.Marshal(request)
		must(t, err)
		if status, answer := post(body); status != http.StatusOK || len(answer.TokenIDs) < 10 || answer.Features != nil {
			t.Errorf("%.200s: %d %v", body, status, answer.Error)
		}
	}
	log := p.log.String()
	if !strings.Contains(log, "method=/v1/chat/completions/render") || !strings.Contains(log, "template=org/name") {
		t.Errorf("the log lacks the requests:\n%s", log)
	}
}

// recordedChats returns the bodies of chat requests that real clients have sent.
func recordedChats(t *testing.T) (bodies [][]byte) {
	t.Helper()
	data, err := os.ReadFile(shared.Dir(t, "cases", "clients.jsonl"))
	must(t, err)
	for line := range bytes.Lines(data) {
		var c struct {
			Path string
			Body json.RawMessage
		}
		must(t, json.Unmarshal(line, &c))
		if c.Path == "/v1/chat/completions" {
			bodies = append(bodies, c.Body)
		}
	}
	return bodies
}
