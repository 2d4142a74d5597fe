package autoparser_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// A template whose turns are tokens, with a place for what an answer consists of.
func turnsWith(answer string) string {
	return `{%- for t in tools or [] %}{{ t | tojson }}{% endfor %}
{%- for m in messages %}{{ '<|' + m.role + '|>' }}{% if m.role == 'assistant' %}` + answer + `{% else %}{{ m.content }}{% endif %}<|end|>{% endfor %}
{%- if add_generation_prompt %}<|assistant|>{% endif %}`
}

const (
	saysContent = `{{ m.content or '' }}`
	thinks      = `{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}`
	callsJSON   = `{% for c in m.tool_calls or [] %}<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</call>{% endfor %}`
)

// unproven are templates that write a part of an answer in a way that cannot be read back.
var unproven = []struct {
	name, source string
	part         autoparser.Part
	because      string
}{
	{"the names of arguments are lost", turnsWith(saysContent + `{% for c in m.tool_calls or [] %}<call>{{ c.function.name }}:{{ c.function.arguments.values() | join('+') }}</call>{% endfor %}`),
		dialect.PartCalls, ""},
	{"truth is turned around", turnsWith(saysContent + strings.Replace(callsJSON, "| tojson", "| tojson | replace('true', 'false')", 1)),
		dialect.PartCalls, "self-check booleans"},
	{"numbers are rounded", turnsWith(saysContent + strings.Replace(callsJSON, "| tojson", "| tojson | replace('-9.5', '-9')", 1)),
		dialect.PartCalls, "self-check numbers"},
	{"names are cut off", turnsWith(saysContent + strings.Replace(callsJSON, "c.function.name", "c.function.name[:4]", 1)),
		dialect.PartCalls, "in a way that was not recognised"},
	{"nothing follows reasoning", turnsWith(`{{ m.reasoning_content or '' }}` + saysContent),
		dialect.PartReasoning, "in a way that was not recognised"},
	{"reasoning is written in capitals", turnsWith(strings.Replace(thinks, "m.reasoning_content }}", "m.reasoning_content | upper }}", 1) + saysContent + callsJSON),
		dialect.PartReasoning, "nothing could be checked"},
}

func TestNothingUnprovenIsServed(t *testing.T) {
	for _, c := range unproven {
		t.Run(c.name, func(t *testing.T) {
			l := learnSource(t, "x", c.source, "", "", nil)
			proof := proofOf(t, l, c.part)
			if proof.Proven || proof.Served || !strings.Contains(proof.Because, c.because) {
				t.Fatalf("%s, expected %q", proof, c.because)
			}
			if l.Dialect.Has(c.part) {
				t.Errorf("served: %+v", l.Dialect)
			}
			if lint := strings.Join(l.Lint(t.Context()), "\n"); !strings.Contains(lint, proof.String()) {
				t.Errorf("lint %q", lint)
			}
			if text := l.Explain(t.Context()).String(); !strings.Contains(text, "not proven, so it is read as content") {
				t.Errorf("explanation\n%s", text)
			}
		})
	}
}

// proofOf returns the proof of a part.
func proofOf(t *testing.T, l *autoparser.Learned, part autoparser.Part) autoparser.Proof {
	t.Helper()
	for _, p := range l.SelfCheck().Parts {
		if p.Part == part {
			return p
		}
	}
	t.Fatalf("no proof of %s: %+v", part, l.SelfCheck())
	return autoparser.Proof{}
}

func TestUnprovenCallsAreContent(t *testing.T) {
	for _, c := range unproven {
		l := learnSource(t, "x", c.source, "", "", nil)
		if c.part != dialect.PartCalls {
			continue
		}
		for _, output := range []string{
			"<call>get_weather:Oslo</call>",
			`<call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</call>`,
			`{"name": "get_weather", "arguments": {"city": "Oslo"}}`,
		} {
			r := newReader(t, l, "")
			got := r.read(t, output)
			if strings.Contains(got, "call get_weather") || !strings.HasPrefix(got, "content ") {
				t.Errorf("%s: %q is read as\n%s", c.name, output, got)
			}
		}
		req := request(t, styleRequest)
		plan, err := l.Plan(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan.Prompt, "get_weather") {
			t.Errorf("%s: the prompt lacks the tools: %q", c.name, plan.Prompt)
		}
		if notes := strings.Join(plan.Notes, "\n"); !strings.Contains(notes, "not proven how it writes them") {
			t.Errorf("%s: notes %q", c.name, notes)
		}
	}
}

