package api

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/shared"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

const (
	parseMethod = "dragoman.v1.ChatService/Parse"
	reflection  = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
	putMethod   = "dragoman.v1.TemplateService/PutTemplate"
	getMethod   = "dragoman.v1.TemplateService/GetTemplate"
)

// dialTCP opens a raw TCP connection to the daemon.
func (d *daemon) dialTCP(t *testing.T) *net.TCPConn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(d.url, "http://"))
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.TCPConn)
}

// send posts a body with a content type, and returns the status.
func (d *daemon) send(t *testing.T, path, contentType string, body io.Reader, header ...string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+path, body)
	must(t, err)
	req.Header.Set("Content-Type", contentType)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	status, _ := do(t, req)
	return status
}

// TestBadInputIsBoundedLoggedAndCounted sends invalid requests, each to a daemon of its own. Each
// is answered with an error, logged in one line and counted once; then the daemon answers as
// before.
func TestBadInputIsBoundedLoggedAndCounted(t *testing.T) {
	shared.Slow(t)
	const secret = "hush"
	never := func(t *testing.T) io.Reader {
		r, w := io.Pipe()
		t.Cleanup(func() { _ = w.Close() })
		return r
	}
	tests := []struct {
		name   string
		send   func(t *testing.T, d *daemon) int
		status int
		method string
		code   string
	}{
		{"an oversized body", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/json", strings.NewReader(parseBody(strings.Repeat("x", 1<<20))))
		}, 413, parseMethod, "limit_exceeded"},
		{"an oversized body of unknown length", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/proto", io.LimitReader(endless{}, 1<<20))
		}, 413, parseMethod, "limit_exceeded"},
		{"an oversized line", func(t *testing.T, d *daemon) int {
			return d.send(t, linesPath, linesType, strings.NewReader(`{"start": "`+strings.Repeat("x", 1<<20)))
		}, 413, linesPath, "limit_exceeded"},
		{"a body that does not arrive", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/json", never(t))
		}, 504, parseMethod, "timed_out"},
		{"a stream that does not arrive", func(t *testing.T, d *daemon) int {
			return d.send(t, linesPath, linesType, never(t))
		}, 504, linesPath, "timed_out"},
		{"invalid protobuf", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/proto", strings.NewReader("\xff\xff\xff"))
		}, 400, parseMethod, "invalid_argument"},
		{"invalid protobuf, over gRPC", func(t *testing.T, d *daemon) int {
			c := connect.NewClient[dragomanv1.ParseRequest, dragomanv1.ParseResponse](httpClient(t), d.url+parsePath, connect.WithGRPC(), connect.WithCodec(garbage{}))
			_, err := c.CallUnary(t.Context(), connect.NewRequest(&dragomanv1.ParseRequest{}))
			if connect.CodeOf(err) != connect.CodeInvalidArgument {
				t.Errorf("the client got %v", err)
			}
			return 400
		}, 400, parseMethod, "invalid_argument"},
		{"a truncated message, over gRPC", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/grpc+proto", strings.NewReader("\x00\x00\x00\x00\x09ab"))
		}, 200, parseMethod, "invalid_argument"},
		{"an unknown compression", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/json", strings.NewReader(parseBody("hi")), "Content-Encoding", "br")
		}, 415, parseMethod, "invalid_argument"},
		{"a bidirectional stream over HTTP/1", func(t *testing.T, d *daemon) int {
			return d.send(t, parseStreamPath, "application/connect+json", strings.NewReader(""))
		}, 505, strings.TrimPrefix(parseStreamPath, "/"), "invalid_argument"},
		{"invalid JSON", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/json", strings.NewReader(`{"template": "x`))
		}, 400, parseMethod, "invalid_argument"},
		{"an unsupported content type", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "text/html", strings.NewReader("<p>"))
		}, 415, parseMethod, "invalid_argument"},
		{"a wrong token", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/json", strings.NewReader(parseBody("hi")), "Authorization", "Bearer guess")
		}, 401, parseMethod, "unauthenticated"},
		{"no token", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/json", strings.NewReader(parseBody("hi")), "Authorization", "")
		}, 401, parseMethod, "unauthenticated"},
		{"a template named like a path", func(t *testing.T, d *daemon) int {
			return d.send(t, putPath, "application/json", strings.NewReader(`{"name": "../../etc/passwd", "source": "x"}`))
		}, 400, putMethod, "invalid_argument"},
		{"a template asked for like a path", func(t *testing.T, d *daemon) int {
			return d.send(t, dragomanv1connect.TemplateServiceGetTemplateProcedure, "application/json", strings.NewReader(`{"name": "../../../../etc/passwd"}`))
		}, 404, getMethod, "not_found"},
		{"an unknown path", func(t *testing.T, d *daemon) int {
			return d.send(t, "/../../etc/passwd", "application/json", strings.NewReader("{}"))
		}, 404, otherMethod, "not_found"},
		{"a malformed history", func(t *testing.T, d *daemon) int {
			return d.send(t, parsePath, "application/json", strings.NewReader(`{"template": "chatml-json", "text": "", "request": {"messages": [{"role": "tool", "content": 5}]}}`))
		}, 400, parseMethod, "invalid_argument"},
		{"a truncated message of a stream", func(t *testing.T, d *daemon) int {
			return d.send(t, linesPath, linesType, strings.NewReader(`{"start": {"template": "chatml`))
		}, 400, linesPath, "invalid_argument"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serve(t, func(c *config.Config) {
				c.Limits.BodyBytes = 1 << 16
				c.Metrics.Public = true
				if tt.code == "timed_out" {
					c.Limits.RequestTime, c.Limits.SessionIdle = time.Second, time.Second
				}
				if tt.code == "unauthenticated" {
					c.Auth.Tokens = []string{secret}
				}
			})
			if got := tt.send(t, d); got != tt.status {
				t.Errorf("the status is %d, expected %d", got, tt.status)
			}
			d.counts(t, answered(tt.method, tt.code), "1")
			if lines := d.logs(t, 1, `"msg":"request"`, `"method":"`+tt.method+`"`, `"code":"`+tt.code+`"`); len(lines) != 1 {
				t.Errorf("the log has %d lines for the request, expected one:\n%s", len(lines), strings.Join(lines, ""))
			}
			if got := d.send(t, parsePath, "application/json", strings.NewReader(parseBody("hi")), "Authorization", "Bearer "+secret); got != http.StatusOK {
				t.Errorf("afterwards a good request is answered with %d", got)
			}
		})
	}
}

