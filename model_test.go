package dragoman_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/plugins/functionary"
	"github.com/dragoman-project/dragoman/plugins/gptoss"
	"github.com/dragoman-project/dragoman/plugins/kimi"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// outputs are fed to every plan, besides those of the archives.
var outputs = []string{"Hello!", "<think>\nHm.\n</think>\n\nHello!", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"}

// requests are planned for every template.
var requests = []string{
	request,
	`{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello!"}]}`,
	strings.Replace(request, `"tools"`, `"tool_choice": "required", "tools"`, 1),
	strings.Replace(request, `"tools"`, `"enable_thinking": false, "tools"`, 1),
}

// TestAModelPlansAndParsesAsTheDaemonDoes compares plans and deltas over the templates of testdata.
func TestAModelPlansAndParsesAsTheDaemonDoes(t *testing.T) {
	paths, err := filepath.Glob("autoparser/testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %d archives: %v", len(paths), err)
	}
	h, err := host.New(t.Context(), host.Options{Config: config.Default(), Static: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.WithoutCancel(t.Context()))
	for i, path := range paths {
		if testing.Short() && i%8 > 0 {
			continue
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		source, fed := "", outputs
		for _, f := range archive.Files {
			switch {
			case f.Name == "template.jinja":
				source = string(f.Data)
			case strings.HasPrefix(f.Name, "output: "):
				fed = append(fed, string(f.Data))
			}
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			name := strings.TrimSuffix(filepath.Base(path), ".txtar")
			m, err := dragoman.OpenSource(name, source, dragoman.Options{BOSToken: "<s>", EOSToken: "</s>"})
			if err != nil {
				t.Fatal(err)
			}
			sameAs(t, h.Detached(host.TemplateSource{Name: name, Source: source, BOSToken: "<s>", EOSToken: "</s>"}), m, fed)
		})
	}
}

// TestAHandlerInProcessPlansAsThePluginDoes compares plans and deltas of a plugin's handlers with those of its process.
func TestAHandlerInProcessPlansAsThePluginDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a plugin")
	}
	cfg := config.Default()
	cfg.Plugins.Dir = t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(cfg.Plugins.Dir, "gptoss"), "./plugins/gptoss/cmd/gptoss").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	manifest, err := os.ReadFile("plugins/gptoss/gptoss.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Plugins.Dir, "gptoss.yaml"), manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.WithoutCancel(t.Context()))
	m, err := dragoman.OpenSource("m", harmony, dragoman.Options{Handlers: gptoss.Handlers()})
	if err != nil {
		t.Fatal(err)
	}
	sameAs(t, h.Detached(host.TemplateSource{Name: "m", Source: harmony}), m, append(outputs, harmonyCall, harmonyCall+"<|end|>", harmonyCall[:60]))
}