func TestARequestThatInsistsOnUnprovenCallsIsRefused(t *testing.T) {
	l := learnSource(t, "x", unproven[1].source, "", "", nil)
	for _, choice := range []chat.ToolChoice{{Mode: chat.ToolRequired}, {Mode: chat.ToolNamed, Name: "search"}} {
		req := request(t, styleRequest)
		req.ToolChoice = choice
		_, err := l.Plan(t.Context(), req)
		var refused *fault.Error
		if !errors.As(err, &refused) || refused.Code != fault.InvalidArgument || refused.Place != "tool_choice" || !strings.Contains(err.Error(), "self-check booleans") {
			t.Errorf("%+v: %v", choice, err)
		}
	}
	req := request(t, styleRequest)
	req.ToolChoice = chat.ToolChoice{Mode: chat.ToolNone}
	if _, err := l.Plan(t.Context(), req); err != nil {
		t.Error(err)
	}
}

func TestAPartThatFailsDoesNotSpoilTheOther(t *testing.T) {
	reasoning := learnSource(t, "x", turnsWith(thinks+saysContent+strings.Replace(callsJSON, "| tojson", "| tojson | replace('true', 'false')", 1)), "", "", nil)
	if p := proofOf(t, reasoning, dialect.PartReasoning); !p.Proven || !reasoning.Dialect.Has(dialect.PartReasoning) || reasoning.Dialect.Has(dialect.PartCalls) {
		t.Errorf("%s; dialect %+v", p, reasoning.Dialect)
	}
	calls := learnSource(t, "x", turnsWith(strings.Replace(thinks, "m.reasoning_content }}", "m.reasoning_content | upper }}", 1)+saysContent+callsJSON), "", "", nil)
	if p := proofOf(t, calls, dialect.PartCalls); !p.Proven || !calls.Dialect.Has(dialect.PartCalls) || calls.Dialect.Has(dialect.PartReasoning) {
		t.Errorf("%s; dialect %+v", p, calls.Dialect)
	}
}

// A rule that sets a part knows what no rendering shows; against what renderings show, it must say so.
func TestAWorkaroundVouches(t *testing.T) {
	const sets = `set: {reasoning: {mode: tag_based, start: "<muse>", end: "</muse>"}}`
	const wrong = `set: {tools: {per_call_end: "</other>"}}`
	for _, c := range []struct {
		name, source, effect string
		part                 autoparser.Part
		served               bool
	}{
		{"a rule sets what nothing renders", turnsWith(saysContent), sets, dialect.PartReasoning, true},
		{"a rule sets what is read back wrongly", turnsWith(saysContent + callsJSON), wrong, dialect.PartCalls, false},
		{"and vouches for it", turnsWith(saysContent + callsJSON), wrong + ", vouch: [calls]", dialect.PartCalls, true},
		{"a rule vouches for the other part", turnsWith(saysContent + callsJSON), wrong + ", vouch: [reasoning]", dialect.PartCalls, false},
		{"a rule vouches for what was learned", unproven[1].source, "vouch: [calls]", dialect.PartCalls, true},
	} {
		l := learnSource(t, "x", c.source, "", "", rules(t, `
  - {name: r, because: of a test, seen-in: [x], when: 'name == "x"', `+c.effect+`}`))
		p := proofOf(t, l, c.part)
		if p.Proven || p.Served != c.served || l.Dialect.Has(c.part) != c.served || (p.VouchedBy == "r") != c.served {
			t.Errorf("%s: %+v, dialect %+v", c.name, p, l.Dialect)
		}
	}
}

func TestNoRowIsNoProof(t *testing.T) {
	sources := styles(t)
	for _, c := range unproven {
		sources[c.name] = c.source
	}
	sources["nothing renders"] = `{{ raise_exception('no') }}`
	for name, source := range sources {
		l := learnSource(t, name, source, "<s>", "</s>", nil)
		check, can := l.SelfCheck(), l.Template.Capabilities
		proofs := map[autoparser.Part]autoparser.Proof{}
		for _, p := range check.Parts {
			proofs[p.Part] = p
			if p.Proven && (p.Passed == 0 || p.Failed > 0 || p.Because != "") || p.Served != l.Dialect.Has(p.Part) || !p.Proven && p.Because == "" {
				t.Errorf("%s: %+v", name, p)
			}
		}
		for part, rendered := range map[autoparser.Part]bool{dialect.PartCalls: can.ToolCalls, dialect.PartReasoning: can.Reasoning} {
			if _, judged := proofs[part]; (rendered || l.Concluded.Has(part)) && !judged {
				t.Errorf("%s: nothing judges its %s", name, part)
			}
		}
		if check.Passed+check.Failed == 0 && len(l.Lint(t.Context())) == 0 {
			t.Errorf("%s: nothing was checked, and lint is empty", name)
		}
	}
}
