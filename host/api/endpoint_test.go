package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// testEndpoints are served by the daemons of all tests.
var testEndpoints = []Endpoint{
	{Method: http.MethodPost, Path: "/test/echo", Output: true, TokenHeader: "X-Test-Key", Serve: echo, Refuse: refuseTest},
	{Method: http.MethodPost, Path: "/test/rules", Operator: true, Serve: echo, Refuse: refuseTest},
	{Method: http.MethodGet, Path: "/test/things/", Serve: func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.WriteString(w, r.URL.Path)
		return err
	}, Refuse: refuseTest},
}

// echo answers with the body, as often as the header Outputs says.
func echo(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	release, err := Outputs(r.Context(), len(r.Header.Get("Outputs")))
	if err != nil {
		return err
	}
	defer release()
	switch string(body) {
	case "panic":
		panic("test")
	case "fail":
		return errors.New("secret")
	}
	Note(r.Context(), Facts{Template: "t", Handler: "h", PromptTokens: 5, CompletionTokens: 7, FirstToken: time.Second, Overhead: time.Millisecond, Shared: new(0.25)})
	_, err = w.Write(body)
	return err
}

func refuseTest(w http.ResponseWriter, _ *http.Request, err *fault.Error) {
	w.WriteHeader(err.Code.HTTP())
	fmt.Fprintf(w, "refused: %s: %s", err.Code, err.Message)
}

func TestEndpointsAreGuardedAndObserved(t *testing.T) {
	d := serve(t, func(c *config.Config) {
		c.Auth.Tokens, c.Auth.ClientTokens = []string{"boss"}, []string{"client"}
		c.Metrics.Public = true
		c.Limits.BodyBytes, c.Limits.Sessions = 100, 2
	})
	const client = "Bearer client"
	for _, test := range []struct {
		name, path, body string
		header           []string
		status           int
		answer           string
	}{
		{"a client", "/test/echo", "hi", []string{"Authorization", client}, 200, "hi"},
		{"a token in the endpoint's header", "/test/echo", "hi", []string{"X-Test-Key", "client"}, 200, "hi"},
		{"that header elsewhere", "/test/rules", "hi", []string{"X-Test-Key", "boss"}, 401, "refused: unauthenticated"},
		{"a wrong token before that header", "/test/echo", "hi", []string{"X-Test-Key", "client", "Authorization", "Bearer x"}, 401, "refused: unauthenticated"},
		{"no token", "/test/echo", "hi", nil, 401, "refused: unauthenticated"},
		{"a client where operators are expected", "/test/rules", "hi", []string{"Authorization", client}, 403, "refused: permission_denied"},
		{"an operator", "/test/rules", "hi", []string{"Authorization", "Bearer boss"}, 200, "hi"},
		{"a web page", "/test/echo", "hi", []string{"Authorization", client, "Origin", "https://evil.example"}, 403, "refused: permission_denied"},
		{"a large body", "/test/echo", strings.Repeat("x", 101), []string{"Authorization", client}, 413, "refused: limit_exceeded"},
		{"another method", "/test/things/a/b", "", []string{"Authorization", client}, 400, "expected GET"},
		{"a panic", "/test/echo", "panic", []string{"Authorization", client}, 500, "refused: internal: internal error"},
		{"an error", "/test/echo", "fail", []string{"Authorization", client}, 500, "refused: internal"},
		{"one more output", "/test/echo", "hi", []string{"Authorization", client, "Outputs", "x"}, 200, "hi"},
		{"too many outputs", "/test/echo", "hi", []string{"Authorization", client, "Outputs", "xx"}, 503, "refused: unavailable: too many outputs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, answer := d.post(t, test.path, test.body, test.header...)
			if status != test.status || !strings.Contains(answer, test.answer) {
				t.Errorf("%d %s", status, answer)
			}
		})
	}
	d.logs(t, 3, `"method":"/test/echo"`, `"code":"ok"`, `"template":"t"`, `"handler":"h"`, `"prompt_tokens":5`, `"completion_tokens":7`, `"first_token":1`, `"overhead":0.001`, `"shared_prefix":0.25`)
	d.counts(t, `dragoman_shared_prefix_ratio_bucket{method="/test/echo",le="0.25"}`, "3")
	d.counts(t, `dragoman_overhead_seconds_count{method="/test/echo"}`, "3")
	d.logs(t, 1, `"method":"/test/things/"`, `"code":"invalid_argument"`)
	if n := d.sessions.Load(); n != 0 {
		t.Errorf("%d outputs are still counted", n)
	}
}

// TestLargeAnswersAreCompressed asks for the report of many spans.
func TestLargeAnswersAreCompressed(t *testing.T) {
	d := serve(t, nil)
	for _, n := range []int{1, 5000} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+parsePath, strings.NewReader(parseBody(strings.Repeat(output1, n))))
		must(t, err)
		req.Header.Set("Content-Type", "application/json")
		resp, err := httpClient(t).Do(req) // reads what is compressed, and says so
		must(t, err)
		answer, err := io.ReadAll(resp.Body)
		must(t, err)
		must(t, resp.Body.Close())
		if resp.StatusCode != http.StatusOK || !json.Valid(answer) || resp.Uncompressed != (len(answer) > 64<<10) || n > 1 && !resp.Uncompressed {
			t.Errorf("%d outputs: status %d, %d bytes, compressed: %t", n, resp.StatusCode, len(answer), resp.Uncompressed)
		}
	}
}
