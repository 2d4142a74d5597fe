package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host/api/metrics"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

const (
	listPath     = dragomanv1connect.TemplateServiceListTemplatesProcedure
	rollbackPath = dragomanv1connect.SnapshotServiceRollbackProcedure
)

// as sends JSON with a token.
func (d *daemon) as(t *testing.T, token, path, body string) (int, string) {
	t.Helper()
	return d.post(t, path, body, "Authorization", "Bearer "+token)
}

// roles starts a daemon with an operator, a client in the configuration, and another one in a file.
func roles(t *testing.T, change func(*config.Config)) *daemon {
	t.Helper()
	return serve(t, func(c *config.Config) {
		c.Auth.Tokens, c.Auth.ClientTokens = []string{"boss"}, []string{"tenant"}
		c.Auth.TokensFile = write(t, "tokens", "other role=client team b\nsecond role=operator team c\nthird team d\n")
		if change != nil {
			change(c)
		}
	})
}

func TestOnlyOperatorsMayOperate(t *testing.T) {
	d := roles(t, nil)
	for path, body := range map[string]string{
		parsePath: parseBody("hi"), planPath: fmt.Sprintf(`{"template": %q, "request": %s}`, template1, request1),
		listPath: "{}", linesPath: startLine, dragomanv1connect.TemplateServiceGetTemplateProcedure: fmt.Sprintf(`{"name": %q}`, template1),
	} {
		for _, token := range []string{"boss", "tenant", "other", "second", "third"} {
			if status, got := d.as(t, token, path, body); status != http.StatusOK {
				t.Errorf("%s: %s: %d %s", token, path, status, got)
			}
		}
	}
	for _, path := range []string{
		rollbackPath, dragomanv1connect.SnapshotServiceListSnapshotsProcedure, dragomanv1connect.AdminServiceReloadProcedure,
		dragomanv1connect.AdminServiceGetStatusProcedure, dragomanv1connect.WorkaroundServiceListWorkaroundsProcedure,
		dragomanv1connect.WorkaroundServiceTryWorkaroundsProcedure, metricsPath, "/a/path/of/tomorrow",
	} {
		for _, token := range []string{"tenant", "other"} {
			if status, got := d.as(t, token, path, "{}"); status != http.StatusForbidden || !strings.Contains(got, `permission_denied`) {
				t.Errorf("%s: %s: %d %s", token, path, status, got)
			}
		}
		for _, token := range []string{"boss", "second", "third"} {
			if status, got := d.as(t, token, path, "{}"); status == http.StatusForbidden || status == http.StatusUnauthorized {
				t.Errorf("%s: %s: %d %s", token, path, status, got)
			}
		}
	}
}

// The template that clients put, and a request for it.
const (
	putBody = `{"name": "mine", "source": "{% for m in messages %}{{ m.content }}%{% endfor %}{% if add_generation_prompt %}MARK{% endif %}"}`
	useBody = `{"template": "mine", "request": {"messages": [{"role": "user", "content": "hi"}]}}`
)