// sameAs compares what a model and a host's template make of the requests and outputs.
func sameAs(t *testing.T, want *host.Detached, got *dragoman.Model, fed []string) {
	t.Helper()
	for _, text := range requests {
		req, err := chat.ParseRequest([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		theirs, wantErr := want.Plan(t.Context(), "", req)
		ours, err := got.PlanJSON(t.Context(), []byte(text))
		if err != nil || wantErr != nil {
			if !strings.HasPrefix(fmt.Sprint(wantErr), fmt.Sprint(err)) { // the host adds what to do
				t.Errorf("%s: %v, from the host %v", text, err, wantErr)
			}
			continue
		}
		if a, b := plain(t, ours), plain(t, theirs.Plan); a != b {
			t.Errorf("%s: the plan is\n%s\nthe host's\n%s", text, a, b)
		}
		for _, output := range fed {
			if a, b := streamed(t, ours.Session(t.Context(), dragoman.SessionOptions{IDSeed: "x"}), output),
				streamed(t, theirs.Session(t.Context(), dragoman.SessionOptions{IDSeed: "x"}), output); a != b {
				t.Errorf("%s: %q is parsed into\n%s\nby the host's session into\n%s", text, output, a, b)
			}
		}
	}
}

// plain returns the JSON of a value.
func plain(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// streamed feeds a session in pieces of three bytes, and returns everything that it returns, as JSON.
func streamed(t *testing.T, s interface {
	Feed([]byte) ([]chat.Delta, error)
	Finish(bool) (dragoman.Result, error)
}, output string,
) string {
	t.Helper()
	var all []any
	for len(output) > 0 {
		n := min(3, len(output))
		deltas, err := s.Feed([]byte(output[:n]))
		all, output = append(all, deltas, fmt.Sprint(err)), output[n:]
	}
	result, err := s.Finish(false)
	return plain(t, append(all, result, fmt.Sprint(err)))
}

// TestTheReadmeShowsTheExample compares the README's Go code with the example whose output is checked.
func TestTheReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(readme), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n\t")
	if !found || !strings.Contains(string(example), indented) {
		t.Errorf("example_test.go does not have the lines\n%s", indented)
	}
}

// TestAModelIsServedByTheHandlersThatClaimIt tries handlers whose predicates, priorities and answers decide.
func TestAModelIsServedByTheHandlersThatClaimIt(t *testing.T) {
	for _, tt := range []struct {
		name     string
		handlers []handler.Handler
		request  string
		want     string
	}{
		{"none", nil, request, "autoparser"},
		{"none that claims it", []handler.Handler{fake{name: "a", match: "false"}}, request, "autoparser"},
		{"one that claims it", []handler.Handler{fake{name: "a", match: `name == "m"`}}, request, "a"},
		{"the higher priority", []handler.Handler{fake{name: "a", match: "true"}, fake{name: "b", match: "true", priority: 1}}, request, "b"},
		{"equal priorities", []handler.Handler{fake{name: "b", match: "true"}, fake{name: "a", match: "true"}}, request, "a"},
		{"one that declines", []handler.Handler{fake{name: "a", match: "true", err: &handler.Declined{Reason: "no"}}, fake{name: "b", match: "true"}}, request, "b"},
		{"all decline", []handler.Handler{fake{name: "a", match: "true", err: &handler.Declined{Reason: "no"}}}, request, "autoparser"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := dragoman.OpenSource("m", "{{ messages[0].content }}", dragoman.Options{Handlers: tt.handlers})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := m.PlanJSON(t.Context(), []byte(tt.request))
			if err != nil || plan.Handler != tt.want {
				t.Errorf("answered by %v, %v; want %s", plan, err, tt.want)
			}
		})
	}
}

// fake is a handler whose program takes everything as content.
type fake struct {
	name, match string
	priority    int
	err         error
}

func (f fake) Describe() handler.Description {
	return handler.Description{Name: f.name, Version: "1.0.0", Match: f.match, Priority: f.priority}
}

func (f fake) Plan(ctx context.Context, in handler.Input) (*handler.Plan, error) {
	if f.err != nil {
		return nil, f.err
	}
	return kimi.Handlers()[0].Plan(ctx, in)
}

// TestFaultsOfOptionsAreReported tries options that Open refuses.
func TestFaultsOfOptionsAreReported(t *testing.T) {
	twice := append(gptoss.Handlers(), gptoss.Handlers()...)
	for name, tt := range map[string]struct {
		options dragoman.Options
		want    string
	}{
		"a rule that cannot be read": {dragoman.Options{Workarounds: [][]byte{dragoman.Workarounds, []byte("version: 1\nrules: []\n")}}, "workarounds[1]:2:1: "},
		"a name twice":               {dragoman.Options{Handlers: twice}, "handler gptoss: two handlers have this name; leave one out"},
		"a faulty predicate":         {dragoman.Options{Handlers: []handler.Handler{fake{name: "a", match: "source contains"}}}, "handler a: match: "},
		"an unknown variant":         {dragoman.Options{Variant: "rag"}, `m: no template named "rag"; choose one of ["default"] with Options.Variant`},
	} {
		if _, err := dragoman.OpenSource("m", "{{ messages[0].content }}", tt.options); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	if _, err := dragoman.OpenSource("m", "{% if %}", dragoman.Options{}); err == nil || !strings.HasPrefix(err.Error(), "m:1:") {
		t.Errorf("a template that is none: %v", err)
	}
	if _, err := dragoman.Open(filepath.Join(t.TempDir(), "none"), dragoman.Options{}); !os.IsNotExist(err) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

// TestTheVariantForToolsServesRequestsWithTools plans with a model that has several templates.
func TestTheVariantForToolsServesRequestsWithTools(t *testing.T) {
	config := filepath.Join(t.TempDir(), "tokenizer_config.json")
	text := `{"chat_template": [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools"}, {"name": "rag", "template": "rag"}]}`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for variant, want := range map[string][2]string{"": {"plain", "tools"}, "default": {"plain", "plain"}, "tool_use": {"tools", "tools"}, "rag": {"rag", "rag"}} {
		m, err := dragoman.Open(config, dragoman.Options{Variant: variant})
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{requests[1], request} {
			plan, err := m.PlanJSON(t.Context(), []byte(text))
			if err != nil || plan.Prompt != want[i] {
				t.Errorf("variant %q: %+v, %v; want %s", variant, plan, err, want[i])
			}
		}
	}
}

// TestAModelServesRequestsConcurrently plans and parses in several goroutines, which must all get the same.
func TestAModelServesRequestsConcurrently(t *testing.T) {
	m, err := dragoman.Open("templates/chatml-tagged.jinja", dragoman.Options{Handlers: functionary.Handlers()})
	if err != nil {
		t.Fatal(err)
	}
	const output = "Sure.\n<calls>\n<invoke=get_weather>\n<arg=city>Oslo</arg>\n</invoke>\n</calls>"
	got := make([]string, 8)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() {
			plan, err := m.PlanJSON(t.Context(), []byte(request))
			if err != nil {
				t.Error(err)
				return
			}
			got[i] = plain(t, plan) + streamed(t, plan.Session(t.Context(), dragoman.SessionOptions{NoIDs: true}), output)
		})
	}
	group.Wait()
	for _, g := range got {
		if g != got[0] || !strings.Contains(g, `"get_weather"`) {
			t.Errorf("one goroutine gets\n%s\nanother\n%s", got[0], g)
		}
	}
}

// TestNoGoroutineIsStarted plans and parses, and counts goroutines.
func TestNoGoroutineIsStarted(t *testing.T) {
	before := runtime.NumGoroutine()
	m, err := dragoman.Open("templates/chatml-json.jinja", dragoman.Options{Handlers: functionary.Handlers()})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := m.PlanJSON(t.Context(), []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	s := plan.Session(t.Context(), dragoman.SessionOptions{})
	if _, err := s.Feed([]byte("Hello!")); err != nil {
		t.Fatal(err)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}
