package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// tagged is a template whose dialect both the autoparser and the taggedthinking plugin know.
const tagged = `{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.role == 'assistant' %}<think>
{{ m.reasoning_content or '' }}
</think>

{% endif %}{{ m.content or '' }}{% for c in m.tool_calls or [] %}
<tool_call>
<function={{ c.function.name }}>
{% for k, v in c.function.arguments.items() %}<parameter={{ k }}>
{{ v if v is string else v | tojson }}
</parameter>
{% endfor %}</function>
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}{% if add_generation_prompt %}<|im_start|>assistant
<think>
{% endif %}`

// inTags returns an output for the template: one third each reasoning, content, and a call with one
// long argument.
func inTags() string {
	const line = "It was a bright cold day in April, and all the clocks struck thirteen.\n"
	text := strings.Repeat(line, 150)
	return text + "</think>\n\n" + text + "<tool_call>\n<function=get_weather>\n<parameter=city>\n" + text + "</parameter>\n</function>\n</tool_call>"
}

// BenchmarkDialects parses one output in chunks of four bytes, with the autoparser's program and
// with a plugin's. Both programs run in the host, so a plugin's dialect costs no more per chunk.
func BenchmarkDialects(b *testing.B) {
	dir := buildPlugin(b, "taggedthinking")
	h := start(b, func(c *config.Config) { c.Plugins.Dir = dir })
	template := h.Detached(host.TemplateSource{Name: "tagged", Source: tagged})
	output := []byte(inTags())
	for _, handler := range []string{"autoparser", "taggedthinking"} {
		only := handler
		if handler == "autoparser" {
			only = "" // the default for templates that no plugin claims
		}
		planned, err := template.Plan(context.Background(), only, request(b, weather))
		if err != nil || planned.Handler != handler {
			b.Fatalf("%s does not answer: %v", handler, err)
		}
		b.Run(handler, func(b *testing.B) {
			chunks := 0
			for b.Loop() {
				s := planned.Session(context.Background(), session.Options{NoIDs: true})
				for rest := output; len(rest) > 0; chunks++ {
					n := min(4, len(rest))
					if _, err := s.Feed(rest[:n]); err != nil {
						b.Fatal(err)
					}
					rest = rest[n:]
				}
				result, err := s.Finish(false)
				if err != nil || len(result.Message.ToolCalls) != 1 || result.Message.ReasoningContent == "" {
					b.Fatalf("parsed as %+v (%v)", result.Message, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(chunks), "ns/chunk")
		})
	}
}
