package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	grpccodes "google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// TestCodesAreSpelledAsDocumented compares the codes with the table in docs/api.md.
func TestCodesAreSpelledAsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/api.md")
	must(t, err)
	_, table, _ := strings.Cut(string(doc), "| code | gRPC and Connect | HTTP |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, c := range fault.Codes() {
		want = append(want, fmt.Sprintf("| `%s` | `%s` | %d |", c, connect.Code(c.RPC()), c.HTTP()))
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), table); diff != "" {
		t.Errorf("docs/api.md (-codes +docs):\n%s", diff)
	}
}

// TestErrorsThatQuoteTheRequestAreBrief sends a request with an invalid name of megabytes; gRPC
// clients accept 8 KiB of headers.
func TestErrorsThatQuoteTheRequestAreBrief(t *testing.T) {
	d := serve(t, nil)
	conn := d.dial(t)
	defer conn.Close()
	request := strings.Replace(request1, `{"messages"`, `{"tool_choice": {"type": "function", "function": {"name": "`+strings.Repeat("ü", 1<<20)+`"}}, "messages"`, 1)
	err := conn.Invoke(t.Context(), planPath, &dragomanv1.PlanRequest{Template: template1, Request: &dragomanv1.Json{Text: request}}, new(dragomanv1.PlanResponse))
	if got := status.Convert(err); got.Code() != grpccodes.InvalidArgument || len(got.Message()) > 4000 || !strings.HasPrefix(got.Message(), "tool_choice.function.name: ") || len(got.Details()) != 1 {
		t.Errorf("the client got %.300v", err)
	}
	for _, line := range d.logs(t, 1, `"msg":"request"`, "tool_choice") {
		if len(line) > 8<<10 {
			t.Errorf("the log has a line of %d bytes", len(line))
		}
	}
}

// rpcError is an error in the JSON form of Connect.
type rpcError struct {
	Code    string
	Message string
	Details []struct {
		Type  string
		Debug struct{ Code, Place, Message, Remedy string }
	}
}

