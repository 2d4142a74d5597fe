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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/host/config"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The template, request and output that most tests use, and the resulting message.
const (
	template1 = "chatml-json"
	request1  = `{"messages": [{"role": "user", "content": "Weather in Graz?"}], "tools": [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"town": {"type": "string"}, "days": {"type": "integer"}}}}}]}`
	output1   = "Let me look – gleich.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"town\": \"Graz\", \"days\": 2}}\n</tool_call><|im_end|>"
	message1  = `{"role":"assistant","content":"Let me look – gleich.","tool_calls":[{"type":"function","function":{"name":"weather","arguments":"{\"town\": \"Graz\", \"days\": 2}"}}]}`
)

// daemon is a server on a loopback port, with its address and log.
type daemon struct {
	*Server
	url  string
	stop context.CancelFunc
	done chan error
	log  *logged
}

// logged keeps a log, line by line.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(line))
	return len(line), nil
}

// size returns the number of bytes logged.
func (l *logged) size() (n int64) {
	for _, line := range l.with() {
		n += int64(len(line))
	}
	return n
}

// with returns the lines that contain all the parts.
func (l *logged) with(parts ...string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			found = append(found, line)
		}
	}
	return found
}

// serve starts a daemon with the default configuration, edited by change.
func serve(t *testing.T, change func(*config.Config)) *daemon {
	t.Helper()
	return serveTraced(t, change, nil)
}

// serveTraced is like serve, with spans from tracer.
func serveTraced(t *testing.T, change func(*config.Config), tracer trace.Tracer) *daemon {
	t.Helper()
	cfg := config.Default()
	cfg.Listen.Address = "127.0.0.1:0"
	if change != nil {
		change(cfg)
	}
	return start(t, host.Options{Config: cfg}, tracer)
}

// serveFile starts a daemon with a configuration file that it watches.
func serveFile(t *testing.T, file string) *daemon {
	t.Helper()
	load := func(data []byte) (*config.Config, error) {
		c, err := config.Load(config.Sources{File: file, Data: data})
		if err == nil {
			c.Listen.Address = "127.0.0.1:0"
		}
		return c, err
	}
	cfg, err := load(nil)
	must(t, err)
	return start(t, host.Options{Config: cfg, ConfigFile: file, LoadConfig: load}, nil)
}

// start starts a daemon with these options.
func start(t *testing.T, o host.Options, tracer trace.Tracer) *daemon {
	t.Helper()
	secrets, err := NewSecrets(o.Config)
	must(t, err)
	counts := metrics.New("v0.0.0-test")
	d := &daemon{log: new(logged), done: make(chan error, 1)}
	log := slog.New(slog.NewJSONHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			t.Errorf("%s is logged as a time.Duration, want seconds as a number", a.Key)
		}
		return a
	}}))
	o.Files, o.Observer, o.Logger = secrets.Files(), counts, log
	h, err := host.New(t.Context(), o)
	must(t, err)
	d.Server = New(h, Options{Version: "v0.0.0-test", Secrets: secrets, Metrics: counts, Logger: log, Tracer: tracer, Endpoints: testEndpoints})
	l, err := Listen(t.Context(), o.Config.Listen)
	must(t, err)
	d.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	d.stop = cancel
	go func() { d.done <- d.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		must(t, <-d.done)
		must(t, h.Close(context.Background()))
	})
	return d
}

// post sends JSON as curl does, and returns the status and body of the response.
func (d *daemon) post(t *testing.T, path, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+path, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(text)
}

const (
	planPath   = dragomanv1connect.ChatServicePlanProcedure
	deletePath = dragomanv1connect.TemplateServiceDeleteTemplateProcedure
	parsePath  = dragomanv1connect.ChatServiceParseProcedure
	putPath    = dragomanv1connect.TemplateServicePutTemplateProcedure
)

func parseBody(output string) string {
	text, _ := json.Marshal(output)
	return fmt.Sprintf(`{"template": %q, "request": %s, "text": %s, "options": {"no_ids": true}}`, template1, request1, text)
}

