package autoparser_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/google/go-cmp/cmp"
)

// Templates that differ in what turns their dial. Each prints m or o for messages, and then what it does about thinking.
const (
	dialHead     = `{% for m in messages %}{{ m.role }}:{{ m.content }}|{% endfor %}`
	onByDefault  = dialHead + `{{ '<t></t>' if enable_thinking is defined and enable_thinking is false else '<t>' }}`
	offByDefault = dialHead + `{{ '<t>' if thinking else '</t>' }}`
	negatedName  = dialHead + `{{ '</t>' if disable_reasoning else '<t>' }}`
	threeModes   = dialHead + `{{ {'enabled': '<t>', 'disabled': '</t>'}.get(thinking_mode, '') }}{% if thinking_mode == "adaptive" or not thinking_mode %}?{% endif %}`
	levels       = dialHead + `{% if reasoning_effort == 'high' %}<t>!{% elif reasoning_effort == 'low' %}<t>{% else %}{# 'no_think' #}</t>{% endif %}`
	anyLevel     = dialHead + `{{ 'effort ' + (reasoning_effort or 'medium') }}`
	fewLevels    = dialHead + `{% if thinking_effort is defined and thinking_effort not in ['low', 'high', 'max'] %}{{ raise_exception('no') }}{% endif %}{{ thinking_effort }}`
	inTokens     = dialHead + `{% if thinking_budget == 0 %}<t></t>{% elif thinking_budget %}{{ thinking_budget }} tokens{% endif %}`
	switchWords  = `{% set ns = namespace(off=false) %}{% for m in messages %}{% if '/no_think' in m.content %}{% set ns.off = true %}{% endif %}{{ m.role }}:{{ m.content | replace('/no_think', '') | replace('/think', '') }}|{% endfor %}{{ '</t>' if ns.off else '<t>' }}`
	ofHistory    = dialHead + `{% for m in messages if m.reasoning_content and not clear_thinking %}{{ m.reasoning_content }}{% endfor %}`
)