// TestFewBytesDoNotBecomeMuchMemory nests as many messages in one as a body can hold.
func TestFewBytesDoNotBecomeMuchMemory(t *testing.T) {
	const many = maxWithin + 1
	d := serve(t, nil)
	empty := strings.Repeat("\x3a\x00", many) // special: {}
	few := "\x3a\x0e" + strings.Repeat("\x3a\x00", 7)
	for name, tt := range map[string]struct{ contentType, body, want string }{
		"protobuf":          {"application/proto", empty, "more than"},
		"protobuf, far in":  {"application/proto", "\x2a\x00" + empty, "more than"},
		"JSON":              {"application/json", `{"special":[` + strings.Repeat("{},", many) + `{}]}`, "more than"},
		"long, but few":     {"application/proto", few + "\x1a\x80\x80\x40" + strings.Repeat("x", 1<<20), "missing chat request"},
		"long, but no text": {"application/proto", strings.Repeat("\xff", many+1), "invalid dragoman.v1.ParseRequest"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := d.post(t, parsePath, tt.body, "Content-Type", tt.contentType)
			if status != http.StatusBadRequest || !strings.Contains(body, tt.want) {
				t.Errorf("%d %.300s", status, body)
			}
		})
	}
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// garbage is a codec that writes invalid protobuf.
type garbage struct{}

func (garbage) Name() string                { return "proto" }
func (garbage) Marshal(any) ([]byte, error) { return []byte{0xff, 0xff, 0xff}, nil }
func (garbage) Unmarshal([]byte, any) error { return nil }

func TestHeadersThatDoNotEndAreCutOff(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Limits.HeaderTime = 100 * time.Millisecond })
	const many = 50
	var conns []*net.TCPConn
	for range many {
		conn := d.dialTCP(t)
		_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: dragoman\r\nX-", parsePath)
		must(t, err)
		conns = append(conns, conn)
	}
	for _, conn := range conns {
		must(t, conn.SetReadDeadline(time.Now().Add(patience)))
		answer, err := io.ReadAll(conn) // a reset counts as closed: the test may have written after the deadline
		if errors.Is(err, os.ErrDeadlineExceeded) || strings.Contains(string(answer), "200 OK") {
			t.Fatalf("%q, %v; expected the connection closed", answer, err)
		}
	}
	d.counts(t, "dragoman_connections_lost_total", fmt.Sprint(many))
	d.logs(t, many, "a connection ended without a request", conns[0].LocalAddr().(*net.TCPAddr).IP.String())
}

// TestHalfClosedConnectionsAreAnsweredOrEnded closes its side of a connection within a body or
// after it.
func TestHalfClosedConnectionsAreAnsweredOrEnded(t *testing.T) {
	d := serve(t, nil)
	body := startLine + "\n" + line("Hello ") + "\n" + line("there.") + "\n"
	half := func(length int) string {
		t.Helper()
		conn := d.dialTCP(t)
		_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: dragoman\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", linesPath, length, body)
		must(t, err)
		must(t, conn.CloseWrite())
		must(t, conn.SetReadDeadline(time.Now().Add(patience)))
		answer, err := io.ReadAll(conn)
		must(t, err)
		return string(answer)
	}
	// For net/http a client that closes its side is gone, so even a whole body may go unanswered.
	if whole := half(len(body)); strings.Contains(whole, `"code"`) && !strings.Contains(whole, `"code":"canceled"`) {
		t.Errorf("after a whole body: %s", whole)
	}
	if cut := half(len(body) + 10); strings.Contains(cut, `"result"`) {
		t.Errorf("after a part of a body: %s, expected no result", cut)
	}
	eventually(t, "the release of both streams", func() bool { return d.sessions.Load() == 0 })
	d.counts(t, "dragoman_sessions", "0")
	d.logs(t, 2, `"msg":"request"`, `"method":"`+linesPath+`"`)
	if faults := d.log.with(`"msg":"request"`, `"code":"internal"`); len(faults) > 0 {
		t.Errorf("logged as an internal error: %q", faults)
	}
}