func TestEachBadInputGetsACodeAPlaceAndARemedy(t *testing.T) {
	d := serve(t, func(c *config.Config) {
		c.Limits.BodyBytes = 1 << 20
		c.Limits.OutputBytes = 1 << 16
	})
	quoted := func(s string) string { q, _ := json.Marshal(s); return string(q) }
	plan := func(template, request string) string {
		return fmt.Sprintf(`{"template": %q, "request": %s}`, template, request)
	}
	tests := []struct {
		name   string
		path   string
		body   string
		status int
		code   string
		want   []string // in the message
		place  string   // of the detail
		remedy bool     // whether the detail has one
	}{
		{name: "a template that cannot be parsed", path: putPath, body: `{"name": "broken", "source": ` + quoted("{{ a }}\n{% for x in %}{% endfor %}") + `}`,
			status: 400, code: "invalid_argument", want: []string{"broken:2:10"}, remedy: true},
		{name: "a template that loops forever", path: putPath,
			body:   `{"name": "loop", "source": ` + quoted("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}") + `}`,
			status: 400, code: "invalid_argument", remedy: true},
		{name: "a template without a source", path: putPath, body: `{"name": "none"}`, status: 400, code: "invalid_argument", place: "source", remedy: true},
		{name: "a name that leads out of the folder", path: putPath, body: `{"name": "../etc/passwd", "source": "x"}`, status: 400, code: "invalid_argument", place: "name", remedy: true},
		{name: "an unknown target", path: planPath, body: `{"template": "chatml-json", "target": "bnf", "request": {"messages": [{"role": "user", "content": "Hi"}]}}`,
			status: 400, code: "invalid_argument", want: []string{"gbnf, structural_tag, ebnf, lark, json_schema"}, place: "target"},
		{name: "a grammar beside tools", path: planPath, body: plan("chatml-json", `{"messages": [{"role": "user", "content": "Hi"}], "grammar": "root ::= \"x\"", "tools": [{"type": "function", "function": {"name": "f"}}]}`),
			status: 400, code: "invalid_argument", place: "grammar"},
		{name: "a malformed tool schema", path: planPath,
			body:   plan(template1, `{"messages": [{"role": "user", "content": "x"}], "tools": [{"type": "function", "function": {"name": "f", "parameters": "none"}}]}`),
			status: 400, code: "invalid_argument", place: "tools[0].function.parameters"},
		{name: "a malformed history", path: planPath, body: plan(template1, `{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [{"function": {}}]}]}`),
			status: 400, code: "invalid_argument", place: "messages[1].tool_calls[0].function.name"},
		{name: "an unknown template", path: planPath, body: plan("nobody", `{"messages": [{"role": "user", "content": "x"}]}`),
			status: 404, code: "not_found", want: []string{"chatml-json", "chatml-tagged"}, place: "nobody", remedy: true},
		{name: "no chat request", path: planPath, body: `{"template": "chatml-json"}`, status: 400, code: "invalid_argument", place: "request", remedy: true},
		{name: "invalid UTF-8", path: parsePath, body: strings.Replace(parseBody("a"), "Graz", "Gr\xff", 1),
			status: 400, code: "invalid_argument", want: []string{"request.messages[0].content", "invalid UTF-8"}},
		{name: "a body beyond the limit", path: parsePath, body: parseBody(strings.Repeat("x", 2<<20)),
			status: 413, code: "resource_exhausted", want: []string{"1048576 bytes"}, remedy: true},
		{name: "an output beyond the limit", path: parsePath, body: parseBody(strings.Repeat("x", 1<<17)),
			status: 413, code: "resource_exhausted", want: []string{"65536 bytes"}, place: "byte 65536 of the output", remedy: true},
		{name: "no JSON", path: planPath, body: `{"template": `, status: 400, code: "invalid_argument", want: []string{"not JSON: byte 13"}},
		{name: "a misspelled member", path: planPath, body: `{"templat": "x"}`, status: 400, code: "invalid_argument", want: []string{"templat", "expected one of request, target, template"}},
		{name: "nothing", path: planPath, body: ``, status: 400, code: "invalid_argument", want: []string{"expected a JSON object, found nothing"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, body := d.post(t, tt.path, tt.body)
			var got rpcError
			must(t, json.Unmarshal([]byte(body), &got))
			if status != tt.status || got.Code != tt.code {
				t.Errorf("%d %s\nexpected %d and the code %s", status, body, tt.status, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(got.Message, want) {
					t.Errorf("the message is %q, expected in it: %s", got.Message, want)
				}
			}
			if tt.place == "" && !tt.remedy {
				return
			}
			if len(got.Details) != 1 || got.Details[0].Type != "dragoman.v1.Error" {
				t.Fatalf("the error lacks its one detail: %s", body)
			}
			detail := got.Details[0].Debug
			if tt.place != "" && detail.Place != tt.place || tt.remedy && detail.Remedy == "" || detail.Message == "" {
				t.Errorf("the detail is %+v, expected the place %q", detail, tt.place)
			}
		})
	}
	t.Run("a body beyond the limit whose length is not announced", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+parsePath, io.MultiReader(strings.NewReader(parseBody(strings.Repeat("x", 2<<20)))))
		must(t, err)
		req.Header.Set("Content-Type", "application/json")
		if status, body := do(t, req); status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "limits.body_bytes") {
			t.Errorf("%d %s", status, body)
		}
	})
	if status, body := d.post(t, parsePath, parseBody(output1)); status != http.StatusOK {
		t.Errorf("afterwards a good request is answered with %d %s", status, body)
	}
}

func TestOutputThatBreaksTheFormatIsNoError(t *testing.T) {
	d := serve(t, nil)
	for _, output := range []string{
		"", "\x00\x01", "<tool_call>", "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"town\"", "<tool_call>\n[1, 2]\n</tool_call>",
		"</tool_call></tool_call>", strings.Repeat("<tool_call>", 1000), strings.Repeat("<", 10000),
	} {
		status, body := d.post(t, parsePath, parseBody(output))
		if status != http.StatusOK || !strings.Contains(body, `"report"`) {
			t.Errorf("%.40q: %d %s, expected a message with a report", output, status, body)
		}
	}
	bytes := `{"template": "chatml-json", "request": ` + request1 + `, "data": "/wBh"}` // FF 00 61
	if status, body := d.post(t, parsePath, bytes); status != http.StatusOK {
		t.Errorf("output that is not UTF-8: %d %s", status, body)
	}
}

