package wire

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/wire/wiretest"
)

// fake is an engine that speaks the wire of one, as its source says, and keeps what it was sent.
type fake struct {
	*httptest.Server
	mu     sync.Mutex
	posted map[string]string // the last body, by path
	reply  func(w http.ResponseWriter, r *http.Request)
}

// answers are the fixed answers of each engine, by path.
var answers = wiretest.Answers

// start starts a fake of a kind; reply answers completions.
func start(t *testing.T, kind string, reply func(http.ResponseWriter, *http.Request)) *fake {
	t.Helper()
	return startWith(t, answers[kind], reply)
}

// startWith is start with fixed answers of its own.
func startWith(t *testing.T, answers map[string]string, reply func(http.ResponseWriter, *http.Request)) *fake {
	t.Helper()
	f := &fake{posted: map[string]string{}, reply: reply}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := answers[r.URL.Path]
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.posted[r.URL.Path] = string(body)
		f.mu.Unlock()
		switch {
		case !ok && r.Method == http.MethodPost && f.reply != nil:
			f.reply(w, r)
		case !ok:
			http.Error(w, `{"detail":"Not Found"}`, http.StatusNotFound)
		case strings.HasSuffix(r.URL.Path, "tokenize") && strings.Contains(string(body), `true`):
			fmt.Fprint(w, `{"tokens":[0,1],"count":2}`) // with the token that begins a text
		default:
			fmt.Fprint(w, text)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

// find connects to the fake.
func (f *fake) find(t *testing.T, o Options) engine.Engine {
	t.Helper()
	c := NewClient(o)
	t.Cleanup(c.http.CloseIdleConnections)
	e, err := c.Find(t.Context(), f.URL+"/v1/")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// writes returns an answer that writes parts one by one.
func writes(parts ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, part := range parts {
			_, _ = io.WriteString(w, part)
			w.(http.Flusher).Flush()
		}
	}
}

// sse returns events.
func sse(events ...string) (out []string) {
	for _, e := range events {
		out = append(out, "data: "+e+"\n\n")
	}
	return out
}

// compact returns JSON with its members sorted.
func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
