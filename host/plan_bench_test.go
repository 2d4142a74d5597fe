package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
)

// withTools returns a request with n tools of five arguments each.
func withTools(n int) []byte { return withToolsOf(n, 0) }

// withToolsOf is withTools with tools that differ for every client.
func withToolsOf(n, client int) []byte {
	tool := fmt.Sprintf(`{"type": "function", "function": {"name": "tool_%d_%%d", "parameters": {"type": "object", "properties": {
		"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "boolean"}, "d": {"type": "array", "items": {"type": "string"}},
		"e%%d": {"type": ["string", "null"]}}, "required": ["a", "b"]}}}`, client)
	tools := make([]string, n)
	for i := range tools {
		tools[i] = fmt.Sprintf(tool, i, i)
	}
	return fmt.Appendf(nil, `{"messages": [{"role": "user", "content": "Weather in Oslo?"}], "tools": [%s]}`, strings.Join(tools, ","))
}

// BenchmarkPlanAgain plans requests whose tools were seen before, as most requests of a client are.
func BenchmarkPlanAgain(b *testing.B) {
	h := start(b, nil)
	withPlugin := start(b, func(c *config.Config) {
		c.Plugins.Dir = buildPlugin(b, "taggedthinking")
		c.Templates.Handlers = map[string]string{"plugin": "taggedthinking"}
	})
	if _, err := withPlugin.PutTemplate(context.Background(), host.TemplateSource{Name: "plugin", Source: tagged}); err != nil {
		b.Fatal(err)
	}
	for _, by := range []struct {
		template string
		host     *host.Host
	}{{"chatml-json", h}, {"chatml-tagged", h}, {"plugin", withPlugin}} {
		for _, n := range []int{1, 20, 200} {
			b.Run(fmt.Sprintf("%s/%d", by.template, n), func(b *testing.B) {
				body := withTools(n)
				again := func() {
					p, err := by.host.PlanJSON(context.Background(), by.template, body)
					if err != nil || (p.Handler == autoparser.HandlerName) == (by.host == withPlugin) {
						b.Fatal(p, err)
					}
				}
				again()
				b.ReportAllocs()
				for b.Loop() {
					again()
				}
			})
			// The minimum of every plan: decoding the request and rendering its prompt.
			b.Run(fmt.Sprintf("%s/%d/read-and-render", by.template, n), func(b *testing.B) {
				body := withTools(n)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := by.host.Render(context.Background(), by.template, request(b, string(body))); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkPlanCold plans requests whose tools were not seen before.
func BenchmarkPlanCold(b *testing.B) {
	h := start(b, nil)
	client := 0
	for _, template := range []string{"chatml-json", "chatml-tagged"} {
		for _, n := range []int{20, 200} {
			b.Run(fmt.Sprintf("%s/%d", template, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					client++
					if _, err := h.PlanJSON(context.Background(), template, withToolsOf(n, client)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
