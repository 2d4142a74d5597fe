package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// start starts a host with the default configuration as changed, and closes it with the test.
func start(t testing.TB, change func(*config.Config)) *host.Host {
	t.Helper()
	cfg := config.Default()
	if change != nil {
		change(cfg)
	}
	h, err := host.New(context.Background(), host.Options{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := h.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return h
}

// request parses a request.
func request(t testing.TB, body string) *chat.Request {
	t.Helper()
	r, err := chat.ParseRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const weather = `{"messages": [{"role": "user", "content": "Weather in Oslo?"}], "tools": [{"type": "function", "function":
	{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]}`

// parse feeds an output byte by byte and returns the result.
func parse(t testing.TB, p *host.Planned, output string) session.Result {
	t.Helper()
	s := p.Session(context.Background(), session.Options{NoIDs: true})
	for i := range len(output) {
		if _, err := s.Feed([]byte{output[i]}); err != nil {
			t.Fatal(err)
		}
	}
	return finish(t, s)
}

func plan(t testing.TB, h *host.Host, template string, r *chat.Request) *host.Planned {
	t.Helper()
	p, err := h.Plan(context.Background(), template, r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// show formats a message on one line.
func show(m chat.Message) string {
	var b strings.Builder
	if m.ReasoningContent != "" {
		fmt.Fprintf(&b, "reasoning %q ", m.ReasoningContent)
	}
	if m.Content.Text != nil {
		fmt.Fprintf(&b, "content %q ", *m.Content.Text)
	}
	for _, c := range m.ToolCalls {
		fmt.Fprintf(&b, "call %s %s ", c.Name, c.Arguments)
	}
	return strings.TrimSpace(b.String())
}

func TestTheEmbeddedTemplatesParseAndConstrainOutputs(t *testing.T) {
	h := start(t, nil)
	tests := []struct{ template, output, want string }{
		{"chatml-json", "Let me look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call><|im_end|>",
			`content "Let me look." call get_weather {"city": "Oslo"}`},
		{"chatml-tagged", "Let me look.\n<calls>\n<invoke=get_weather>\n<arg=city>Oslo</arg>\n</invoke>\n</calls>",
			`content "Let me look." call get_weather {"city":"Oslo"}`},
		{"chatml-reasoning", "Where is it?\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>",
			`reasoning "Where is it?" call get_weather {"city": "Oslo"}`},
		{"chatml-reasoning", "Nothing to call.\n</think>\n\nIt rains.", `reasoning "Nothing to call." content "It rains."`},
		{"chatml-reasoning", "Code.\n</think>\n\n    if a:\n        b\n", `reasoning "Code." content "    if a:\n        b"`},
	}
	for _, tt := range tests {
		t.Run(tt.template, func(t *testing.T) {
			p := plan(t, h, tt.template, request(t, weather))
			r := parse(t, p, tt.output)
			if got := show(r.Message); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if r.Report.Status != chat.Complete {
				t.Errorf("status %s: %+v", r.Report.Status, r.Report)
			}
			if p.Plan.Constraint == nil || !p.Plan.Constraint.Lazy {
				t.Errorf("constraint %+v, want a lazy one", p.Plan.Constraint)
			}
		})
	}
}

func TestPoliciesOfARequestApplyToItsOutput(t *testing.T) {
	h := start(t, nil)
	const unknownTool = "Hm.\n<tool_call>\n{\"name\": \"nobody\", \"arguments\": {}}\n</tool_call>"
	const inThought = "Hm.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {}}\n</tool_call>\n</think>\nHi"
	tests := []struct{ template, parsing, output, want, refused string }{
		{"chatml-json", `{}`, unknownTool, `content "Hm." call nobody {}`, ""},
		{"chatml-json", `{"unknown_tool": "content"}`, unknownTool, `content "Hm.\n{\"name\": \"nobody\", \"arguments\": {}}"`, ""},
		{"chatml-json", `{"unknown_tool": "error"}`, unknownTool, `content "Hm."`, `parsing.unknown_tool: the model called "nobody"`},
		{"chatml-json", `{"truncated_call": "drop"}`, unknownTool[:len(unknownTool)-20], `content "Hm."`, ""},
		{"chatml-reasoning", `{}`, inThought, `reasoning "Hm." content "Hi" call get_weather {}`, ""},
		{"chatml-reasoning", `{"call_in_reasoning": "keep"}`, inThought,
			`reasoning "Hm.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {}}\n</tool_call>" content "Hi"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.template+tt.parsing, func(t *testing.T) {
			p := plan(t, h, tt.template, request(t, strings.Replace(weather, "{", `{"parsing": `+tt.parsing+`, `, 1)))
			s := p.Session(context.Background(), session.Options{NoIDs: true})
			if _, err := s.Feed([]byte(tt.output)); err != nil {
				t.Fatal(err)
			}
			r, err := s.Finish(false)
			if got := show(r.Message); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if (err != nil) != (tt.refused != "") || err != nil && (host.CodeOf(err) != host.OutputRefused || !strings.HasPrefix(err.Error(), tt.refused)) {
				t.Errorf("error %v, want %q", err, tt.refused)
			}
		})
	}
}

func TestAnErrorForAnUnknownTemplateListsTheKnownOnes(t *testing.T) {
	_, err := start(t, nil).Plan(context.Background(), "nope", request(t, weather))
	if host.CodeOf(err) != host.NotFound || !strings.Contains(fmt.Sprint(err), "chatml-json") {
		t.Errorf("error %v, want not_found with the known names", err)
	}
}

func TestABadTemplateChangesNothing(t *testing.T) {
	h := start(t, nil)
	ctx := context.Background()
	good := host.TemplateSource{Name: "mine", Source: "{{ messages[0].content }}"}
	if _, err := h.PutTemplate(ctx, good); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, source, place string }{
		{"it does not parse", "{% if %}", "mine:1:"},
		{"it loops for ever", "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}", "mine:1:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := h.PutTemplate(ctx, host.TemplateSource{Name: "mine", Source: tt.source})
			if host.CodeOf(err) != host.InvalidArgument || !strings.Contains(fmt.Sprint(err), tt.place) {
				t.Errorf("error %v, want invalid_argument at %s", err, tt.place)
			}
			if src, _, err := h.Template(context.Background(), "mine"); err != nil || src.Source != good.Source {
				t.Errorf("the template is now %q (%v), want the good one", src.Source, err)
			}
		})
	}
	for _, name := range []string{"../up", "/abs", "a//b", "", ".hidden", strings.Repeat("x", 300)} {
		if _, err := h.PutTemplate(ctx, host.TemplateSource{Name: name, Source: "x"}); host.CodeOf(err) != host.InvalidArgument {
			t.Errorf("the name %q: %v, want invalid_argument", name, err)
		}
	}
}

func TestAnOutputOverTheLimitKeepsWhatCameBefore(t *testing.T) {
	h := start(t, func(c *config.Config) { c.Limits.OutputBytes = 1000 })
	s := plan(t, h, "chatml-json", request(t, weather)).Session(context.Background(), session.Options{})
	if _, err := s.Feed([]byte(strings.Repeat("word ", 100))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Feed(make([]byte, 1000)); host.CodeOf(err) != host.LimitExceeded {
		t.Errorf("error %v, want limit_exceeded", err)
	}
	if got := finish(t, s).Message; len(*got.Content.Text) != 499 {
		t.Errorf("%d bytes of content, want the 499 fed before", len(*got.Content.Text))
	}
}

func TestModelsUseTheirVariantForTools(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "two-faced")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	conf := `{"bos_token": "<s>", "chat_template": [{"name": "default", "template": "{{ bos_token }}plain"}, {"name": "tool_use", "template": "{{ bos_token }}with tools"}]}`
	if err := os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	h := start(t, func(c *config.Config) { c.Templates.Models = []string{dir} })
	if got := plan(t, h, "two-faced", request(t, weather)).Plan.Prompt; got != "<s>with tools" {
		t.Errorf("with tools: %q", got)
	}
	if got := plan(t, h, "two-faced", request(t, `{"messages": [{"role": "user", "content": "Hi"}]}`)).Plan.Prompt; got != "<s>plain" {
		t.Errorf("without: %q", got)
	}
}

// hostile lists schemas that refer to themselves or grow when references are expanded.
var hostile = []string{
	`{"anyOf": [{"$ref": "#/properties/a"}, {"type": "number"}]}`,
	`{"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}`,
	`{"oneOf": [{"$ref": "#/properties/a"}, {"$ref": "#/properties/a"}, {"type": "null"}]}`,
	`{"allOf": [{"$ref": "#/properties/a"}, {"$ref": "#/properties/a"}]}`,
	`{"$ref": "#/properties/a"}`,
	`{"type": "array", "items": {"$ref": "#/properties/a"}}`,
	`{"type": "object", "properties": {"b": {"$ref": "#/properties/a"}}, "required": ["b"]}`,
}

func TestSchemasThatReferToThemselvesCauseNoInternalError(t *testing.T) {
	h := start(t, nil)
	for _, schema := range hostile {
		for _, template := range []string{"chatml-json", "chatml-tagged"} {
			r := request(t, `{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function":
				{"name": "f", "parameters": {"type": "object", "properties": {"a": `+schema+`}, "required": ["a"]}}}]}`)
			if _, err := h.Plan(context.Background(), template, r); host.CodeOf(err) == host.Internal && err != nil {
				var invalid *fault.Error
				if !errors.As(err, &invalid) {
					t.Errorf("%s with %s: %v", template, schema, err)
				}
			}
		}
	}
}