func TestPlainJSONReachesTheMethods(t *testing.T) {
	d := serve(t, nil)
	t.Run("parse", func(t *testing.T) {
		status, body := d.post(t, parsePath, parseBody(output1))
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		var got struct {
			Message      json.RawMessage `json:"message"`
			FinishReason string          `json:"finish_reason"`
			Report       struct{ Status string }
		}
		must(t, json.Unmarshal([]byte(body), &got))
		if same(t, string(got.Message), message1); got.FinishReason != "tool_calls" || got.Report.Status != "complete" {
			t.Errorf("got %s", body)
		}
	})
	t.Run("plan", func(t *testing.T) {
		status, body := d.post(t, planPath, fmt.Sprintf(`{"template": %q, "request": %s}`, template1, request1))
		if status != http.StatusOK || !strings.Contains(body, `"generation_prompt":"<|im_start|>assistant\n"`) {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("a method without side effects accepts GET", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+dragomanv1connect.AdminServiceGetStatusProcedure+"?encoding=json&message=%7B%7D", nil)
		must(t, err)
		if status, body := do(t, req); status != http.StatusOK || !strings.Contains(body, `"version":"v0.0.0-test"`) {
			t.Errorf("%d %s", status, body)
		}
	})
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+path, nil)
		must(t, err)
		if status, body := do(t, req); status != http.StatusOK || body != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestTemplatesArePutListedGotAndExplained(t *testing.T) {
	d := serve(t, nil)
	const source = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
	c := dragomanv1connect.NewTemplateServiceClient(httpClient(t), d.url)
	ctx := t.Context()
	put, err := c.PutTemplate(ctx, &dragomanv1.PutTemplateRequest{Name: "mine", Source: source, EosToken: "</s>"})
	must(t, err)
	if put.Template.Name != "mine" || put.Template.Error != "" {
		t.Errorf("put: %v", put)
	}
	list, err := c.ListTemplates(ctx, &dragomanv1.ListTemplatesRequest{})
	must(t, err)
	var names []string
	for _, x := range list.Templates {
		names = append(names, x.Name)
	}
	if diff := cmp.Diff([]string{"chatml-json", "chatml-reasoning", "chatml-tagged", "mine"}, names); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	got, err := c.GetTemplate(ctx, &dragomanv1.GetTemplateRequest{Name: "mine"})
	must(t, err)
	if got.Source != source || got.EosToken != "</s>" {
		t.Errorf("get: %v", got)
	}
	explained, err := c.ExplainTemplate(ctx, &dragomanv1.ExplainTemplateRequest{Name: template1})
	must(t, err)
	if !strings.Contains(explained.Text, "<tool_call>") {
		t.Errorf("the explanation lacks the call marker:\n%s", explained.Text)
	}
	if !strings.Contains(explained.GetExplanation().GetText(), `"comparisons":[`) {
		t.Errorf("the machine-readable explanation: %s", explained.Explanation)
	}
	rendered, err := dragomanv1connect.NewChatServiceClient(httpClient(t), d.url).Render(ctx,
		&dragomanv1.RenderRequest{Template: "mine", Request: &dragomanv1.Json{Text: `{"messages":[{"role":"user","content":"Hi"}]}`}})
	must(t, err)
	if rendered.Prompt != "[user]Hi[assistant]" || rendered.GenerationPrompt != "[assistant]" {
		t.Errorf("rendered %v", rendered)
	}
}

// clients returns a generated client for each protocol.
func clients(t *testing.T, url string) map[string]dragomanv1connect.ChatServiceClient {
	return map[string]dragomanv1connect.ChatServiceClient{
		"connect":      dragomanv1connect.NewChatServiceClient(httpClient(t), url),
		"connect JSON": dragomanv1connect.NewChatServiceClient(httpClient(t), url, withJSON()),
		"gRPC":         dragomanv1connect.NewChatServiceClient(httpClient(t), url, connect.WithGRPC()),
		"gRPC-Web":     dragomanv1connect.NewChatServiceClient(httpClient(t), url, connect.WithGRPCWeb()),
	}
}

// httpClient returns a client for HTTP/2 without TLS.
func httpClient(t *testing.T) *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestGeneratedClientsReachTheMethodsOverEveryProtocol(t *testing.T) {
	d := serve(t, nil)
	for name, c := range clients(t, d.url) {
		t.Run(name, func(t *testing.T) {
			whole, err := c.Parse(t.Context(), &dragomanv1.ParseRequest{
				Template: template1, Request: &dragomanv1.Json{Text: request1},
				Output: &dragomanv1.ParseRequest_Text{Text: output1}, Options: &dragomanv1.ParseOptions{NoIds: true},
			})
			must(t, err)
			same(t, whole.Message.Text, message1)
			stream := open(t, t.Context(), c)
			chunks, result := exchangeAll(t, stream, output1, 1)
			same(t, result.Message.Text, message1)
			joined(t, chunks, result)
		})
	}
}

type parseStream = *connect.BidiStreamForClientSimple[dragomanv1.ParseStreamRequest, dragomanv1.ParseStreamResponse]

func open(t *testing.T, ctx context.Context, c dragomanv1connect.ChatServiceClient) parseStream {
	t.Helper()
	stream, err := c.ParseStream(ctx)
	must(t, err)
	return stream
}

// exchangeAll streams an output in pieces of n bytes, and returns the chunks and the result.
func exchangeAll(t *testing.T, stream parseStream, output string, n int) (chunks []string, result *dragomanv1.ParseResponse) {
	t.Helper()
	must(t, stream.Send(&dragomanv1.ParseStreamRequest{Start: start1()}))
	for i := 0; i < len(output); i += n {
		piece := []byte(output[i:min(i+n, len(output))])
		must(t, stream.Send(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Data{Data: piece}}))
	}
	must(t, stream.CloseRequest())
	for {
		m, err := stream.Receive()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if m.Chunk != nil {
			chunks = append(chunks, m.Chunk.Text)
		}
		if m.Result != nil {
			result = m.Result
		}
	}
	must(t, stream.CloseResponse())
	if result == nil {
		t.Fatalf("the stream ended without a result, after %q", chunks)
	}
	return chunks, result
}