// TestTenThousandOpensWithoutACloseAreBounded opens streams and never ends one. As many run as the
// limit allows, the others are refused; when the clients disconnect, every session is released.
func TestTenThousandOpensWithoutACloseAreBounded(t *testing.T) {
	shared.Slow(t)
	const opens, limit, atOnce = 10_000, 100, 20
	d := serve(t, func(c *config.Config) {
		c.Limits.Sessions = limit
		c.Log.Access = "failed"
	})
	before := heap()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: dragoman\r\nTransfer-Encoding: chunked\r\n\r\n", linesPath)
	body := startLine + "\n" + line("Hello there.") + "\n"
	request := fmt.Appendf(nil, "%s%x\r\n%s\r\n", head, len(body), body)
	var refused atomic.Int64
	var running sync.Map // connections that stay open
	var clients errgroup.Group
	for range atOnce {
		clients.Go(func() error {
			answer := make([]byte, 64)
			for range opens / atOnce {
				conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(d.url, "http://"))
				if err != nil {
					return err
				}
				if _, err = conn.Write(request); err == nil {
					_, err = io.ReadAtLeast(conn, answer, len("HTTP/1.1 200"))
				}
				switch {
				case err != nil:
					return err
				case strings.HasPrefix(string(answer), "HTTP/1.1 200"):
					running.Store(conn, true)
				case strings.HasPrefix(string(answer), "HTTP/1.1 503"):
					refused.Add(1)
					_ = conn.Close()
				default:
					return fmt.Errorf("a stream is answered with %q", answer)
				}
			}
			return nil
		})
	}
	must(t, clients.Wait())
	if refused.Load() != opens-limit || d.sessions.Load() != limit {
		t.Errorf("%d streams are running and %d were refused, expected %d and %d", d.sessions.Load(), refused.Load(), limit, opens-limit)
	}
	d.logs(t, opens-limit, `"method":"`+linesPath+`"`, `"code":"unavailable"`, "limits.sessions")
	d.counts(t, answered(linesPath, "unavailable"), fmt.Sprint(opens-limit))
	d.counts(t, "dragoman_sessions", fmt.Sprint(limit))
	if grown := heap() - before - d.log.size(); grown > 32<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	running.Range(func(conn, _ any) bool { return conn.(net.Conn).Close() == nil })
	eventually(t, "the release of all streams", func() bool { return d.sessions.Load() == 0 })
	d.counts(t, "dragoman_sessions", "0")
}

// heap returns the number of heap bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestNoOutputOfAModelIsAServerError sends outputs of models gone wrong, with every policy but
// those that return an error.
func TestNoOutputOfAModelIsAServerError(t *testing.T) {
	d := serve(t, nil)
	for _, output := range []string{
		"<tool_call>", malformed1, "<tool_call>\n{\"name\": \"nobody\", \"arguments\": {}}\n</tool_call>", "\x00\xff", strings.Repeat("<tool_call>\n", 500),
		"<tool_call>\n{\"name\": \"weather\", \"arguments\": " + strings.Repeat("[", 5000),
	} {
		for _, policies := range []string{`{}`, `{"unknown_tool": "content", "truncated_call": "drop"}`, `{"truncated_call": "content", "call_in_reasoning": "keep"}`} {
			body := strings.Replace(parseBody(strings.ToValidUTF8(output, "?")), `{"messages"`, `{"parsing": `+policies+`, "messages"`, 1)
			if status, answer := d.post(t, parsePath, body); status != http.StatusOK {
				t.Errorf("%.40q with %s: %d %s", output, policies, status, answer)
			}
		}
	}
}

func TestPoliciesOfTheConfigurationApplyWhereARequestHasNone(t *testing.T) {
	d := serve(t, func(c *config.Config) {
		c.Parsing.Malformed = "error"
		c.Parsing.Templates = map[string]map[string]string{"chatml-tagged": {"malformed": "deliver"}}
	})
	for _, tt := range []struct {
		template, own string
		status        int
	}{
		{template1, `{}`, http.StatusBadRequest},
		{template1, `{"malformed": "deliver"}`, http.StatusOK},
		{"chatml-tagged", `{}`, http.StatusOK},
	} {
		body := strings.Replace(parseBody(malformed1), `{"messages"`, `{"parsing": `+tt.own+`, "messages"`, 1)
		body = strings.Replace(body, `"template": "chatml-json"`, `"template": "`+tt.template+`"`, 1)
		if status, answer := d.post(t, parsePath, body); status != tt.status {
			t.Errorf("%s with %s: %d %s, expected %d", tt.template, tt.own, status, answer, tt.status)
		}
	}
}