func TestATemplateOfAClientIsItsOwn(t *testing.T) {
	d := roles(t, func(c *config.Config) { c.Limits.KeyTemplates = 2 })
	expect := func(token, path, body string, want int, part string) {
		t.Helper()
		if status, got := d.as(t, token, path, body); status != want || !strings.Contains(got, part) {
			t.Errorf("%s: %s %s: %d %s, expected %d and %s", token, path, body, status, got, want, part)
		}
	}
	marked := func(mark string) string { return strings.Replace(putBody, "MARK", mark, 1) }
	expect("tenant", putPath, marked("first"), http.StatusOK, "mine")
	expect("tenant", planPath, useBody, http.StatusOK, "hi%first")
	expect("tenant", listPath, "{}", http.StatusOK, `"mine"`)
	for _, token := range []string{"boss", "other"} {
		expect(token, planPath, useBody, http.StatusNotFound, "no such template")
		if _, got := d.as(t, token, listPath, "{}"); strings.Contains(got, `"mine"`) {
			t.Errorf("%s sees the template: %s", token, got)
		}
	}
	expect("other", putPath, marked("second"), http.StatusOK, "mine")
	expect("other", planPath, useBody, http.StatusOK, "hi%second")
	expect("tenant", planPath, useBody, http.StatusOK, "hi%first")

	expect("tenant", putPath, strings.Replace(marked("third"), "mine", template1, 1), http.StatusForbidden, "operator has a template")
	expect("tenant", putPath, strings.Replace(marked("third"), "mine", template1+"/tool_use", 1), http.StatusOK, "tool_use")
	expect("tenant", planPath, fmt.Sprintf(`{"template": %q, "request": %s}`, template1, request1), http.StatusOK, "im_start")
	expect("tenant", putPath, strings.Replace(marked("fourth"), "mine", "more", 1), http.StatusRequestEntityTooLarge, "limits.key_templates")
	expect("tenant", putPath, marked("again"), http.StatusOK, "mine")
	expect("tenant", planPath, useBody, http.StatusOK, "hi%again")

	expect("boss", putPath, marked("operator"), http.StatusOK, "mine")
	expect("tenant", planPath, useBody, http.StatusOK, "hi%operator")
	if all := d.host.History(); len(all) != 2 {
		t.Errorf("the history has %d snapshots, expected the start and what the operator has put", len(all))
	}

	const mine = `{"name": "mine"}`
	expect("boss", deletePath, mine, http.StatusOK, "{}")
	expect("boss", deletePath, mine, http.StatusNotFound, "no such template was put")
	expect("tenant", planPath, useBody, http.StatusOK, "hi%again")
	expect("tenant", deletePath, fmt.Sprintf(`{"name": %q}`, template1), http.StatusNotFound, "no such template was put")
	expect("tenant", deletePath, mine, http.StatusOK, "{}")
	expect("tenant", planPath, useBody, http.StatusNotFound, "no such template")
	expect("other", planPath, useBody, http.StatusOK, "hi%second")
}

func TestTheTemplatesOfAClientAreBoundedInBytes(t *testing.T) {
	d := roles(t, func(c *config.Config) { c.Limits.KeyTemplateBytes = 1000 })
	body := strings.Replace(putBody, "MARK", strings.Repeat("x", 1000), 1)
	if status, got := d.as(t, "tenant", putPath, body); status != http.StatusRequestEntityTooLarge || !strings.Contains(got, "limits.key_template_bytes") {
		t.Errorf("%d %s", status, got)
	}
}

func TestTheRulesApplyToTheTemplatesOfClients(t *testing.T) {
	rules := write(t, "rules.yaml", "version: 1\nworkarounds: []\n")
	d := roles(t, func(c *config.Config) { c.Workarounds.File = rules })
	if status, got := d.as(t, "tenant", putPath, putBody); status != http.StatusOK {
		t.Fatalf("%d %s", status, got)
	}
	must(t, rewriteFile(rules, "version: 1\nworkarounds:\n  - name: stop\n    because: a test\n    when: source contains \"MARK\"\n    stop: [HALT]\n"))
	eventually(t, "the rule", func() bool {
		_, got := d.as(t, "tenant", planPath, useBody)
		return strings.Contains(got, "HALT")
	})
}

