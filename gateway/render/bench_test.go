package render_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/gateway/render"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// service is the service without a network: endpoints by their paths.
type service map[string]api.Endpoint

func newService(t testing.TB) service {
	t.Helper()
	cfg := config.Default()
	cfg.Templates.Models = []string{modelFolder(t)}
	h, err := host.New(t.Context(), host.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(t.Context()) })
	endpoints := render.New(h, render.Options{})
	s := service{}
	for _, e := range endpoints {
		s[e.Path] = e
	}
	return s
}

// post sends a request to an endpoint.
func (s service) post(t testing.TB, path, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	if err := s[path].Serve(w, r); err != nil {
		t.Fatal(err)
	}
	return w.Body.String()
}

// run is a stream under way.
type run struct {
	service
	state string
}

func (r *run) next(t testing.TB, ids, finish string) {
	answer := r.post(t, chatPath, chunkBody(ids, finish, r.state))
	at := strings.LastIndex(answer, `"stream_state":`) // reading the JSON would be measured, too
	r.state = answer[at+len(`"stream_state":`) : len(answer)-1]
}

func (r *run) begin(t testing.TB) {
	r.state = "null"
	answer := r.post(t, chatPath, fmt.Sprintf(`{"model":"m","stream":true,"chat_request":%s,"generate_chunk":{"choices":[{"token_ids":[104]}]}}`, question))
	r.state = stateOf(t, answer)
}

// TestAChunkCostsTheSameAfterALongOutput counts what a chunk allocates at the beginning and after 64k tokens.
func TestAChunkCostsTheSameAfterALongOutput(t *testing.T) {
	r := run{service: newService(t)}
	r.begin(t)
	chunk := func() { r.next(t, "[104]", "null") }
	least := func() float64 { // what the daemon allocates in the background is counted, too, and not always there
		n := testing.AllocsPerRun(10, chunk)
		for range 10 {
			n = min(n, testing.AllocsPerRun(10, chunk))
		}
		return n
	}
	early := least()
	many := "[" + strings.TrimSuffix(strings.Repeat("104,", 1000), ",") + "]"
	for range 64 {
		r.next(t, many, "null")
	}
	// Pools keep less than they are given under the race detector. A replay would allocate thousands of times.
	if late := least(); late > early+10 {
		t.Errorf("a chunk allocates %.0f times at first, and %.0f times after 64k tokens", early, late)
	}
	r.next(t, "[]", `"stop"`)
}

// BenchmarkStream measures chunks of one token, with the JSON of both sides, in streams of two lengths.
// Fixed runs, as with -benchtime 65536x, reach the end of the longer one.
func BenchmarkStream(b *testing.B) {
	for _, tokens := range []int{1000, 65536} {
		b.Run(fmt.Sprintf("%d-tokens", tokens), func(b *testing.B) {
			r := run{service: newService(b)}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%tokens == 0 {
					if n > 0 {
						r.next(b, "[]", `"stop"`)
					}
					r.begin(b)
				}
				r.next(b, "[104]", "null")
			}
		})
	}
}

// BenchmarkStreamJSON measures what reading and writing the JSON of those chunks costs with the standard library.
func BenchmarkStreamJSON(b *testing.B) {
	body := []byte(chunkBody("[104]", "null", `{"session":"ABCDEFGH.ABCDEFGHIJKLMNOPQRSTUVWXYZ","chunks":1000}`))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			b.Fatal(err)
		}
		if _, err := json.Marshal(v); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDerender measures whole outputs, by the token.
func BenchmarkDerender(b *testing.B) {
	s := newService(b)
	for _, tokens := range []int{1000, 65536} {
		b.Run(fmt.Sprintf("%d-tokens", tokens), func(b *testing.B) {
			ids := strings.Join(slices.Repeat([]string{"104"}, tokens), ",")
			body := fmt.Sprintf(`{"model":"m","chat_request":%s,"generate_response":{"choices":[{"token_ids":[%s],"finish_reason":"stop"}]}}`, question, ids)
			for b.Loop() {
				s.post(b, chatPath, body)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tokens), "ns/token")
		})
	}
}

// FuzzBodies sends any bytes to any endpoint: the answer is never the daemon's fault.
func FuzzBodies(f *testing.F) {
	paths := []string{"/v1/chat/completions/render", "/v1/completions/render", "/v1/responses/render", chatPath, completionPath, "/tokenize", "/detokenize"}
	for i, body := range []string{greeting, `{"prompt":[[1],"a"],"add_special_tokens":false}`, `{"input":[{"type":"reasoning","summary":[{"text":"x"}]},{"role":"user","content":[{"type":"input_text","text":"Hi"}]}],"tools":[{"type":"function","name":"f"}],"text":{"format":{"type":"json_schema","schema":{}}}}`,
		chunkBody("[104,260]", `"stop"`, "null"), `{"generate_responses":[{"choices":[{"token_ids":[1],"logprobs":{"content":[{"token":"token_id:5","top_logprobs":[{}]}]}}]}]}`,
		`{"messages":[{"role":"user","content":"Hi"}],"return_token_strs":true}`, `{"tokens":[1]}`} {
		f.Add(byte(i), []byte(body))
	}
	s := newService(f)
	f.Fuzz(func(t *testing.T, which byte, body []byte) {
		path := paths[int(which)%len(paths)]
		w := httptest.NewRecorder()
		err := s[path].Serve(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body)))
		if err != nil && fault.CodeOf(err) == fault.Internal {
			t.Errorf("%s: %v", path, err)
		} else if err == nil && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %q", path, w.Body)
		}
	})
}
