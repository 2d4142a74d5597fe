// Package client is a Go client of the Dragoman daemon.
//
// It has what a program in front of an inference engine needs: planning a request, parsing an output, and parsing an output
// while it arrives. Plans, messages, results and errors have the library's own types (sdk/session, sdk/chat, sdk/fault); requests
// may also be JSON in OpenAI's format.
//
//	c := client.New("http://127.0.0.1:8080", client.Options{})
//	plan, err := c.Plan(ctx, "my-model", request)      // plan.Prompt, plan.Constraint, plan.Stops → the engine
//	stream, err := c.ParseStream(ctx, "my-model", request)
//	…                                                  // stream.Send each piece that the engine writes, then stream.CloseSend
//	for chunk, err := range stream.Chunks() { … }      // chat.completion.chunk, to be passed on unchanged
//	result := stream.Result()
//
// A program with many concurrent outputs lets them share one stream: Streams has the method ParseStream, too.
//
// For templates, status and reload use the generated clients of sdk/proto/dragoman/v1/dragomanv1connect, over the connection that
// HTTPClient returns.
//
// Words that must not be confused: a *piece* goes to the daemon, a *chunk* comes from it.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// Options configure a client. The zero value works.
type Options struct {
	// Token is sent as the bearer token, unless it is empty.
	Token string
	// HTTP makes the requests. The default supports HTTP/2, which streams need.
	HTTP *http.Client
}

// Client is a client of one daemon. It is safe for concurrent use.
type Client struct {
	http  *http.Client
	base  string
	chats dragomanv1connect.ChatServiceClient
}

// New returns a client of the daemon at address, such as "http://127.0.0.1:8080", "https://dragoman.example" or
// "unix:/run/dragoman/dragoman.sock".
func New(address string, o Options) *Client {
	c := &Client{http: o.HTTP, base: strings.TrimSuffix(address, "/")}
	socket, isUnix := strings.CutPrefix(address, "unix:")
	if isUnix {
		c.base = "http://dragoman"
	}
	if c.http == nil {
		c.http = newHTTP(socket, isUnix)
	}
	if o.Token != "" {
		c.http = &http.Client{Transport: bearer{o.Token, c.http.Transport}, Timeout: c.http.Timeout}
	}
	c.chats = dragomanv1connect.NewChatServiceClient(c.http, c.base, connect.WithGRPC(),
		connect.WithAcceptCompression("gzip", nil, nil)) // no compression: the daemon is close by
	return c
}

// newHTTP returns an HTTP client that uses HTTP/2 with and without TLS.
func newHTTP(socket string, isUnix bool) *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP2(true)
	transport.Protocols.SetUnencryptedHTTP2(true)
	if isUnix {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}
	}
	return &http.Client{Transport: whole{transport}}
}

// bearer adds a token to each request.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip sends a request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	next := b.next
	if next == nil {
		next = http.DefaultTransport
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return next.RoundTrip(r)
}

// HTTPClient returns the HTTP client and the base URL, for the generated clients of other services.
func (c *Client) HTTPClient() (*http.Client, string) { return c.http, c.base }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// remoteError converts an error of the connection to the *fault.Error that the daemon sent.
func remoteError(err error) error {
	var rpc *connect.Error
	if !errors.As(err, &rpc) {
		return err
	}
	for _, detail := range rpc.Details() {
		value, broken := detail.Value()
		if e, ok := value.(*dragomanv1.Error); broken == nil && ok {
			return chatapi.DecodeError(e, err)
		}
	}
	code := rpc.Code()
	if reset := new(net.OpError); code == connect.CodeCanceled && errors.As(err, &reset) {
		code = connect.CodeUnavailable // connect mistakes a connection reset by the daemon for one canceled by the client
	}
	return &fault.Error{Code: fault.OfRPC(uint32(code)), Message: rpc.Message(), Err: err}
}

// requestJSON returns a chat request as JSON: strings and bytes are JSON already, everything else is encoded.
func requestJSON(request any) (*dragomanv1.Json, error) {
	switch r := request.(type) {
	case string:
		return &dragomanv1.Json{Text: r}, nil
	case []byte:
		return &dragomanv1.Json{Text: string(r)}, nil
	}
	text, err := json.Marshal(request)
	return &dragomanv1.Json{Text: string(text)}, err
}
