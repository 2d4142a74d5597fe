package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/dragoman-project/dragoman/host/config"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// get sends a GET request, and returns the status and body of the response.
func (d *daemon) get(t *testing.T, path string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+path, nil)
	must(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return do(t, req)
}

// sample returns the value of a series in the metrics, or "" if it is absent.
func (d *daemon) sample(t *testing.T, series string) string {
	t.Helper()
	_, text := d.get(t, metricsPath)
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// counts waits until a series has a value, since responses are counted only after they are sent.
func (d *daemon) counts(t *testing.T, series, want string) {
	t.Helper()
	got := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if got = d.sample(t, series); got == want {
			return
		}
	}
	t.Errorf("%s is %q, expected %s", series, got, want)
}

// logs waits until n lines of the log contain all the parts, and returns them.
func (d *daemon) logs(t *testing.T, n int, parts ...string) []string {
	t.Helper()
	var found []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if found = d.log.with(parts...); len(found) >= n {
			return found
		}
	}
	t.Fatalf("the log has %d lines with %q, expected %d:\n%s", len(found), parts, n, strings.Join(d.log.with(), ""))
	return nil
}

// answered returns the series that counts the responses of a method with a code.
func answered(method, code string) string {
	return `dragoman_request_duration_seconds_count{code="` + code + `",method="` + method + `"}`
}

// malformed1 is an output that violates the format.
const malformed1 = "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"town\" \"Graz\"}}\n</tool_call>"

func TestSessionsAndRequestsAreCounted(t *testing.T) {
	d := serve(t, nil)
	d.post(t, parsePath, parseBody(output1))
	d.post(t, parsePath, parseBody(malformed1))
	d.post(t, planPath, `{"template": "nobody", "request": `+request1+`}`)
	d.post(t, linesPath, startLine+"\n"+line("Hello ")+"\n"+line("there.<tool")+"\n{")
	stream := open(t, t.Context(), dragomanv1connect.NewChatServiceClient(httpClient(t), d.url))
	must(t, stream.Send(&dragomanv1.ParseStreamRequest{Start: start1(), Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Hello there.<tool"}}))
	_, err := stream.Receive()
	must(t, err)
	d.counts(t, "dragoman_sessions", "1")
	d.counts(t, "dragoman_session_held_bytes", "5")
	d.counts(t, `dragoman_reports_total{status="abandoned",template="chatml-json"}`, "1")
	must(t, stream.CloseRequest())
	for err == nil {
		_, err = stream.Receive()
	}
	must(t, stream.CloseResponse())
	for series, want := range map[string]string{
		"dragoman_sessions":           "0",
		"dragoman_session_held_bytes": "0",
		`dragoman_sessions_total{handler="autoparser",template="chatml-json"}`:          "4",
		`dragoman_reports_total{status="complete",template="chatml-json"}`:              "2",
		`dragoman_reports_total{status="malformed",template="chatml-json"}`:             "1",
		`dragoman_report_faults_total{template="chatml-json"}`:                          "1",
		`dragoman_cache_lookups_total{cache="programs",outcome="miss"}`:                 "1",
		answered("dragoman.v1.ChatService/Parse", "ok"):                                 "2",
		answered("dragoman.v1.ChatService/Plan", "not_found"):                           "1",
		answered("dragoman.v1.ChatService/ParseStream", "ok"):                           "1",
		answered(linesPath, "invalid_argument"):                                         "1",
		`dragoman_build_info{goversion="` + runtimeVersion + `",version="v0.0.0-test"}`: "1",
	} {
		d.counts(t, series, want)
	}
}

func TestReloadsOfSourcesAreCounted(t *testing.T) {
	file := write(t, "workarounds.yaml", "version: 1\nworkarounds: []\n")
	d := serve(t, func(c *config.Config) { c.Workarounds.File = file })
	labels := `{path="` + file + `",source="workarounds"}`
	d.counts(t, "dragoman_source_last_reload_successful"+labels, "1")
	must(t, os.WriteFile(file, []byte("version: 9\n"), 0o600))
	d.counts(t, "dragoman_source_last_reload_successful"+labels, "0")
	d.counts(t, `dragoman_source_reloads_total{outcome="failure",path="`+file+`",source="workarounds"}`, "1")
	if d.sample(t, "dragoman_source_last_success_timestamp_seconds"+labels) == "" {
		t.Error("the time of the last successful reload is missing")
	}
}

func TestEachRequestIsLoggedInOneLine(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Auth.Tokens = []string{"hush"} })
	d.post(t, parsePath, parseBody(output1), "Authorization", "Bearer hush", "X-Request-Id", "abc-1")
	var got map[string]any
	must(t, json.Unmarshal([]byte(d.logs(t, 1, `"msg":"request"`, `"request_id":"abc-1"`)[0]), &got))
	for key, want := range map[string]any{
		"level": "INFO", "method": "dragoman.v1.ChatService/Parse", "code": "ok", "template": template1, "handler": "autoparser", "status": "complete", "key": "sha256:dc8331bcb228",
	} {
		if got[key] != want {
			t.Errorf("%s is %v, expected %v", key, got[key], want)
		}
	}
	if got["duration"].(float64) <= 0 || !strings.HasPrefix(got["peer"].(string), "127.0.0.1:") {
		t.Errorf("duration %v, peer %v", got["duration"], got["peer"])
	}
	d.post(t, parsePath, "{", "X-Request-Id", `"forged"`)
	if line := d.logs(t, 1, `"code":"unauthenticated"`)[0]; strings.Contains(line, "forged") || strings.Contains(line, "hush") {
		t.Errorf("the log repeats untrusted text: %s", line)
	}
	if all := strings.Join(d.log.with(), ""); strings.Contains(all, "hush") {
		t.Errorf("the log shows tokens:\n%s", all)
	}
}

func TestOnlyFailuresAreLoggedOnRequest(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Log.Access = "failed" })
	d.post(t, parsePath, parseBody(output1))
	d.post(t, parsePath, "{")
	d.logs(t, 1, `"msg":"request"`, `"code":"invalid_argument"`)
	if ok := d.log.with(`"msg":"request"`, `"code":"ok"`); len(ok) > 0 {
		t.Errorf("a successful request is logged: %q", ok)
	}
}

