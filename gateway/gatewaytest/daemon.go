// Package gatewaytest serves a client's API in front of an engine, for tests.
package gatewaytest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
)

// Daemon is a server with a gateway.
type Daemon struct {
	*httptest.Server
	Gateway *gateway.Gateway
}

// Serve serves endpoints in front of an engine until the test ends. With change, the configuration differs from the default.
func Serve(t testing.TB, e engine.Engine, change func(*config.Config), endpoints func(*gateway.Gateway) []api.Endpoint) *Daemon {
	t.Helper()
	cfg := config.Default()
	if change != nil {
		change(cfg)
	}
	secrets, err := api.NewSecrets(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
	if err != nil {
		t.Fatal(err)
	}
	find := func(context.Context) (engine.Engine, error) { return e, nil }
	g := gateway.New(t.Context(), gateway.Options{Host: h, Servers: []gateway.Server{{Name: "e", Find: find}}})
	d := &Daemon{httptest.NewServer(api.New(h, api.Options{Secrets: secrets, Endpoints: endpoints(g)})), g}
	t.Cleanup(func() {
		d.Close()
		g.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Head is what comes before the body of an answer.
type Head struct {
	StatusCode int
	Header     http.Header
}

// Send sends a request, and returns the head and the body of the answer. The headers are names and values in turn.
func (d *Daemon) Send(t testing.TB, method, path, body string, headers ...string) (Head, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := d.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Head{res.StatusCode, res.Header}, string(text)
}
