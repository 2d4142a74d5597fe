package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// pipes is a listener for the connections made by its dial method.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours, nil
}

// inBubble serves a handler over HTTP/2 in a synctest bubble, where time passes only when every
// goroutine is blocked. The handler reads and writes under the same deadlines as those of the API.
func inBubble(t *testing.T, idle time.Duration, handler func(*testing.T, http.ResponseWriter, *http.Request), talk func(*testing.T, *http.Client)) {
	synctest.Test(t, func(t *testing.T) {
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		p := pipes{make(chan net.Conn), make(chan struct{})}
		srv := &http.Server{Protocols: &protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			d := &deadlines{idle: idle, end: time.Now().Add(time.Hour)}
			in := &body{ReadCloser: r.Body, time: newWatchdog(d, func() { _ = rc.SetReadDeadline(time.Now()) }), left: -1}
			out := &writer{ResponseWriter: w, rc: rc, time: newWatchdog(d, func() { _ = rc.SetWriteDeadline(time.Now()) })}
			r.Body = in
			handler(t, out, r)
			in.time.stop()
			out.finish()
		})}
		go func() { _ = srv.Serve(p) }()
		transport := &http.Transport{Protocols: &protocols, DialContext: p.dial}
		defer func() {
			transport.CloseIdleConnections()
			_ = srv.Close()
		}()
		talk(t, &http.Client{Transport: transport})
	})
}

// begin posts body, and returns the response once its header has arrived.
func begin(t *testing.T, client *http.Client, body io.Reader) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://pipe/", body)
	must(t, err)
	res, err := client.Do(req)
	must(t, err)
	return res
}

// post posts body, and returns the text of the response.
func post(t *testing.T, client *http.Client, body io.Reader) string {
	t.Helper()
	res := begin(t, client, body)
	text, err := io.ReadAll(res.Body)
	must(t, err)
	must(t, res.Body.Close())
	return string(text)
}

// TestAClientMayWaitForABusyDaemon keeps the daemon busy, as planning may, for longer than a client
// may be silent.
func TestAClientMayWaitForABusyDaemon(t *testing.T) {
	const idle = 2 * time.Second
	free := make(chan struct{})
	inBubble(t, idle, func(t *testing.T, w http.ResponseWriter, r *http.Request) {
		first := make([]byte, 5)
		_, err := io.ReadFull(r.Body, first)
		must(t, err)
		_, err = w.Write(first)
		must(t, err)
		w.(http.Flusher).Flush()
		time.Sleep(5 * idle)
		free <- struct{}{}
		rest, err := io.ReadAll(r.Body)
		must(t, err)
		time.Sleep(5 * idle)
		_, err = w.Write(rest)
		must(t, err)
	}, func(t *testing.T, client *http.Client) {
		free = make(chan struct{}) // of the bubble
		in, out := io.Pipe()
		go func() {
			_, _ = out.Write([]byte("Hello"))
			<-free
			_, _ = out.Write([]byte(" there"))
			_ = out.Close()
		}()
		if text := post(t, client, in); text != "Hello there" {
			t.Errorf("the response is %q", text)
		}
	})
}

func TestASilentClientIsInterrupted(t *testing.T) {
	const idle = 2 * time.Second
	inBubble(t, idle, func(t *testing.T, w http.ResponseWriter, r *http.Request) {
		time.Sleep(idle / 2) // so that the first check of the watchdog falls within the read
		_, err := io.ReadFull(r.Body, make([]byte, 5))
		must(t, err)
		start := time.Now()
		_, err = r.Body.Read(make([]byte, 5))
		if fault.CodeOf(asFault(err)) != fault.TimedOut || !strings.Contains(err.Error(), "limits.session_idle") {
			t.Errorf("the read failed with %v", err)
		}
		if took := time.Since(start); took != idle {
			t.Errorf("the interruption came after %v", took)
		}
		_, err = w.Write([]byte("too late"))
		must(t, err)
	}, func(t *testing.T, client *http.Client) {
		in, out := io.Pipe()
		go func() { _, _ = out.Write([]byte("Hello")) }()
		if text := post(t, client, in); text != "too late" {
			t.Errorf("the response is %q", text)
		}
		_ = out.Close()
	})
}

func TestAClientThatDoesNotReadIsInterrupted(t *testing.T) {
	const idle = 2 * time.Second
	written := make(chan error, 1)
	inBubble(t, idle, func(t *testing.T, w http.ResponseWriter, _ *http.Request) {
		var err error
		start := time.Now()
		for range 1000 {
			if _, err = w.Write(make([]byte, 1<<16)); err != nil {
				break
			}
		}
		if took := time.Since(start); took != idle {
			t.Errorf("the interruption came after %v", took)
		}
		written <- err
	}, func(t *testing.T, client *http.Client) {
		written = make(chan error, 1) // of the bubble
		res := begin(t, client, http.NoBody)
		if err := <-written; err == nil || errors.Is(err, io.EOF) {
			t.Errorf("the write failed with %v", err)
		}
		_ = res.Body.Close()
	})
}
