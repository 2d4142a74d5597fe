// Package wire has the engines that are reached over HTTP, each in a file of its own, in the words of its raw API.
//
//	Client.Find(url) asks what is there ─→ llamaServer, vllm, sglang, tgi, ollama, or completions for other servers of OpenAI's
//
// An engine translates a request into its body, and the events of its stream into pieces; connecting, timeouts, errors and the reading
// of events are shared (http.go, events.go). Closing the connection ends the completion on every engine.
//
// What engines do with special tokens decides whether an output can be read, so each file says how it keeps them in the text, and who
// writes the token that begins a text: a template that writes it, and an engine that adds it, would have two.
package wire

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Options are the choices of NewClient.
type Options struct {
	// Key is a bearer token that is sent to engines; it may be empty.
	Key string
	// Idle is how long an engine may be silent within an output; 0: five minutes.
	Idle time.Duration
}

// Client connects to engines. It is safe for concurrent use.
type Client struct {
	Options
	http *http.Client
}

// NewClient returns a Client.
func NewClient(o Options) *Client {
	const (
		usual   = 5 * time.Minute
		perHost = 1000 // idle connections, so that many outputs do not connect anew
	)
	if o.Idle <= 0 {
		o.Idle = usual
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.MaxIdleConns, t.MaxIdleConnsPerHost = nil, 0, perHost
	return &Client{o, &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Close closes the connections that no output uses.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// models is the answer of /v1/models.
type models struct {
	Data []struct {
		ID      string `json:"id"`
		OwnedBy string `json:"owned_by"`
		Root    string `json:"root"`
	} `json:"data"`
}

// listed returns the models of /v1/models.
func (s *server) listed(ctx context.Context) (out []engine.Model, err error) {
	var listed models
	err = s.get(ctx, "/v1/models", &listed)
	for _, m := range listed.Data {
		out = append(out, engine.Model{Name: m.ID, Known: m.Root})
	}
	return out, err
}

// Find recognises the engine at a URL by asking, first what tells engines apart for certain.
func (c *Client) Find(ctx context.Context, url string) (engine.Engine, error) {
	s := &server{Client: c, base: strings.TrimSuffix(strings.TrimSuffix(url, "/"), "/v1")}
	var listed models
	failed := s.get(ctx, "/v1/models", &listed)
	if failed == nil && len(listed.Data) > 0 {
		switch listed.Data[0].OwnedBy {
		case "vllm":
			return &vllm{s}, nil
		case "sglang":
			return findSGLang(ctx, s)
		case "llamacpp":
			return findLlamaServer(ctx, s)
		case "lmdeploy", "tensorrt_llm":
			return &completions{s, listed.Data[0].OwnedBy}, nil
		}
	}
	if fault.CodeOf(failed) == fault.Unavailable {
		return nil, failed // nothing answers
	}
	for _, find := range []func(context.Context, *server) (engine.Engine, error){findLlamaServer, findSGLang, findOllama, findTGI} {
		if e, err := find(ctx, s); err == nil {
			return e, nil
		}
	}
	if failed != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Message: "it is no engine that is known: " + failed.Error(), Err: failed}
	}
	return &completions{s, "openai"}, nil
}