func TestClientsLearnTheIDOfTheirRequest(t *testing.T) {
	d := serve(t, nil)
	for given, kept := range map[string]bool{"": false, "trace-7": true, "with blanks": false, strings.Repeat("x", 129): false} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/readyz", nil)
		must(t, err)
		req.Header.Set("X-Request-Id", given)
		res, err := http.DefaultTransport.RoundTrip(req)
		must(t, err)
		must(t, res.Body.Close())
		if got := res.Header.Get("X-Request-Id"); got == "" || (got == given) != kept {
			t.Errorf("given %q, got %q", given, got)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// TestAnOutputOfASharedStreamBelongsToTheTraceThatItNames sends outputs on a stream that has a
// trace of its own.
func TestAnOutputOfASharedStreamBelongsToTheTraceThatItNames(t *testing.T) {
	const id, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	const named = id + "-" + parent
	tests := []struct {
		name, traceparent string
		own               bool // whether the named span becomes the parent
	}{
		{"none", "", false},
		{"one", "00-" + named + "-01", true},
		{"one whose client does not sample", "00-" + named + "-00", true},
		{"one of a later version", "cc-" + named + "-01-what-later-versions-add", true},
		{"of the invalid version", "ff-" + named + "-01", false},
		{"in capitals", "00-" + strings.ToUpper(named) + "-01", false},
		{"of too many parts", "00-" + named + "-01-more", false},
		{"of too few parts", "00-" + id, false},
		{"with an invalid id", "00-" + strings.Repeat("0", 32) + "-" + parent + "-01", false},
		{"with an invalid parent", "00-" + id + "-" + strings.Repeat("0", 16) + "-01", false},
		{"huge", strings.Repeat("00-", 10_000), false},
		{"not ASCII", "00-" + strings.Repeat("ü", 16) + "-" + parent + "-01", false},
	}
	spans := tracetest.NewSpanRecorder()
	d := serveTraced(t, nil, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans), sdktrace.WithSampler(sdktrace.AlwaysSample())).Tracer(""))
	stream := d.parseStreams(t)
	for i, tt := range tests {
		opens := first(uint64(i), template1)
		opens.Traceparent = tt.traceparent
		end := ending(uint64(i))
		end.Traceparent = "00-" + strings.Repeat("1", 32) + "-" + strings.Repeat("2", 16) + "-01" // too late
		together(t, stream, opens, end)
		allOver(t, stream, uint64(i))
		d.logs(t, i+1, `"msg":"request"`, outputMethod) // logged when its span ends
	}
	must(t, stream.CloseRequest())
	eventually(t, "the end of all spans", func() bool { return len(spans.Ended()) == len(tests)+1 })
	ended := spans.Ended()
	whole := ended[len(tests)].SpanContext()
	for i, tt := range tests {
		wantTrace, wantParent := whole.TraceID().String(), whole.SpanID().String()
		if tt.own {
			wantTrace, wantParent = id, parent
		}
		got := ended[i]
		if got.SpanContext().TraceID().String() != wantTrace || got.Parent().SpanID().String() != wantParent || got.Parent().IsRemote() != tt.own {
			t.Errorf("%s: the span belongs to %v, expected %s, %s", tt.name, got.Parent(), wantTrace, wantParent)
		}
		d.logs(t, 1, outputMethod, `"output":"`+fmt.Sprint(i)+`"`, `"trace_id":"`+wantTrace+`"`)
	}
}

