package client

import (
	"encoding/binary"
	"io"
	"net/http"
	"strings"
)

// whole sends each message of a stream in one frame of HTTP/2. Messages are written as a head and a body, which would otherwise go in
// a frame each, and every frame wakes the daemon.
type whole struct{ next http.RoundTripper }

// RoundTrip sends a request.
func (w whole) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		r = r.WithContext(r.Context()) // a copy: a round tripper must not change the request
		r.Body = &messages{ReadCloser: r.Body}
	}
	return w.next.RoundTrip(r)
}

// CloseIdleConnections is called by http.Client.
func (w whole) CloseIdleConnections() { (&http.Client{Transport: w.next}).CloseIdleConnections() }

// messages reads the head of a message together with its body, as far as there is room.
type messages struct {
	io.ReadCloser
	left int // bytes of the message that were not read
}

// head is the size of a message's head: flags, and the size of the body.
const head = 5

func (m *messages) Read(p []byte) (n int, err error) {
	if m.left == 0 && len(p) >= head {
		if n, err = io.ReadFull(m.ReadCloser, p[:head]); err != nil {
			return n, err
		}
		m.left = int(binary.BigEndian.Uint32(p[1:]))
	}
	if rest := min(len(p)-n, m.left); rest > 0 {
		var more int
		more, err = m.ReadCloser.Read(p[n : n+rest])
		n, m.left = n+more, m.left-more
	}
	return n, err
}