// TestARollbackRestoresNoToken revokes a token, and goes back to the configuration before.
func TestARollbackRestoresNoToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dragoman.yaml")
	must(t, rewriteFile(file, "auth: {tokens: [boss, leaver]}\nlog: {access: none}\n"))
	d := serveFile(t, file)
	must(t, rewriteFile(file, "auth: {tokens: [boss]}\nlog: {access: all}\n"))
	refused := func() bool {
		status, _ := d.as(t, "leaver", parsePath, parseBody("hi"))
		return status == http.StatusUnauthorized
	}
	eventually(t, "the revocation", refused)
	if status, got := d.as(t, "boss", rollbackPath, "{}"); status != http.StatusOK {
		t.Fatalf("%d %s", status, got)
	}
	if got := d.config().Log.Access; got != "none" {
		t.Errorf("log.access is %q, expected the earlier one", got)
	}
	if !refused() {
		t.Error("the rollback accepts the token again")
	}
	must(t, rewriteFile(file, "auth: {tokens: [boss, late]}\nlog: {access: none}\n"))
	eventually(t, "the new token", func() bool {
		status, _ := d.as(t, "late", parsePath, parseBody("hi"))
		return status == http.StatusOK
	})
}

func TestATokenIsNamedByItsOwnerOrItsHash(t *testing.T) {
	d := roles(t, nil)
	for token, name := range map[string]string{"boss": "sha256:a5e7c0024437", "other": "team b", "second": "team c", "third": "team d"} {
		d.as(t, token, parsePath, parseBody("hi"))
		d.logs(t, 1, `"msg":"request"`, fmt.Sprintf(`"key":%q`, name))
	}
}

func TestAnUnknownRoleIsRefused(t *testing.T) {
	err := new(keys).read("tokens", []byte("a\nb role=root me\n"))
	if err == nil || !strings.Contains(err.Error(), `tokens:2: unknown role "root"`) {
		t.Errorf("got %v", err)
	}
}

// TestWebPagesOfOtherHostsReachNothingOnLoopback sends what a browser sends for a page whose name resolves to 127.0.0.1.
func TestWebPagesOfOtherHostsReachNothingOnLoopback(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Listen.Hosts = []string{"dragoman.example"} })
	debug := httptest.NewServer(Debug(metrics.New("")))
	defer debug.Close()
	for _, c := range []struct {
		host, origin string
		want, debug  int
	}{
		{"", "", http.StatusOK, http.StatusOK},
		{"localhost:9000", "", http.StatusOK, http.StatusOK},
		{"LOCALHOST.", "http://localhost:3000", http.StatusOK, http.StatusOK},
		{"127.0.0.2", "http://[::1]:80", http.StatusOK, http.StatusOK},
		{"[::1]:8080", "", http.StatusOK, http.StatusOK},
		{"dragoman:8080", "", http.StatusOK, http.StatusOK}, // as a proxy on this machine may send it
		{"[2001:db8::1]:8080", "", http.StatusForbidden, http.StatusForbidden},
		{"dragoman.example", "https://dragoman.example", http.StatusOK, http.StatusForbidden},
		{"evil.example", "", http.StatusForbidden, http.StatusForbidden},
		{"evil.example:8080", "", http.StatusForbidden, http.StatusForbidden},
		{"127.0.0.1.evil.example", "", http.StatusForbidden, http.StatusForbidden},
		{"192.0.2.1", "", http.StatusForbidden, http.StatusForbidden},
		{"localhost", "http://evil.example", http.StatusForbidden, http.StatusForbidden},
		{"localhost", "null", http.StatusForbidden, http.StatusForbidden},
	} {
		for url, want := range map[string]int{d.url + "/healthz": c.want, d.url + metricsPath: c.want, debug.URL + "/debug/pprof/cmdline": c.debug} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			must(t, err)
			if req.Host = c.host; c.host == "" {
				req.Host = req.URL.Host
			}
			if c.origin != "" {
				req.Header.Set("Origin", c.origin)
			}
			if status, body := do(t, req); status != want {
				t.Errorf("%s with host %q and origin %q: %d %s", url, c.host, c.origin, status, body)
			}
		}
	}
	d.logs(t, 1, `"code":"permission_denied"`, "evil.example:8080")
}

// rewrite writes a file as editors do.
func rewriteFile(path, content string) error {
	if err := os.WriteFile(path+"~", []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(path+"~", path)
}