// unprovenCalls is a template that writes calls without the names of their arguments.
const unprovenCalls = `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% for c in m.tool_calls or [] %}<call>{{ c.function.name }} {{ c.function.arguments.values() | join }}</call>{% endfor %}<end>{% endfor %}`

// TestEveryMetricIsDocumented compares the metrics of a daemon with docs/operating.md, both ways.
func TestEveryMetricIsDocumented(t *testing.T) {
	file, mute := write(t, "workarounds.yaml", "version: 1\nworkarounds: []\n"), write(t, "mute.jinja", unprovenCalls)
	d := serve(t, func(c *config.Config) {
		c.Workarounds.File, c.Templates.Dir, c.Recorder.Dir = file, filepath.Dir(mute), t.TempDir()
	})
	eventually(t, "the template is vetted", func() bool { return len(d.host.Unproven()) == 1 })
	d.post(t, parsePath, parseBody(malformed1))
	d.post(t, parsePath, parseBody(strings.ReplaceAll(output1, `"weather"`, `"nobody"`)))
	d.post(t, parsePath, parseBody(strings.ReplaceAll(output1, "</tool_call>", "")))
	d.post(t, "/test/echo", "hi")
	d.counts(t, `dragoman_overhead_seconds_count{method="/test/echo"}`, "1")
	_, text := d.get(t, metricsPath)
	doc, err := os.ReadFile("../../docs/operating.md")
	must(t, err)
	var exposed []string
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (dragoman_\w+)`).FindAllStringSubmatch(text, -1) {
		exposed = append(exposed, m[1])
		if !strings.Contains(string(doc), "`"+m[1]) {
			t.Errorf("%s is not in docs/operating.md", m[1])
		}
	}
	for _, m := range regexp.MustCompile("`(dragoman_\\w+)").FindAllStringSubmatch(string(doc), -1) {
		if !slices.Contains(exposed, m[1]) && !strings.HasPrefix(m[1], "dragoman_plugin") { // no plugin runs here
			t.Errorf("docs/operating.md documents %s, which the daemon does not expose", m[1])
		}
	}
}