func TestADialIsFoundByTryingItsSwitches(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"a switch that is on":        {onByDefault, []string{"off: enable_thinking = false", "on: enable_thinking = true (default)"}},
		"a switch that is off":       {offByDefault, []string{"off: thinking = false (default)", "on: thinking = true"}},
		"a switch that turns it off": {negatedName, []string{"off: disable_reasoning = true", "on: disable_reasoning = false (default)"}},
		"words": {threeModes, []string{
			`off: thinking_mode = "disabled"`, `on: thinking_mode = "enabled"`, `adaptive: thinking_mode = "adaptive" (default)`}},
		"efforts":     {levels, []string{`off: reasoning_effort = "no_think" (default)`, `effort: reasoning_effort = "low", "high"`}},
		"any effort":  {anyLevel, []string{"effort: reasoning_effort = any word"}},
		"few efforts": {fewLevels, []string{`effort: thinking_effort = "low", "high", "max", nothing else`}},
		"a budget":    {inTokens, []string{"budget: thinking_budget = a number of tokens", "off: thinking_budget = 0"}},
		"words of the system message": {switchWords, []string{
			`off: the system message has "/no_think"`, `on: the system message has "/think" (default)`}},
		"what acts on earlier answers is no switch": {ofHistory, nil},
		"nothing": {dialHead, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range open(t, c.source).Dial {
				got = append(got, p.String())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestARequestTurnsTheDialOfTheTemplate(t *testing.T) {
	for _, c := range []struct{ name, source, request, want string }{
		{"what is not set is left", offByDefault, ``, "user:hi|</t>"},
		{"off", onByDefault, `"enable_thinking": false`, "user:hi|<t></t>"},
		{"off by another name", negatedName, `"thinking": {"type": "disabled"}`, "user:hi|</t>"},
		{"on by another name", offByDefault, `"enable_thinking": true`, "user:hi|<t>"},
		{"off in words", threeModes, `"reasoning": {"effort": "none"}`, "user:hi|</t>"},
		{"on in words", threeModes, `"thinking": {"type": "enabled", "budget_tokens": 100}`, "user:hi|<t>"},
		{"any position but off may think", threeModes, `"enable_thinking": true`, "user:hi|?"},
		{"adaptive", threeModes, `"thinking": {"type": "adaptive"}`, "user:hi|?"},
		{"adaptive is on where the template has nothing else", offByDefault, `"thinking": {"type": "adaptive"}`, "user:hi|<t>"},
		{"an effort turns it on", offByDefault, `"reasoning_effort": "low"`, "user:hi|<t>"},
		{"a budget turns it on", offByDefault, `"thinking_budget": 100`, "user:hi|<t>"},
		{"an effort leaves what is on", onByDefault, `"reasoning_effort": "low"`, "user:hi|<t>"},
		{"on is an effort", levels, `"enable_thinking": true`, "user:hi|</t>"},
		{"effort", levels, `"reasoning_effort": "high"`, "user:hi|<t>!"},
		{"off is an effort", levels, `"enable_thinking": false`, "user:hi|</t>"},
		{"an effort by another name", fewLevels, `"reasoning_effort": "low"`, "user:hi|low"},
		{"the next higher effort", fewLevels, `"reasoning_effort": "medium"`, "user:hi|high"},
		{"a budget", inTokens, `"thinking": {"type": "enabled", "budget_tokens": 512}`, "user:hi|512 tokens"},
		{"a budget of nothing", inTokens, `"thinking_budget": 0`, "user:hi|<t></t>"},
		{"words of the system message", switchWords, `"enable_thinking": false`, "system:|user:hi|</t>"},
		{"variables win", offByDefault, `"enable_thinking": true, "chat_template_kwargs": {"thinking": false}`, "user:hi|</t>"},
		{"variables are set as they are", fewLevels, `"chat_template_kwargs": {"thinking_effort": "max"}`, "user:hi|max"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(t, strings.TrimSuffix(`{"messages": [{"role": "user", "content": "hi"}], `+c.request, ", ")+`}`)
			got, err := open(t, c.source).Render(context.Background(), r, autoparser.Style{})
			if err != nil || got.Prompt != c.want {
				t.Errorf("%q, %v; want %q", got.Prompt, err, c.want)
			}
		})
	}
}

func TestAPlanNotesWhatTheDialLacks(t *testing.T) {
	const thinks = `{% for m in messages %}{{ '<|' + m.role + '|>' }}{% if m.reasoning_content %}<t>{{ m.reasoning_content }}</t>{% endif %}{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`
	for _, c := range []struct{ name, source, request, want string }{
		{"nothing is asked for", thinks, ``, ""},
		{"no switch, but it is on", thinks, `"enable_thinking": true`, ""},
		{"no switch, but it is off", dialHead, `"enable_thinking": false`, ""},
		{"no switch that turns it off", thinks, `"enable_thinking": false`, "the template has no switch that turns thinking off: the model may begin to think nevertheless"},
		{"no switch that turns it on", dialHead, `"enable_thinking": true`, "the template has no switch that turns thinking on"},
		{"not adaptive", onByDefault, `"thinking": {"type": "adaptive"}`, "the template cannot leave it to the model whether to think: thinking is on"},
		{"no effort", onByDefault, `"reasoning_effort": "low"`, `the template has no switch for the effort of thinking: "low" changes nothing`},
		{"an unknown effort", levels, `"reasoning_effort": "max"`, `the template knows no effort "max": it changes nothing`},
		{"a refused effort", fewLevels, `"reasoning_effort": "minimal"`, `the template knows no effort "minimal": it is "low"`},
		{"a known effort", fewLevels, `"reasoning_effort": "low"`, ""},
		{"any effort", anyLevel, `"reasoning_effort": "extreme"`, ""},
		{"no budget", onByDefault, `"thinking_budget": 99`, "the template has no switch for the budget of thinking: the model does not know that it is 99 tokens"},
		{"a budget", inTokens, `"thinking_budget": 99`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(t, strings.TrimSuffix(`{"messages": [{"role": "user", "content": "hi"}], `+c.request, ", ")+`}`)
			plan, err := learnSource(t, "x", c.source, "", "", nil).Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(plan.Notes, "\n"); got != c.want {
				t.Errorf("notes %q, want %q", got, c.want)
			}
		})
	}
}

// TestThePromptOfARequestThatSaysNothingOfThinkingIsThatOfTheBareTemplate renders templates with messages alone.
func TestThePromptOfARequestThatSaysNothingOfThinkingIsThatOfTheBareTemplate(t *testing.T) {
	files, err := os.ReadDir(shared.Dir(t, "templates"))
	if err != nil {
		t.Fatal(err)
	}
	bare, err := value.Decode([]byte(`{"messages": [{"role": "user", "content": "hi"}], "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>",
		"date_string": "05 Jan 2026", "datetime": "Jan 05 2026"}`))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, f := range files {
		data, err := os.ReadFile(shared.Dir(t, "templates", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		tmpl := open(t, string(data))
		r := request(t, `{"messages": [{"role": "user", "content": "hi"}]}`)
		got, err := tmpl.Render(t.Context(), r, autoparser.Style{})
		if err != nil {
			t.Errorf("%s: %v", f.Name(), err)
			continue
		}
		want, err := tmpl.RenderVariables(t.Context(), bare, r.Now)
		if err != nil || len(got.Normalised) > 0 {
			continue // the bare template needs more than that
		}
		if compared++; got.Prompt != want {
			t.Errorf("%s: %q, want %q", f.Name(), tail(got.Prompt), tail(want))
		}
	}
	if compared < 60 {
		t.Errorf("compared %d templates only", compared)
	}
}

// thinkTemplate writes reasoning between <t> and </t>, and ends prompts in a text of its own.
func thinkTemplate(header, end string) string {
	return `{% for m in messages %}{{ '<|' + m.role + '|>' }}{% if m.role == 'assistant' %}{{ '` + header + `<t>' + (m.reasoning_content or '') + '</t>' }}{% endif %}{{ m.content }}<|end|>{% endfor %}` +
		`{% if add_generation_prompt %}<|assistant|>{% endif %}` + end
}

func TestTheStateOfReasoningIsThatOfThePrompt(t *testing.T) {
	const always, asked = `{% if messages[-1].role == 'user' %}`, `{% if add_generation_prompt %}`
	for _, c := range []struct{ name, end, state string }{
		{"nothing", ``, "idle"},
		{"opened", asked + `<t>{% endif %}`, "open"},
		{"opened and closed", asked + `<t></t>{% endif %}`, "closed"},
		{"closed only", asked + `</t>{% endif %}`, "closed"},
		{"with words within", asked + `<t>The budget is 0.</t>{% endif %}`, "closed"},
		{"closed in every prompt", always + `<t></t>{% endif %}`, "closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(t, `{"messages": [{"role": "user", "content": "hi"}]}`)
			draft, err := learnSource(t, "x", thinkTemplate("", c.end), "", "", nil).Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if string(draft.ReasoningState) != c.state {
				t.Errorf("after %q: %s, want %s", draft.Prompt, draft.ReasoningState, c.state)
			}
			plan, err := session.New(t.Context(), draft, r, session.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			result, err := plan.Parse(t.Context(), []byte("Hello."), false, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Message.ReasoningContent + result.Message.Content.Join(""); got != "Hello." {
				t.Errorf("after %q: %q is delivered", draft.Prompt, got)
			}
		})
	}
}

func TestAContinuedMessageKeepsThePromptBeforeIt(t *testing.T) {
	const asked = `{% if add_generation_prompt %}`
	for _, c := range []struct{ name, header, end, message, want string }{
		{"closed reasoning stays", "", asked + `<t>\n\n</t>\n\n{% endif %}`, `"content": "So"`, "<|assistant|><t>\n\n</t>\n\nSo"},
		{"an end alone stays", "", asked + `</t>{% endif %}`, `"content": "So"`, "<|assistant|></t>So"},
		{"reasoning replaces an end", "", asked + `</t>{% endif %}`, `"content": "So", "reasoning_content": "Hm."`, "<|assistant|><t>Hm.</t>So"},
		{"reasoning replaces a start", "", asked + `<t>{% endif %}`, `"content": "So", "reasoning_content": "Hm."`, "<|assistant|><t>Hm.</t>So"},
		{"the blanks of the header", " ", asked + `{{ ' <t>' if enable_thinking else '' }}{% endif %}`, `"content": "So"`, "<|assistant|> <t></t>So"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(t, `{"continue_final_message": true, "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", `+c.message+`}]}`)
			source := strings.ReplaceAll(thinkTemplate(c.header, c.end), `\n`, "\n")
			got, err := learnSource(t, "x", source, "", "", nil).Render(t.Context(), r)
			if _, answer, _ := strings.Cut(got.Prompt, "hi<|end|>"); err != nil || answer != c.want {
				t.Errorf("%q, %v; want %q", answer, err, c.want)
			}
		})
	}
}
