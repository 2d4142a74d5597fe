package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// variants lists requests that each differ from the first in one respect.
var variants = func() []string {
	const (
		city    = `{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}`
		say     = `"messages": [{"role": "user", "content": "Weather in Oslo?"}]`
		begun   = `"messages": [{"role": "user", "content": "Weather in Oslo?"}, {"role": "assistant", "content": "It"}], "add_generation_prompt": false, "continue_final_message": true`
		thought = `"messages": [{"role": "user", "content": "Weather in Oslo?"}, {"role": "assistant", "reasoning_content": "Hm"}], "add_generation_prompt": false, "continue_final_message": "reasoning_content"`
	)
	tool := func(name, parameters, more string) string {
		return fmt.Sprintf(`{"type": "function", "function": {"name": %q, "parameters": %s%s}}`, name, parameters, more)
	}
	tools := func(all ...string) string { return `"tools": [` + strings.Join(all, ", ") + `]` }
	weather, other := tool("get_weather", city, ""), tool("get_time", city, "")
	var all []string
	for _, members := range [][]string{
		{say, tools(weather)},
		{say, tools(tool("get_rain", city, ""))},
		{say, tools(tool("get_weather", strings.Replace(city, "string", "integer", 1), ""))},
		{say, tools(tool("get_weather", city, `, "strict": true`))},
		{say, tools(weather, other)},
		{say, tools(other, weather)},
		{say},
		{say, tools(weather), `"tool_choice": "none"`},
		{say, tools(weather), `"tool_choice": "required"`},
		{say, tools(weather, other), `"tool_choice": {"type": "function", "function": {"name": "get_weather"}}`},
		{say, tools(weather, other), `"tool_choice": {"type": "function", "function": {"name": "get_time"}}`},
		{say, tools(weather), `"parallel_tool_calls": true`},
		{say, tools(weather), `"json_schema": {"type": "object"}`},
		{say, `"json_schema": {"type": "object"}`},
		{say, `"json_schema": {"type": "array"}`},
		{say, `"grammar": "root ::= \"yes\""`},
		{say, `"grammar": "root ::= \"no\""`},
		{say, tools(weather), `"reasoning_format": "none"`},
		{say, tools(weather), `"pure_content": true`},
		{say, tools(weather), `"parsing": {"call_in_reasoning": "keep"}`},
		{say, tools(weather), `"parsing": {"unknown_tool": "content"}`},
		{say, tools(weather), `"parsing": {"truncated_call": "drop"}`},
		{say, tools(weather), `"parsing": {"malformed": "error"}`},
		{say, tools(weather), `"enable_thinking": false`},
		{say, tools(weather), `"chat_template_kwargs": {"enable_thinking": false}`},
		{say, tools(weather), `"add_generation_prompt": false`},
		{begun, tools(weather)},
		{thought, tools(weather)},
	} {
		all = append(all, "{"+strings.Join(members, ", ")+"}")
	}
	return all
}()

// reasonsInWords is a template whose reasoning begins in the prompt, depending on a variable.
const reasonsInWords = `{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.role == 'assistant' and m.reasoning_content %}<think>
{{ m.reasoning_content }}
</think>

{% endif %}{{ m.content or '' }}{% for c in m.tool_calls or [] %}
<tool_call>
{{ {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}{% if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and not enable_thinking %}<think>

</think>

{% endif %}{% endif %}`

