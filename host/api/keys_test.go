package api

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

var runtimeVersion = runtime.Version()

// write writes a file into a folder of its own, and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// eventually waits until holds returns true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

func TestTokensOfAFileReload(t *testing.T) {
	file := write(t, "tokens", "# ours\nfirst team a\n\nsecond\n")
	d := serve(t, func(c *config.Config) { c.Auth.TokensFile = file })
	let := func(token string) bool {
		status, _ := d.post(t, parsePath, parseBody("hi"), "Authorization", "Bearer "+token)
		return status == http.StatusOK
	}
	if !let("first") || !let("second") || let("third") || let("") || let("#") || let("team") {
		t.Error("the accepted tokens are not exactly those of the file")
	}
	d.logs(t, 1, `"key":"team a"`)
	must(t, os.WriteFile(file, []byte("third\n"), 0o600))
	eventually(t, "the new token", func() bool { return let("third") && !let("first") })
	must(t, os.WriteFile(file, []byte("# all are gone\n"), 0o600))
	eventually(t, "the refusal in the log", func() bool { return len(d.log.with("no tokens", file)) > 0 })
	if !let("third") {
		t.Error("a file without tokens took effect, expected the last good one to stay in force")
	}
}

// TestAServerWithoutItsSecretsRefusesEveryToken creates a server whose options lack the secrets.
func TestAServerWithoutItsSecretsRefusesEveryToken(t *testing.T) {
	cfg := config.Default()
	cfg.Auth.TokensFile = write(t, "tokens", "first\n")
	h, err := host.New(t.Context(), host.Options{Config: cfg})
	must(t, err)
	defer h.Close(t.Context())
	for _, token := range []string{"", "first"} {
		r := httptest.NewRequest(http.MethodPost, parsePath, strings.NewReader(parseBody("hi")))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		New(h, Options{}).ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized {
			t.Errorf("token %q: %d", token, w.Code)
		}
	}
}

func TestEachKeyHasItsOwnLimits(t *testing.T) {
	d := serve(t, func(c *config.Config) {
		c.Auth.TokensFile = write(t, "tokens", "busy\nidle\n")
		c.Limits.KeyRate = 5
		c.Limits.KeySessions = 1
	})
	limited := 0
	for range 20 {
		switch status, body := d.post(t, parsePath, parseBody("hi"), "Authorization", "Bearer busy"); status {
		case http.StatusTooManyRequests:
			limited++
			if !strings.Contains(body, "limits.key_rate") || !strings.Contains(body, `"rate_limited"`) {
				t.Errorf("the response is %s, expected the limit and a remedy", body)
			}
		case http.StatusOK:
		default:
			t.Errorf("%d %s", status, body)
		}
	}
	if limited == 0 {
		t.Error("20 requests in a row did not exceed 5 a second")
	}
	if status, body := d.post(t, parsePath, parseBody("hi"), "Authorization", "Bearer idle"); status != http.StatusOK {
		t.Errorf("the other key is limited, too: %d %s", status, body)
	}
	c := dragomanv1connect.NewChatServiceClient(httpClient(t), d.url, connect.WithGRPC(), connect.WithInterceptors(bearer("idle")))
	begin := func() (parseStream, error) {
		stream := open(t, t.Context(), c)
		if err := stream.Send(&dragomanv1.ParseStreamRequest{Start: start1(), Chunk: &dragomanv1.ParseStreamRequest_Text{Text: "Hello there."}}); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		_, err := stream.Receive()
		return stream, err
	}
	first, err := begin()
	must(t, err)
	second, err := begin()
	if connect.CodeOf(err) != connect.CodeResourceExhausted || !strings.Contains(err.Error(), "limits.key_sessions") {
		t.Errorf("the second stream: %v, expected the limit and a remedy", err)
	}
	for _, s := range []parseStream{first, second} {
		_ = s.CloseRequest()
		_ = s.CloseResponse()
	}
}

// bearer is an interceptor that sends a token with each stream.
type bearer string

func (b bearer) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc { return next }
func (b bearer) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}
func (b bearer) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		conn := next(ctx, spec)
		conn.RequestHeader().Set("Authorization", "Bearer "+string(b))
		return conn
	}
}