// TestAHugeOutputIsBounded sends far more than the limit over a stream, which ends with an error
// that names the limit; the text decided before is delivered.
func TestAHugeOutputIsBounded(t *testing.T) {
	const limit = 1 << 20
	d := serve(t, func(c *config.Config) { c.Limits.OutputBytes = limit })
	stream := open(t, t.Context(), dragomanv1connect.NewChatServiceClient(httpClient(t), d.url))
	sent := make(chan int)
	go func() {
		n := 0
		defer func() { sent <- n }()
		if stream.Send(&dragomanv1.ParseStreamRequest{Start: start1()}) != nil {
			return
		}
		piece := &dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Text{Text: strings.Repeat("x", 1<<16)}}
		for n < 100<<20 && stream.Send(piece) == nil {
			n += 1 << 16
		}
		_ = stream.CloseRequest()
	}()
	received := 0
	for {
		m, err := stream.Receive()
		if err == nil {
			received += len(m.GetChunk().GetText())
			continue
		}
		if connect.CodeOf(err) != connect.CodeResourceExhausted || !strings.Contains(err.Error(), "limits.output_bytes") {
			t.Errorf("the stream ended with %v, expected the limit and a remedy", err)
		}
		break
	}
	_ = stream.CloseResponse()
	if n := <-sent; n >= 100<<20 {
		t.Errorf("all %d bytes could be sent", n)
	}
	if received < limit {
		t.Errorf("%d bytes were received, expected those before the limit, %d", received, limit)
	}
}

func TestOnlyKnownTokensAreAccepted(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Auth.Tokens = []string{"first", "second"} })
	for header, want := range map[string]int{
		"":              http.StatusUnauthorized,
		"Bearer":        http.StatusUnauthorized,
		"Bearer third":  http.StatusUnauthorized,
		"Bearer firs":   http.StatusUnauthorized,
		"Basic first":   http.StatusUnauthorized,
		"Bearer first":  http.StatusOK,
		"bearer second": http.StatusOK,
	} {
		status, body := d.post(t, parsePath, parseBody("hi"), "Authorization", header)
		if status != want || want != http.StatusOK && !strings.Contains(body, "auth.tokens") {
			t.Errorf("Authorization %q: %d %s, expected %d", header, status, body, want)
		}
	}
	if status, body := d.post(t, linesPath, startLine); status != http.StatusUnauthorized || !strings.Contains(body, `"unauthenticated"`) {
		t.Errorf("lines without a token: %d %s", status, body)
	}
	_, err := dragomanv1connect.NewChatServiceClient(httpClient(t), d.url, connect.WithGRPC()).Plan(t.Context(), &dragomanv1.PlanRequest{})
	if connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("gRPC without a token: %v", err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/healthz", nil)
	must(t, err)
	if status, _ := do(t, req); status != http.StatusOK {
		t.Errorf("/healthz requires a token: %d", status)
	}
}

func TestClientsThatFallSilentAreCutOff(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Limits.SessionIdle = 50 * time.Millisecond })
	for name, c := range clients(t, d.url) {
		t.Run(name, func(t *testing.T) {
			stream := open(t, t.Context(), c)
			err := stream.Send(&dragomanv1.ParseStreamRequest{Start: start1()})
			if !errors.Is(err, io.EOF) { // the stream has ended already, and Receive returns the reason
				must(t, err)
			}
			_, err = stream.Receive()
			if connect.CodeOf(err) != connect.CodeDeadlineExceeded || !strings.Contains(err.Error(), "limits.session_idle") {
				t.Errorf("a silent stream ended with %v, expected the limit and a remedy", err)
			}
			_ = stream.CloseRequest()
			_ = stream.CloseResponse()
		})
	}
	t.Run("lines", func(t *testing.T) {
		in, out := io.Pipe()
		defer out.Close()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+linesPath, in)
		must(t, err)
		go func() { _, _ = fmt.Fprintf(out, "%s\n%s\n", startLine, line("Hello there.")) }()
		if status, body := do(t, req); !strings.Contains(body, `"code":"timed_out"`) || !strings.Contains(body, "limits.session_idle") {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("bodies", func(t *testing.T) {
		d := serve(t, func(c *config.Config) { c.Limits.RequestTime = 50 * time.Millisecond })
		in, out := io.Pipe()
		defer out.Close()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+parsePath, in)
		must(t, err)
		req.Header.Set("Content-Type", "application/json")
		go func() { _, _ = out.Write([]byte(`{"template"`)) }()
		if status, body := do(t, req); status != http.StatusGatewayTimeout || !strings.Contains(body, "limits.request_time") {
			t.Errorf("%d %s", status, body)
		}
	})
}