// answered returns the plan for a request and the result of an output, as text.
func answered(t testing.TB, h *host.Host, template, request string) string {
	p, err := h.PlanJSON(context.Background(), template, []byte(request))
	if err != nil {
		return err.Error()
	}
	plan := p.Plan
	constraint, err := json.Marshal(plan.Constraint)
	if err != nil {
		t.Error(err)
	}
	s := p.Session(context.Background(), session.Options{NoIDs: true})
	_, fault := s.Feed([]byte("Hm.\n<tool_call>\n{\"name\": \"nobody\", \"arguments\": {}}\n</tool_call>\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"argum"))
	result, refused := s.Finish(true)
	return fmt.Sprintf("%s\n%s\n%q %q %v\n%q\n%q\n%s\n%s %+v %v %v", plan.Program, constraint, plan.ThinkingStart, plan.ThinkingEnds, plan.ReasoningState,
		plan.Notes, plan.Prompt, plan.GenerationPrompt, show(result.Message), result.Report, fault, refused)
}

// TestRequestsThatDifferShareNothing plans requests in one order and in reverse. A plan that a
// request takes from the cache by mistake in one order is not there yet in the other.
func TestRequestsThatDifferShareNothing(t *testing.T) {
	shared.Slow(t)
	shareNothing(t, "chatml-json", "chatml-reasoning", "chatml-tagged", "words")
}

// TestPlansOfPluginsShareNothing does the same for a plugin's programs.
func TestPlansOfPluginsShareNothing(t *testing.T) {
	shareNothing(t, "plugged", "plugged-words")
}

func shareNothing(t *testing.T, templates ...string) {
	t.Helper()
	forward, backward := answers(t, templates, variants), answers(t, reversed(templates), reversed(variants))
	distinct := map[string]bool{}
	for request, answer := range forward {
		distinct[answer] = true
		if answer != backward[request] {
			t.Errorf("%s: got\n%s\nin one order,\n%s\nin reverse", request, answer, backward[request])
		}
	}
	if len(distinct) < len(forward)/2 {
		t.Errorf("%d requests have %d distinct answers", len(forward), len(distinct))
	}
}

// answers asks a new host twice for each answer, and returns them by template and request.
func answers(t *testing.T, templates, requests []string) map[string]string {
	t.Helper()
	h := start(t, func(c *config.Config) {
		c.Plugins.Dir = buildPlugin(t, "taggedthinking")
		c.Templates.Handlers = map[string]string{"plugged": "taggedthinking", "plugged-words": "taggedthinking"}
	})
	for name, source := range map[string]string{"words": reasonsInWords, "plugged": tagged, "plugged-words": reasonsInWords} {
		_, err := h.PutTemplate(t.Context(), host.TemplateSource{Name: name, Source: source})
		must(t, err)
	}
	all := map[string]string{}
	for _, template := range templates {
		for _, request := range requests {
			all[template+" "+request] = answered(t, h, template, request)
			if again := answered(t, h, template, request); again != all[template+" "+request] {
				t.Errorf("%s: %s: first\n%s\nthen\n%s", template, request, all[template+" "+request], again)
			}
		}
	}
	for _, s := range []cache.Stats{h.Assembled(), h.Programs()} {
		if s.Hits < s.Misses || s.Misses == 0 {
			t.Errorf("asked twice for everything: %d cache hits, %d misses", s.Hits, s.Misses)
		}
	}
	return all
}

func reversed(all []string) []string {
	all = slices.Clone(all)
	slices.Reverse(all)
	return all
}

// TestChangingAPlanDoesNotChangeTheCache modifies everything in a plan that can be modified.
func TestChangingAPlanDoesNotChangeTheCache(t *testing.T) {
	h := start(t, nil)
	const request = `{"messages": [{"role": "user", "content": "Is <think> a word?"}], "json_schema": {"type": "object", "unevaluatedProperties": false}}`
	before := answered(t, h, "chatml-reasoning", request)
	p, err := h.PlanJSON(context.Background(), "chatml-reasoning", []byte(request))
	must(t, err)
	clear(p.Plan.ThinkingEnds)
	clear(p.Plan.Notes)
	if after := answered(t, h, "chatml-reasoning", request); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestProgramsOutliveAReload changes the configuration and then the template.
func TestProgramsOutliveAReload(t *testing.T) {
	h, _ := startConfigured(t, "parsing: {malformed: error}\n")
	ask := func() cache.Stats {
		_, err := h.PlanJSON(context.Background(), "chatml-json", []byte(weather))
		must(t, err)
		return h.Assembled()
	}
	ask()
	h.edit(t, "parsing: {malformed: deliver}\n")
	if s := ask(); s.Hits != 1 || s.Misses != 1 {
		t.Errorf("after a reload that changes no dialect: %+v", s)
	}
	_, err := h.PutTemplate(context.Background(), host.TemplateSource{Name: "chatml-json", Source: reasonsInWords})
	must(t, err)
	if s := ask(); s.Misses != 2 {
		t.Errorf("after another template took the name: %+v", s)
	}
}

func TestConcurrentPlansEqualSequentialOnes(t *testing.T) {
	alone, h := start(t, nil), start(t, nil)
	want := make([]string, len(variants))
	for i, request := range variants {
		want[i] = answered(t, alone, "chatml-json", request)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range variants {
				at := (i*5 + j) % len(variants)
				if got := answered(t, h, "chatml-json", variants[at]); got != want[at] {
					t.Errorf("%s: got\n%s\nwant\n%s", variants[at], got, want[at])
				}
			}
		})
	}
	wg.Wait()
}
