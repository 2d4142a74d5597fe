package openai

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/replay"
	"github.com/dragoman-project/dragoman/gateway/engine/wire"
	"github.com/dragoman-project/dragoman/gateway/gatewaytest"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
)

// passer is a gateway in front of a server with OpenAI's API, whose completions answer answers, and of the replay engine.
type passer struct {
	url    string
	answer http.HandlerFunc
	bodies []string
}

func newPasser(t *testing.T, change ...func(*config.Config)) *passer {
	t.Helper()
	cfg := config.Default()
	for _, c := range change {
		c(cfg)
	}
	p := new(passer)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, `{"data":[{"id":"org/raw","owned_by":"lmdeploy"}]}`)
		case "/v1/completions":
			p.bodies = append(p.bodies, string(body))
			p.answer(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
	if err != nil {
		t.Fatal(err)
	}
	player, err := replay.New(replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := wire.NewClient(wire.Options{})
	g := gateway.New(t.Context(), gateway.Options{Host: h, Models: map[string]gateway.Alias{"alias": {Model: "org/raw"}}, Servers: []gateway.Server{
		{Name: "raw", Find: func(ctx context.Context) (engine.Engine, error) { return client.Find(ctx, server.URL) }},
		{Name: "replay", Find: func(context.Context) (engine.Engine, error) { return player, nil }},
	}})
	front := httptest.NewServer(api.New(h, api.Options{Endpoints: Endpoints(g)}))
	p.url = front.URL
	t.Cleanup(func() {
		front.Close()
		g.Close()
		client.Close()
		server.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// ask posts a request for a completion.
func (p *passer) ask(ctx context.Context, t *testing.T, body string, header ...string) (gatewaytest.Head, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+completionsPath, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body) // what came is compared
	return gatewaytest.Head{StatusCode: res.StatusCode, Header: res.Header}, string(text)
}

func TestCompletionsArePassedOnAsTheyAre(t *testing.T) {
	p := newPasser(t)
	const request = `{ "model": "org/raw", "prompt": "<|x|>\u00e9", "seed": 9007199254740993, "unknown": [1.0] }`
	const stream = "data: {\"choices\":[{\"text\":\"Gr\xc3\"}]}\n\n: a comment\n\ndata: {\"choices\":[{\"text\":\"\xbc\\u00df\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
	for kind, answer := range map[string]string{"application/json": `{"id": "1", "choices": [{"text": "é"}], "usage": {"prompt_tokens": 3}}` + "\n", "text/event-stream; charset=utf-8": stream} {
		for size := 1; size < len(answer); size += 1 + size/2 {
			p.bodies = nil
			p.answer = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", kind)
				for rest := answer; rest != ""; rest = rest[min(size, len(rest)):] {
					_, _ = io.WriteString(w, rest[:min(size, len(rest))])
					w.(http.Flusher).Flush()
				}
			}
			res, text := p.ask(t.Context(), t, request)
			if res.StatusCode != http.StatusOK || text != answer || res.Header.Get("Content-Type") != kind || len(p.bodies) != 1 || p.bodies[0] != request {
				t.Fatalf("in parts of %d: %d %v\n%q\n%q", size, res.StatusCode, res.Header, text, p.bodies)
			}
		}
	}
}

func TestCompletionsFailInTheWordsOfOpenAI(t *testing.T) {
	p := newPasser(t)
	for _, test := range []struct {
		name, request string
		answer        http.HandlerFunc
		status        int
		want          string
		asked         int
	}{
		{"no JSON", `{"model"`, nil, 400, `"type":"invalid_request_error"`, 0},
		{"no object", `[]`, nil, 400, `expected an object`, 0},
		{"no model", `{"prompt":"a"}`, nil, 400, `"param":"model"`, 0},
		{"an unknown model", `{"model":"x"}`, nil, 404, `"code":"model_not_found"`, 0},
		{"an engine without", `{"model":"replay"}`, nil, 400, "its engine, replay, has no such API", 0},
		{"refused", `{"model":"org/raw"}`, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"object":"error","message":"too long","type":"BadRequestError","code":400}`, http.StatusBadRequest)
		}, 400, `{"error":{"message":"the engine answers 400: too long","type":"invalid_request_error","param":null,"code":null}}`, 1},
		{"down", `{"model":"alias"}`, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", http.StatusBadGateway) }, 503, `"type":"server_error"`, 3},
		{"killed before the first byte", `{"model":"alias"}`, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, 503, "broke off", 3},
		{"killed within a stream", `{"model":"alias"}`, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, 200, "data: {\"choices\n\ndata: {\"error\":{\"message\":\"the engine broke off", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.answer, p.bodies = test.answer, nil
			res, text := p.ask(t.Context(), t, test.request)
			if res.StatusCode != test.status || !strings.Contains(text, test.want) || len(p.bodies) != test.asked {
				t.Errorf("%d %s, asked %d times", res.StatusCode, text, len(p.bodies))
			}
			for _, body := range p.bodies {
				if !strings.Contains(body, `"org/raw"`) {
					t.Errorf("%s", body)
				}
			}
		})
	}
}

func TestAClientThatLeavesEndsTheCompletion(t *testing.T) {
	p := newPasser(t)
	gone := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	p.answer = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
		close(gone)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+completionsPath, strings.NewReader(`{"model":"org/raw"}`))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(r); err == nil {
		_, _ = io.ReadAll(res.Body) // it ends with the context
		_ = res.Body.Close()
	}
	<-gone
}

// TestPassedCompletionsUseUpTheTokensOfTheirKey asks twice with a limit that one answer exceeds, whether the engine counts or not.
func TestPassedCompletionsUseUpTheTokensOfTheirKey(t *testing.T) {
	const chunk = "data: {\"choices\":[{\"text\":\"Hi\"}]}\n\n"
	for _, answer := range []string{`{"choices":[{"text":"Hi"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`, `{"choices":[{"text":"Hi"}]}`, chunk + chunk} {
		p := newPasser(t, func(c *config.Config) {
			c.Auth.ClientTokens, c.Limits.KeyTokensPerMinute = []string{"client"}, 5
		})
		p.answer = func(w http.ResponseWriter, _ *http.Request) {
			if strings.HasPrefix(answer, "data") {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			_, _ = io.WriteString(w, answer) // fails only when the client is gone
		}
		for _, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
			if res, text := p.ask(t.Context(), t, `{"model":"org/raw","prompt":"Say hi."}`, "Authorization", "Bearer client"); res.StatusCode != want {
				t.Errorf("%s: %d %s", answer, res.StatusCode, text)
			}
		}
	}
}