func TestStreamsAreLimited(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Limits.Sessions = 2 })
	c := dragomanv1connect.NewChatServiceClient(httpClient(t), d.url)
	begin := func() error {
		stream := open(t, t.Context(), c)
		err := stream.Send(&dragomanv1.ParseStreamRequest{Start: start1(), Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Hello there."}})
		if !errors.Is(err, io.EOF) { // the stream has been refused already, and Receive returns the reason
			must(t, err)
		}
		_, err = stream.Receive()
		t.Cleanup(func() { _ = stream.CloseRequest(); _ = stream.CloseResponse() })
		return err
	}
	must(t, begin())
	must(t, begin())
	if err := begin(); connect.CodeOf(err) != connect.CodeUnavailable || !strings.Contains(err.Error(), "limits.sessions") {
		t.Errorf("the third stream: %v, expected the limit and a remedy", err)
	}
}

func TestBrokenStreamsEndAndAreReleased(t *testing.T) {
	d := serve(t, nil)
	t.Run("a frame cut off", func(t *testing.T) {
		frame := []byte{0, 0, 0, 1, 0, 'x'} // promises 256 bytes
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+parseStreamPath, bytes.NewReader(frame))
		must(t, err)
		req.Header.Set("Content-Type", "application/connect+proto")
		res, err := httpClient(t).Do(req)
		must(t, err)
		defer res.Body.Close()
		if text, _ := io.ReadAll(res.Body); !strings.Contains(string(text), `"invalid_argument"`) {
			t.Errorf("%d %s", res.StatusCode, text)
		}
	})
	t.Run("clients that vanish", func(t *testing.T) {
		conn := d.dial(t)
		for range 20 {
			stream, err := conn.NewStream(t.Context(), bidirectional, parseStreamPath)
			must(t, err)
			must(t, stream.SendMsg(&dragomanv1.ParseStreamRequest{Start: start1(), Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Hello there."}}))
			must(t, stream.RecvMsg(&dragomanv1.ParseStreamResponse{}))
		}
		must(t, conn.Close())
		deadline := time.After(patience)
		for d.sessions.Load() > 0 {
			select {
			case <-deadline:
				t.Fatalf("%d streams are not released", d.sessions.Load())
			case <-time.After(time.Millisecond):
			}
		}
	})
}

func TestRunningStreamsFinishAtShutdown(t *testing.T) {
	d := serve(t, nil)
	c := dragomanv1connect.NewChatServiceClient(httpClient(t), d.url)
	stream := open(t, t.Context(), c)
	must(t, stream.Send(&dragomanv1.ParseStreamRequest{Start: start1(), Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Hello"}}))
	_, err := stream.Receive()
	must(t, err)
	d.stop()
	for deadline := time.Now().Add(patience); !d.draining(); {
		if time.Now().After(deadline) {
			t.Fatal("the daemon does not shut down")
		}
	}
	_, result := exchangeRest(t, stream, " there.")
	if !strings.Contains(result.Message.Text, "Hello there.") {
		t.Errorf("the stream ended with %s", result.Message.Text)
	}
	err = <-d.done
	d.done <- err
	must(t, err)
}

// exchangeRest sends one last piece and reads to the end.
func exchangeRest(t *testing.T, stream parseStream, text string) (chunks []string, result *dragomanv1.ParseResponse) {
	t.Helper()
	must(t, stream.Send(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Text{Text: text}}))
	must(t, stream.CloseRequest())
	for {
		m, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			return chunks, result
		}
		must(t, err)
		result = m.Result
	}
}

func TestStreamsThatDoNotFinishAreCutOffAtShutdown(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Shutdown.Grace = 20 * time.Millisecond })
	stream := open(t, t.Context(), dragomanv1connect.NewChatServiceClient(httpClient(t), d.url))
	must(t, stream.Send(&dragomanv1.ParseStreamRequest{Start: start1(), Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Hello"}}))
	_, err := stream.Receive()
	must(t, err)
	d.stop()
	err = <-d.done
	d.done <- err
	must(t, err)
	for err == nil {
		_, err = stream.Receive()
	}
	if errors.Is(err, io.EOF) {
		t.Error("the stream ended as if it were complete")
	}
	_ = stream.CloseRequest()
	_ = stream.CloseResponse()
}

func TestUnroutableRequestsAreAnsweredWithARemedy(t *testing.T) {
	d := serve(t, nil)
	for _, tt := range []struct {
		method, path, contentType string
		status                    int
		want                      string
	}{
		{http.MethodGet, linesPath, "", http.StatusNotFound, "no handler for GET"},
		{http.MethodPost, "/v1/chat", "application/json", http.StatusNotFound, "dragoman.v1.ChatService"},
		{http.MethodPost, "/dragoman.v1.ChatService/Pares", "application/json", http.StatusNotFound, "dragoman.v1.ChatService"},
		{http.MethodPost, parsePath, "", http.StatusUnsupportedMediaType, "application/json"},
		{http.MethodPost, parseStreamPath, "application/json", http.StatusHTTPVersionNotSupported, linesPath},
		{http.MethodGet, parsePath, "", http.StatusMethodNotAllowed, "POST"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, d.url+tt.path, strings.NewReader("{}"))
		must(t, err)
		req.Header.Set("Content-Type", tt.contentType)
		status, body := do(t, req)
		if status != tt.status || !strings.Contains(body, tt.want) || !json.Valid([]byte(body)) || !strings.Contains(body, `"remedy"`) {
			t.Errorf("%s %s is answered with %d %s, expected %d and %q", tt.method, tt.path, status, body, tt.status, tt.want)
		}
	}
}

// hopeless is an exchange whose methods panic.
type hopeless struct{}

func (hopeless) receive() (*dragomanv1.ParseStreamRequest, error) { panic("hopeless") }
func (hopeless) send(*dragomanv1.ParseStreamResponse) error       { panic("hopeless") }
func (hopeless) chunk([]byte, chatapi.IDs) error                  { panic("hopeless") }
func (hopeless) push()                                            { panic("hopeless") }

func TestAPanicEndsNothingButItsRequest(t *testing.T) {
	d := serve(t, nil)
	var log bytes.Buffer
	f := faults{slog.New(slog.NewTextHandler(&log, nil))}
	stream := &chatService{host: d.host, sessions: &d.sessions, faults: f}
	unary := f.unary(func(context.Context, connect.AnyRequest) (connect.AnyResponse, error) { panic("hopeless") })
	for name, call := range map[string]func() error{
		"stream": func() error { return stream.exchange(t.Context(), hopeless{}) },
		"unary": func() error {
			_, err := unary(t.Context(), connect.NewRequest(&dragomanv1.PlanRequest{}))
			return err
		},
	} {
		log.Reset()
		if err := call(); asFault(err).Code != fault.Internal || strings.Contains(err.Error(), "hopeless") {
			t.Errorf("%s: the client got %v, expected an internal error without details", name, err)
		}
		if !strings.Contains(log.String(), "panic=hopeless") || !strings.Contains(log.String(), "faults_test.go") {
			t.Errorf("%s: the log lacks the panic or its place: %s", name, &log)
		}
	}
	if n := d.sessions.Load(); n != 0 {
		t.Errorf("%d streams are still counted", n)
	}
}

// TestAStreamMayBeSilentAsLongAsItsClientIsNot sends text that decides nothing, for longer than
// either side may be silent.
func TestAStreamMayBeSilentAsLongAsItsClientIsNot(t *testing.T) {
	shared.Slow(t)
	d := serve(t, func(c *config.Config) { c.Limits.SessionIdle = 2 * time.Second })
	stream := open(t, t.Context(), dragomanv1connect.NewChatServiceClient(httpClient(t), d.url, connect.WithGRPC()))
	send := func(text string) {
		t.Helper()
		must(t, stream.Send(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Text{Text: text}}))
	}
	must(t, stream.Send(&dragomanv1.ParseStreamRequest{Start: start1(), Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Hello."}}))
	_, err := stream.Receive()
	must(t, err)
	for _, piece := range strings.Split("<tool_call", "") {
		time.Sleep(250 * time.Millisecond)
		send(piece)
	}
	must(t, stream.CloseRequest())
	for err == nil {
		_, err = stream.Receive()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the stream ends with %v", err)
	}
	must(t, stream.CloseResponse())
}
