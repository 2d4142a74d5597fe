package workbench

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
)

// daemon is a daemon with a workbench.
type daemon struct {
	host *host.Host
	url  string
}

// serveBench starts a daemon; change changes its configuration.
func serveBench(t *testing.T, change func(*config.Config)) daemon {
	t.Helper()
	cfg := config.Default()
	if change != nil {
		change(cfg)
	}
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: cfg.Recorder.Dir == ""})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.WithoutCancel(t.Context())) })
	secrets, err := api.NewSecrets(cfg)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(api.New(h, api.Options{Secrets: secrets, Endpoints: Endpoints(Options{Host: h})}))
	t.Cleanup(srv.Close)
	return daemon{h, srv.URL}
}

// head is the beginning of an answer.
type head struct {
	StatusCode int
	Header     http.Header
}

// ask sends a request and returns the answer with its whole body. headers are names and values in turn.
func (d daemon) ask(t *testing.T, method, path, body string, headers ...string) (head, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return head{res.StatusCode, res.Header}, string(all)
}

func TestThePageIsServedToEveryoneUnderAStrictPolicy(t *testing.T) {
	t.Parallel()
	d := serveBench(t, func(c *config.Config) { c.Auth.Tokens = []string{"boss"} })
	for path, want := range map[string]string{
		"/workbench/":                  "text/html; charset=utf-8",
		"/workbench/assets/index.js":   "text/javascript; charset=utf-8",
		"/workbench/assets/index.css":  "text/css; charset=utf-8",
		"/workbench/icon.svg":          "image/svg+xml",
		"/workbench/assets/absent.txt": "",
	} {
		res, body := d.ask(t, http.MethodGet, path, "")
		if want == "" {
			if res.StatusCode != http.StatusNotFound {
				t.Errorf("%s: status %d", path, res.StatusCode)
			}
			continue
		}
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != want || body == "" {
			t.Errorf("%s: status %d, type %q, %d bytes", path, res.StatusCode, res.Header.Get("Content-Type"), len(body))
		}
		policy := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "unsafe") || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", path, res.Header)
		}
		if again, _ := d.ask(t, http.MethodGet, path, "", "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: status %d although nothing has changed", path, again.StatusCode)
		}
	}
	if res, _ := d.ask(t, http.MethodGet, "/workbench", ""); res.Header.Get("Location") != pagePath {
		t.Errorf("redirected to %q", res.Header.Get("Location"))
	}
}

func TestTheWorkbenchCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	d := serveBench(t, func(c *config.Config) { c.Workbench.Mode = "off" })
	if res, body := d.ask(t, http.MethodGet, pagePath, ""); res.StatusCode != http.StatusNotFound || !strings.Contains(body, "workbench.mode") {
		t.Errorf("status %d: %s", res.StatusCode, body)
	}
}