// TestWhatAKeyHasUsedOutlivesChangesOfOthers rotates one token of a file while another is at its
// limit.
func TestWhatAKeyHasUsedOutlivesChangesOfOthers(t *testing.T) {
	var k keys
	with := func(token string) *key {
		t.Helper()
		found, ok := k.find(token, config.Auth{Tokens: []string{"configured"}, TokensFile: "tokens"})
		if !ok {
			t.Fatalf("the token %s is refused", token)
		}
		return found
	}
	must(t, k.read("tokens", []byte("\uFEFFsteady team a\nold\n")))
	for _, token := range []string{"steady", "old", "configured"} {
		_, err := with(token).begin(1)
		must(t, err)
	}
	must(t, k.read("tokens", []byte("new\nsteady team b\n")))
	for _, token := range []string{"steady", "configured"} {
		if _, err := with(token).begin(1); err == nil {
			t.Errorf("%s may exceed its limit of one stream after another token has changed", token)
		}
	}
	if got := with("steady").called(); got != "team b" {
		t.Errorf("the key has the name %q, expected its new one", got)
	}
	must(t, k.read("tokens", []byte("old\n")))
	if _, err := with("old").begin(1); err != nil {
		t.Errorf("a token that was removed and restored keeps its old usage: %v", err)
	}
}

func TestTooManyRequestsAtOnceAreRefused(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Limits.Requests = 1 })
	in, out := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+parsePath, in)
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Expect", "100-continue") // the body is sent once the handler reads it
	done := make(chan int)
	go func() {
		status, _ := do(t, req)
		done <- status
	}()
	_, err = out.Write([]byte(`{"template"`)) // the request is being handled now
	must(t, err)
	eventually(t, "the refusal", func() bool {
		status, body := d.post(t, parsePath, parseBody("hi"))
		return status == http.StatusServiceUnavailable && strings.Contains(body, "limits.requests")
	})
	if status, _ := d.get(t, "/healthz"); status != http.StatusOK {
		t.Errorf("/healthz is refused, too: %d", status)
	}
	_, err = io.WriteString(out, strings.TrimPrefix(parseBody("hi"), `{"template"`))
	must(t, err)
	must(t, out.Close())
	if status := <-done; status != http.StatusOK {
		t.Errorf("the first request is answered with %d", status)
	}
}

// TestStreamsWithoutASessionCountAsRequests opens streams of reflection.
func TestStreamsWithoutASessionCountAsRequests(t *testing.T) {
	for _, path := range []string{reflection} {
		t.Run(path, func(t *testing.T) {
			d := serve(t, func(c *config.Config) { c.Limits.Requests = 1 })
			conn := d.dial(t)
			defer conn.Close()
			ctx, cancel := context.WithCancel(t.Context())
			full := func() bool {
				status, body := d.post(t, parsePath, parseBody("hi"))
				return status == http.StatusServiceUnavailable && strings.Contains(body, "limits.requests")
			}
			eventually(t, "the refusal", func() bool {
				_, err := conn.NewStream(ctx, bidirectional, path) // refused if it arrives while a request is being handled
				must(t, err)
				return full()
			})
			cancel()
			eventually(t, "the end of the stream", func() bool { return !full() })
		})
	}
}

func TestACertificateReloads(t *testing.T) {
	cert, key, _ := certificate(t)
	d := serve(t, func(c *config.Config) { c.Listen.Cert, c.Listen.Key = cert, key })
	shown := func() *x509.Certificate {
		conn, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(t.Context(), "tcp", strings.TrimPrefix(d.url, "http://"))
		must(t, err)
		defer conn.Close()
		return conn.(*tls.Conn).ConnectionState().PeerCertificates[0]
	}
	before := shown()
	must(t, os.WriteFile(key, []byte("no key"), 0o600))
	d.logs(t, 1, "reload refused", "listen.key")
	if !shown().Equal(before) {
		t.Error("an invalid key changed the certificate")
	}
	nextCert, nextKey, _ := certificate(t)
	for from, to := range map[string]string{nextCert: cert, nextKey: key} {
		must(t, os.Rename(from, to))
	}
	eventually(t, "the new certificate", func() bool { return !shown().Equal(before) })
}

func TestTheSocketHasTheModeOfTheConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.sock")
	serve(t, func(c *config.Config) { c.Listen.Address, c.Listen.SocketMode = "unix:"+path, "0620" })
	info, err := os.Stat(path)
	must(t, err)
	if got := info.Mode().Perm(); got != 0o620 {
		t.Errorf("the socket has the mode %o", got)
	}
}
