package tracing_test

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/api/tracing"
	"github.com/dragoman-project/dragoman/host/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stub is a collector that keeps what it receives.
type stub struct {
	mu       sync.Mutex
	spans    []*tracev1.Span
	services []string
	paths    []string
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(r.Body)
	}
	data, _ := io.ReadAll(body)
	var m collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = append(s.paths, r.URL.Path)
	for _, resource := range m.ResourceSpans {
		for _, a := range resource.Resource.Attributes {
			s.services = append(s.services, a.Key+"="+a.Value.GetStringValue())
		}
		for _, scope := range resource.ScopeSpans {
			s.spans = append(s.spans, scope.Spans...)
		}
	}
}

const (
	parse   = "/dragoman.v1.ChatService/Parse"
	body    = `{"template": "chatml-json", "request": {"messages": [{"role": "user", "content": "Hi"}]}, "text": "Hello."}`
	traceID = "0af7651916cd43dd8448eb211c80319c"
	parent  = "00-" + traceID + "-b7ad6b7169203331-01"
)

// ask sends a request to a server in memory.
func ask(s *api.Server, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestEachRequestBecomesASpanAtTheCollector(t *testing.T) {
	kept := new(stub)
	at := httptest.NewServer(kept)
	defer at.Close()
	tracer, flush, err := tracing.Start(t.Context(), config.Tracing{Endpoint: at.URL, Sample: 1}, "v1", slog.New(slog.DiscardHandler))
	must(t, err)
	h, err := host.New(t.Context(), host.Options{Config: config.Default()})
	must(t, err)
	defer h.Close(context.Background())
	server := api.New(h, api.Options{Tracer: tracer})
	ask(server, parse, body, "Traceparent", parent, "X-Request-Id", "id-1")
	ask(server, "/dragoman.v1.ChatService/Plan", `{"template": "nobody", "request": {"messages": [{"role": "user", "content": "Hi"}]}}`)
	must(t, flush(context.Background()))

	if len(kept.spans) != 2 || kept.paths[0] != "/v1/traces" || !strings.Contains(strings.Join(kept.services, " "), "service.name=dragoman") {
		t.Fatalf("the collector got %d spans at %q from %q", len(kept.spans), kept.paths, kept.services)
	}
	for i, want := range []map[string]string{
		{"rpc.system": "connect_rpc", "rpc.service": "dragoman.v1.ChatService", "rpc.method": "Parse", "dragoman.template": "chatml-json",
			"dragoman.handler": "autoparser", "dragoman.status": "complete", "dragoman.code": "ok", "dragoman.request_id": "id-1"},
		{"rpc.method": "Plan", "dragoman.template": "nobody", "dragoman.code": "not_found"},
	} {
		span := kept.spans[i]
		got := map[string]string{}
		for _, a := range span.Attributes {
			got[a.Key] = a.Value.GetStringValue()
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("span %d: %s is %q, expected %q", i, key, got[key], value)
			}
		}
		if span.Name != want["rpc.method"] && !strings.HasSuffix(span.Name, "/"+want["rpc.method"]) || span.Kind != tracev1.Span_SPAN_KIND_SERVER {
			t.Errorf("span %d has the name %s", i, span.Name)
		}
	}
	if got := hexOf(kept.spans[0].TraceId); got != traceID {
		t.Errorf("the first span belongs to the trace %s, expected that of the client", got)
	}
	if hexOf(kept.spans[1].TraceId) == traceID {
		t.Error("the second span belongs to the trace of the first")
	}
}

func TestWhatIsNotSampledIsNotSent(t *testing.T) {
	kept := new(stub)
	at := httptest.NewServer(kept)
	defer at.Close()
	tracer, flush, err := tracing.Start(t.Context(), config.Tracing{Endpoint: at.URL + "/own/path", Sample: 0}, "v1", slog.New(slog.DiscardHandler))
	must(t, err)
	h, err := host.New(t.Context(), host.Options{Config: config.Default()})
	must(t, err)
	defer h.Close(context.Background())
	server := api.New(h, api.Options{Tracer: tracer})
	ask(server, parse, body)
	ask(server, parse, body, "Traceparent", parent) // sampled by the client
	must(t, flush(context.Background()))
	if len(kept.spans) != 1 || kept.paths[0] != "/own/path" {
		t.Errorf("the collector got %d spans at %q, expected one at the path of the endpoint", len(kept.spans), kept.paths)
	}
}

func TestAFailingCollectorIsLoggedAndDoesNotFailRequests(t *testing.T) {
	at := httptest.NewServer(http.NotFoundHandler())
	defer at.Close()
	var log strings.Builder
	tracer, flush, err := tracing.Start(t.Context(), config.Tracing{Endpoint: at.URL, Sample: 1}, "v1", slog.New(slog.NewTextHandler(&log, nil)))
	must(t, err)
	h, err := host.New(t.Context(), host.Options{Config: config.Default()})
	must(t, err)
	defer h.Close(context.Background())
	if w := ask(api.New(h, api.Options{Tracer: tracer}), parse, body); w.Code != http.StatusOK {
		t.Errorf("the request is answered with %d %s", w.Code, w.Body)
	}
	must(t, flush(context.Background()))
	if !strings.Contains(log.String(), "traces could not be sent") {
		t.Errorf("the log is %q", log.String())
	}
}

func TestWithoutAnEndpointNothingIsTraced(t *testing.T) {
	tracer, flush, err := tracing.Start(t.Context(), config.Tracing{}, "v1", nil)
	must(t, err)
	if _, span := tracer.Start(t.Context(), "x"); span.IsRecording() {
		t.Error("a span is recorded")
	}
	must(t, flush(context.Background()))
}

func hexOf(id []byte) string { return hex.EncodeToString(id) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
