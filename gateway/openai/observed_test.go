package openai

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/host/config"
)

// TestAConversationSharesItsPrompts lets a conversation grow by an answer and a question: the prompt of the first turn is shared.
func TestAConversationSharesItsPrompts(t *testing.T) {
	d := serve(t)
	first := `{"role":"user","content":"` + strings.Repeat("Hello there. ", 20) + `"}`
	before := ""
	for _, more := range []string{"", `,{"role":"assistant","reasoning_content":"A greeting.","content":"Hi."},{"role":"user","content":"Bye."}`} {
		res, body := d.post(t, `{"model":"replay","messages":[`+first+more+`]}`)
		shared, of, found := strings.Cut(res.Header.Get(reply.SharedHeader), "/")
		if res.StatusCode != http.StatusOK || !found || before != "" && shared != before || before == "" && shared != "0" {
			t.Errorf("%d %s: shared %s of %s, the turn before had %s", res.StatusCode, body, shared, of, before)
		}
		before = of
	}
}

func TestTheSpanOfAnAnswerHasItsPhases(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	ctx, request := provider.Tracer("test").Start(t.Context(), "request")
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, chatPath, strings.NewReader(`{"model":"replay",`+greeting+`}`))
	w := httptest.NewRecorder()
	for _, e := range Endpoints(serve(t).Gateway) {
		if e.Path == chatPath {
			if err := e.Serve(w, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	request.End()
	var names []string
	for _, s := range spans.Ended() {
		if s.Name() != "request" && s.Parent().SpanID() != request.SpanContext().SpanID() {
			t.Errorf("%s is no part of the request", s.Name())
		}
		names = append(names, s.Name())
	}
	if want := []string{"plan", "engine", "output", "request"}; !slices.Equal(names, want) {
		t.Errorf("%q, expected %q", names, want)
	}
}

// TestAnswersUseUpTheTokensOfTheirKey asks twice with a limit that one answer exceeds, whether it is counted, or broken off before anybody
// has counted.
func TestAnswersUseUpTheTokensOfTheirKey(t *testing.T) {
	for _, model := range []string{"replay", "breaking"} {
		for _, stream := range []string{"true", "false"} {
			d := serve(t, func(c *config.Config) {
				c.Auth.ClientTokens, c.Limits.KeyTokensPerMinute = []string{"client"}, 5
			})
			request := `{"model":"` + model + `","stream":` + stream + `,` + greeting + `}`
			if first, body := d.post(t, request, "Authorization", "Bearer client"); first.StatusCode == http.StatusTooManyRequests {
				t.Errorf("%s: %s", request, body)
			}
			second, body := d.post(t, request, "Authorization", "Bearer client")
			if second.StatusCode != http.StatusTooManyRequests || second.Header.Get("Retry-After") == "" || !strings.Contains(body, `"type":"rate_limit_error"`) {
				t.Errorf("%s: %d %s", request, second.StatusCode, body)
			}
		}
	}
}