// TestFileNamesThatAreNotUTF8BreakNoResponse puts files with such names into every folder: protobuf
// and the metrics format refuse a whole response that contains one.
func TestFileNamesThatAreNotUTF8BreakNoResponse(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"\xff.jinja", "\xff.yaml"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("{%"), 0o600))
	}
	d := serve(t, func(c *config.Config) { c.Templates.Dir, c.Plugins.Dir = dir, dir })
	if status, body := d.post(t, dragomanv1connect.AdminServiceGetStatusProcedure, "{}"); status != http.StatusOK || strings.Count(body, "\uFFFD.yaml") == 0 || strings.Count(body, "\uFFFD.jinja") == 0 {
		t.Errorf("the status: %d %s", status, body)
	}
	if status, body := d.post(t, dragomanv1connect.AdminServiceReloadProcedure, "{}"); status != http.StatusBadRequest || !strings.Contains(body, "no request can name this template") {
		t.Errorf("a reload: %d %s", status, body)
	}
	if status, body := d.get(t, metricsPath); status != http.StatusOK || !strings.Contains(body, `dragoman_plugin_condition{condition="refused",plugin="`+dir) {
		t.Errorf("the metrics: %d %.300s", status, body)
	}
}

func TestSupervisorsLearnWhenTheDaemonEnds(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Auth.Tokens = []string{"hush"} })
	check := connect.NewClient[dragomanv1.GetStatusRequest, dragomanv1.GetStatusResponse](httpClient(t), d.url+"/grpc.health.v1.Health/Check", connect.WithGRPC())
	serving := func() bool {
		// The messages of the health service are not ours. An empty request is about the daemon as
		// a whole; in the response, an unknown varint field of 1 is SERVING, of 2 NOT_SERVING.
		res, err := check.CallUnary(t.Context(), connect.NewRequest(&dragomanv1.GetStatusRequest{}))
		must(t, err)
		return slices.Equal(res.Msg.ProtoReflect().GetUnknown(), []byte{1 << 3, 1})
	}
	if status, _ := d.get(t, "/readyz"); status != http.StatusOK || !serving() {
		t.Errorf("while running: %d, serving %v", status, serving())
	}
	if status, _ := d.get(t, metricsPath); status != http.StatusUnauthorized {
		t.Errorf("the metrics are shown without a token: %d", status)
	}
	d.unwelcome()
	if status, _ := d.get(t, "/readyz"); status != http.StatusServiceUnavailable || serving() {
		t.Errorf("while shutting down: %d, serving %v", status, serving())
	}
	if status, _ := d.get(t, "/healthz"); status != http.StatusOK {
		t.Errorf("while shutting down /healthz fails: %d", status)
	}
}

func TestRequestsAreAcceptedDuringTheShutdownDelay(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Shutdown.Delay = 300 * time.Millisecond })
	d.stop()
	for !d.draining() {
		time.Sleep(time.Millisecond)
	}
	if status, body := d.post(t, parsePath, parseBody(output1)); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	err := <-d.done
	d.done <- err
	must(t, err)
}

func TestMetricsCanBePublic(t *testing.T) {
	d := serve(t, func(c *config.Config) {
		c.Auth.Tokens = []string{"hush"}
		c.Metrics.Public = true
	})
	if status, body := d.get(t, metricsPath); status != http.StatusOK || !strings.Contains(body, "go_goroutines") {
		t.Errorf("%d %.200s", status, body)
	}
}

func TestProfilesAreServedOnlyByTheDebugHandler(t *testing.T) {
	d := serve(t, nil)
	if status, _ := d.get(t, "/debug/pprof/"); status != http.StatusNotFound {
		t.Errorf("the API serves profiles: %d", status)
	}
	debug := Debug(d.metrics)
	for path, want := range map[string]string{"/debug/pprof/": "goroutine", "/debug/pprof/cmdline": "test", "/metrics": "dragoman_build_info"} {
		w := &answer{header: http.Header{}}
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
		must(t, err)
		debug.ServeHTTP(w, req)
		if !strings.Contains(w.body.String(), want) {
			t.Errorf("%s: %.200s", path, w.body.String())
		}
	}
}

// answer is a ResponseWriter that keeps the response in memory.
type answer struct {
	header http.Header
	body   strings.Builder
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(int)                {}
func (a *answer) Write(text []byte) (int, error) { return a.body.Write(text) }