func start1() *dragomanv1.ParseStart {
	return &dragomanv1.ParseStart{Template: template1, Request: &dragomanv1.Json{Text: request1}, Options: &dragomanv1.ParseOptions{NoIds: true}}
}

var bidirectional = &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}

// dial connects with the client of package grpc.
func (d *daemon) dial(t *testing.T) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(d.url, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	return conn
}

func TestGRPCsOwnClientReachesTheMethods(t *testing.T) {
	d := serve(t, nil)
	conn := d.dial(t)
	defer conn.Close()
	var plan dragomanv1.PlanResponse
	must(t, conn.Invoke(t.Context(), planPath, &dragomanv1.PlanRequest{Template: template1, Request: &dragomanv1.Json{Text: request1}}, &plan))
	if plan.GenerationPrompt != "<|im_start|>assistant\n" {
		t.Errorf("plan: %v", &plan)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := conn.NewStream(ctx, bidirectional, parseStreamPath)
	must(t, err)
	must(t, stream.SendMsg(&dragomanv1.ParseStreamRequest{Start: start1()}))
	must(t, stream.SendMsg(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Let me look"}}))
	// Decided text arrives while the client is still sending.
	var chunks []string
	for !strings.Contains(strings.Join(chunks, ""), "Let me look") {
		var m dragomanv1.ParseStreamResponse
		must(t, stream.RecvMsg(&m))
		chunks = append(chunks, m.GetChunk().GetText())
	}
	must(t, stream.SendMsg(&dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Text{Text: strings.TrimPrefix(output1, "Let me look")}}))
	must(t, stream.CloseSend())
	for {
		var m dragomanv1.ParseStreamResponse
		must(t, stream.RecvMsg(&m))
		if m.Result != nil {
			same(t, m.Result.Message.Text, message1)
			return
		}
	}
}

// joined checks that the chunks of a stream add up to its result.
func joined(t *testing.T, chunks []string, result *dragomanv1.ParseResponse) {
	t.Helper()
	var want struct {
		Content   string
		ToolCalls []struct {
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	must(t, json.Unmarshal([]byte(result.Message.Text), &want))
	var content string
	arguments := map[int]string{}
	var reasons []string
	for _, text := range chunks {
		var c struct {
			Object  string
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct {
						Index    int
						Function struct{ Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason *string `json:"finish_reason"`
			}
		}
		must(t, json.Unmarshal([]byte(text), &c))
		if c.Object != "chat.completion.chunk" || len(c.Choices) != 1 {
			t.Fatalf("%s is not a chat.completion.chunk", text)
		}
		content += c.Choices[0].Delta.Content
		for _, call := range c.Choices[0].Delta.ToolCalls {
			arguments[call.Index] += call.Function.Arguments
		}
		if r := c.Choices[0].FinishReason; r != nil {
			reasons = append(reasons, *r)
		}
	}
	if content != want.Content || len(arguments) != len(want.ToolCalls) {
		t.Errorf("the chunks have content %q and %d calls, the message %q and %d", content, len(arguments), want.Content, len(want.ToolCalls))
	}
	for i, call := range want.ToolCalls {
		if arguments[i] != call.Function.Arguments {
			t.Errorf("call %d: the chunks have arguments %q, the message %q", i, arguments[i], call.Function.Arguments)
		}
	}
	if !cmp.Equal(reasons, []string{result.FinishReason}) {
		t.Errorf("the chunks end with %q, the result with %q", reasons, result.FinishReason)
	}
}

// same compares two JSON texts, including the order of their members.
func same(t *testing.T, got, want string) {
	t.Helper()
	var g, w bytes.Buffer
	must(t, json.Compact(&g, []byte(got)))
	must(t, json.Compact(&w, []byte(want)))
	if g.String() != w.String() {
		t.Errorf("got %s\nexpected %s", &g, &w)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const patience = time.Minute
