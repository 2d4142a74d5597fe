package host_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// unprovenCalls is a template that writes calls without the names of their arguments.
const unprovenCalls = `{% for t in tools or [] %}{{ t | tojson }}{% endfor %}{% for m in messages %}<{{ m.role }}>{{ m.content }}
{%- for c in m.tool_calls or [] %}<call>{{ c.function.name }} {{ c.function.arguments.values() | join }}</call>{% endfor %}<end>{% endfor %}`

const withTool = `{"messages": [{"role": "user", "content": "Hi"}], "tools": [{"type": "function", "function": {"name": "look"}}]`

// awaitUnproven waits until so many parts of templates are known to be unproven.
func awaitUnproven(t *testing.T, h *host.Host, n int) []host.Unproven {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if all := h.Unproven(); len(all) == n {
			return all
		}
	}
	t.Fatalf("unproven are %+v, want %d", h.Unproven(), n)
	return nil
}

func TestWhatIsNotProvenShowsEverywhere(t *testing.T) {
	h, dir := startConfigured(t, "templates: {dir: DIR}\n")
	awaitUnproven(t, h.Host, 0)
	must(t, os.WriteFile(filepath.Join(dir, "mute.jinja"), []byte(unprovenCalls), 0o644))
	must(t, h.Reload(context.Background()))
	found := awaitUnproven(t, h.Host, 1)[0]
	if found.Template != "mute" || found.Part != "calls" || found.Because == "" {
		t.Errorf("unproven is %+v", found)
	}
	_, info, err := h.Template(context.Background(), "mute")
	must(t, err)
	if len(info.Parts) != 1 || info.Parts[0] != found.Proof || info.Parts[0].Served {
		t.Errorf("the status has %+v, want %+v", info.Parts, found.Proof)
	}
	if n := h.logged("level=WARN", "not proven; read as content", "template=mute", "part=calls"); n != 1 {
		t.Errorf("logged %d times, want once", n)
	}
	_, notes := host.Lint(context.Background(), []host.TemplateSource{{Name: "mute", Origin: "mute.jinja", Source: unprovenCalls}}, "", nil, nil)
	if !slices.ContainsFunc(notes, func(n host.Note) bool { return n.Message == found.String() }) {
		t.Errorf("lint has %+v", notes)
	}
	must(t, os.Remove(filepath.Join(dir, "mute.jinja")))
	must(t, h.Reload(context.Background()))
	awaitUnproven(t, h.Host, 0)
}

func TestARequestThatInsistsOnUnprovenCallsIsAtFault(t *testing.T) {
	h := start(t, nil)
	_, err := h.PutTemplate(context.Background(), host.TemplateSource{Name: "mute", Source: unprovenCalls})
	must(t, err)
	if _, err := h.PlanJSON(context.Background(), "mute", []byte(withTool+`, "tool_choice": "required"}`)); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "tool_choice") {
		t.Errorf("tool_choice required: %v", err)
	}
	p, err := h.PlanJSON(context.Background(), "mute", []byte(withTool+"}"))
	must(t, err)
	if !strings.Contains(p.Prompt, "look") || p.Constraint != nil {
		t.Errorf("the prompt is %q, the constraint %+v", p.Prompt, p.Constraint)
	}
	if got := show(parse(t, p, "<call>look </call>").Message); !strings.Contains(got, "<call>look </call>") {
		t.Errorf("got %s", got)
	}
}
