package render_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/gateway/render"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

// The ids of the test's model: those of bytes are the bytes, and these are added.
const (
	start    = 256  // <|im_start|>, special
	end      = 257  // <|im_end|>, special, ends an output
	begin    = 258  // <s>, special
	think    = 259  // <think>
	thought  = 260  // </think>
	call     = 261  // <tool_call>
	called   = 262  // </tool_call>
	pad      = 263  // <|pad|>, special, of no meaning to the template
	length   = 4096 // the context
	named    = "m"
	greeting = `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`
)

// vocabulary returns the tokenizer.json of the test's model.
func vocabulary() string {
	return shared.ByteVocabulary("<s>", "<|im_start|>", "<|im_end|>", "<s>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<|pad|>")
}

// modelFolder returns a folder with the files of a model.
func modelFolder(t testing.TB) string {
	t.Helper()
	template, err := dragoman.Templates.ReadFile("templates/chatml-reasoning.jinja")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), named)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"chat_template.jinja": string(template), "tokenizer.json": vocabulary(), "tokenizer_config.json": `{"bos_token":"<s>","eos_token":"<|im_end|>","added_tokens_decoder":{"256":{"content":"<|im_start|>","special":true}}}`,
		"generation_config.json": fmt.Sprintf(`{"eos_token_id":[%d],"temperature":0.6,"top_k":20}`, end), "config.json": fmt.Sprintf(`{"max_position_embeddings":%d}`, length),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// daemon is a daemon with the test's model.
type daemon struct {
	*httptest.Server
	tokens *tokenizer.Tokenizer
	key    string
}

func newDaemon(t testing.TB, o render.Options, change ...func(*config.Config)) *daemon {
	t.Helper()
	cfg := config.Default()
	cfg.Templates.Models = []string{modelFolder(t)}
	for _, c := range change {
		c(cfg)
	}
	h, err := host.New(t.Context(), host.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(t.Context()) })
	tokens, err := tokenizer.Open(cfg.Templates.Models[0])
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api.New(h, api.Options{Endpoints: render.New(h, o)}))
	t.Cleanup(server.Close)
	return &daemon{Server: server, tokens: tokens}
}

// post sends a request and returns the answer.
func (d *daemon) post(t testing.TB, path, body string) (status int, answer string) {
	t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if d.key != "" {
		r.Header.Set("Authorization", "Bearer "+d.key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// expect sends a request and compares the answer, but for ids and times, which become "ID" and 0.
func (d *daemon) expect(t testing.TB, path, body string, status int, want string) {
	t.Helper()
	got, answer := d.post(t, path, body)
	if got != status {
		t.Errorf("%s %s: status %d, want %d: %s", path, body, got, status, answer)
		return
	}
	if diff := cmp.Diff(normal(t, want), normal(t, answer)); diff != "" {
		t.Errorf("%s %s:\n%s\n%s", path, body, diff, answer)
	}
}

// normal returns JSON without what differs from call to call.
func normal(t testing.TB, text string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return scrub(v)
}

func scrub(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			s, isText := m.(string)
			switch prefix, _, random := strings.Cut(s, "-"); {
			case name == "created":
				v[name] = 0
			case isText && random && (name == "request_id" || name == "id") && (prefix == "chatcmpl" || prefix == "cmpl"):
				v[name] = prefix + "-ID"
			case isText && name == "request_id" && strings.HasPrefix(s, "resp_"):
				v[name] = "resp_ID"
			case isText && name == "id" && len(s) >= 8 && !strings.HasPrefix(s, "generate-"):
				v[name] = "ID"
			default:
				v[name] = scrub(m)
			}
		}
	case []any:
		for i := range v {
			v[i] = scrub(v[i])
		}
	}
	return v
}

// ids returns the ids of a text as JSON.
func (d *daemon) ids(text string) string {
	data, _ := json.Marshal(d.tokens.Encode(text, tokenizer.Options{}))
	return string(data)
}

// list returns ids as a list.
func (d *daemon) list(text string) []tokenizer.ID { return d.tokens.Encode(text, tokenizer.Options{}) }

// pretty returns v as JSON.
func pretty(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}
