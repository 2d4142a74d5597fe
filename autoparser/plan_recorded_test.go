package autoparser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// toldEngine is the part of a recorded plan, besides the prompt, that the engine receives.
type toldEngine struct {
	SupportsThinking bool     `json:"supports_thinking"`
	ThinkingStart    string   `json:"thinking_start"`
	ThinkingEnds     []string `json:"thinking_ends"`
	Constrained      bool     `json:"constrained"`
	Lazy             bool     `json:"lazy"`
	Triggers         []struct {
		Type  string `json:"type"`
		Value string `json:"value"`
	} `json:"triggers"`
	PreservedTokens []string `json:"preserved_tokens"`
	Stops           []string `json:"stops"`
}

const (
	endsByCall   = "a call may end reasoning here; engines that count reasoning tokens or suspend the constraint until reasoning ends need the marker"
	noCalls      = "recorded even without tools; without tools there are no calls, and only its end marker ends reasoning"
	ownParts     = "all markers of the markup are preserved, as recorded for other markup formats"
	anyName      = "the constraint begins at the marker before the name and restricts the name to the tools"
	noSection    = "models often omit the first marker; the constraint also applies without it"
	enforced     = "the request requires a call and the template renders none, so the answer is a call in JSON; recorded unconstrained"
	endOfTurn    = "generation ends at the end of a turn, which is not part of the answer's text"
	oneByOne     = "markers are listed one by one, so that each can be a single token"
	headerMarker = "recorded with the marker that begins every answer; ours are the words that only reasoning follows"
	inWords      = "the template asks for calls in words, and a workaround defines their format; recorded as content"
	besideNull   = "the template renders calls beside null content, which the recorder did not try"
	asTemplate   = "the marker with which the answer is parsed; recorded with the one that begins the turn"
)

// planDifferences lists the intentional differences of plans, by template: facts that only the
// recorded plan has (-) and facts that only ours has (+).
var planDifferences = map[string]map[string]string{
	"Apriel-1.6-15b-Thinker-fixed": {
		`- thinking true from "<|begin_assistant|>"`:          headerMarker,
		`+ thinking true from "Here are my reasoning steps:"`: headerMarker,
		`- preserved "<|begin_assistant|>"`:                   headerMarker,
		`+ preserved "Here are my reasoning steps:"`:          headerMarker,
		`+ thinking end "<tool_calls>"`:                       endsByCall,
	},
	"ByteDance-Seed-OSS": {
		`+ trigger word "<function="`:       noSection,
		`+ thinking end "<seed:tool_call>"`: endsByCall,
	},
	"CohereForAI-c4ai-command-r-plus-tool_use": {
		`- preserved "<|CHATBOT_TOKEN|>"`:     endOfTurn,
		`- preserved "<|END_OF_TURN_TOKEN|>"`: endOfTurn,
	},
	"CohereForAI-c4ai-command-r7b-12-2024-tool_use": {`+ thinking end "<|START_ACTION|>"`: endsByCall},
	"GLM-4.6":                             callsEndReasoning("<tool_call>"),
	"GLM-4.7-Flash":                       callsEndReasoning("<tool_call>"),
	"MiniMax-M2":                          callsEndReasoning("<minimax:tool_call>"),
	"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": functionMarkup(`- thinking end "<tool_call>"`),
	"NVIDIA-Nemotron-Nano-v2": {
		`+ thinking end "<TOOLCALL>"`: endsByCall,
		`- preserved "<SPECIAL_11>"`:  asTemplate,
		`+ preserved "<think>"`:       asTemplate,
	},
	"Qwen-QwQ-32B":     callsEndReasoning("<tool_call>"),
	"Qwen-Qwen3-0.6B":  callsEndReasoning("<tool_call>"),
	"Qwen3-Coder":      functionMarkup(),
	"Qwen3.5-4B":       functionMarkup(`- thinking end "<tool_call>"`),
	"Reka-Edge":        callsEndReasoning("<tool_call>"),
	"StepFun3.5-Flash": functionMarkup(`- thinking end "<tool_call>"`),
	"deepseek-ai-DeepSeek-R1-Distill-Llama-8B": {
		"- constrained false, lazy false":       besideNull,
		"+ constrained true, lazy false":        besideNull,
		"+ constrained true, lazy true":         besideNull,
		`+ preserved "<｜tool▁calls▁begin｜>"`:    besideNull,
		`+ preserved "<｜tool▁calls▁end｜>"`:      besideNull,
		`+ preserved "<｜tool▁call▁begin｜>"`:     besideNull,
		`+ preserved "<｜tool▁call▁end｜>"`:       besideNull,
		"+ preserved \"```\"":                   besideNull,
		"+ preserved \"```json\"":               besideNull,
		`+ preserved "function<｜tool▁sep｜>"`:    besideNull,
		`+ thinking end "<｜tool▁calls▁begin｜>"`: besideNull,
		`+ thinking end "<｜tool▁call▁begin｜>"`:  besideNull,
		`+ trigger word "<｜tool▁calls▁begin｜>"`: besideNull,
	},
	"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": {
		`+ preserved "<｜tool▁calls▁end｜>"`:                       oneByOne,
		`+ preserved "<｜tool▁call▁end｜>"`:                        oneByOne,
		"+ preserved \"```\"":                                    oneByOne,
		"- preserved \"```<｜tool▁call▁end｜><｜tool▁calls▁end｜>\"": oneByOne,
		`- preserved "<｜end▁of▁sentence｜>"`:                      endOfTurn,
		`+ thinking end "<｜tool▁calls▁begin｜>"`:                  endsByCall,
		`+ thinking end "<｜tool▁call▁begin｜>"`:                   endsByCall,
	},
	"deepseek-ai-DeepSeek-V3.1": callsEndReasoning("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"),
	"google-gemma-2-2b-it":      insisted,
	"ibm-granite-granite-3.3-2B-Instruct": {
		"- constrained false, lazy false": inWords,
		"+ constrained true, lazy false":  inWords,
		"+ constrained true, lazy true":   inWords,
		`+ preserved "<|tool_call|>"`:     inWords,
		`+ thinking end "<|tool_call|>"`:  inWords,
		`+ trigger word "<|tool_call|>"`:  inWords,
	},
	"llama-cpp-deepseek-r1": callsEndReasoning("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"),
	"llama-cpp-rwkv-world":  insisted,
	"meetkai-functionary-medium-v3.1": {
		`- preserved "<|eot_id|>"`: endOfTurn,
		`- preserved "<|eom_id|>"`: endOfTurn,
	},
	"microsoft-Phi-3.5-mini-instruct": insisted,
	"poolside-Laguna-XS-2.1":          callsEndReasoning("<tool_call>"),
}

// insisted lists the differences for requests that require a call the template does not render.
var insisted = map[string]string{
	"- constrained false, lazy false": enforced,
	"+ constrained true, lazy false":  enforced,
}

// callsEndReasoning returns the differences where calls with these markers may end reasoning.
func callsEndReasoning(markers ...string) map[string]string {
	out := map[string]string{}
	for _, m := range markers {
		out[fmt.Sprintf("+ thinking end %q", m)] = endsByCall
	}
	return out
}

// functionMarkup returns the differences for <tool_call><function=f><parameter=p>…, which was
// recorded with a dedicated handler.
func functionMarkup(noCall ...string) map[string]string {
	out := map[string]string{`+ trigger word "<function="`: anyName}
	for _, name := range []string{"create_event", "get_time", "get_weather", "no_args"} {
		out[fmt.Sprintf(`- trigger word "<function=%s>"`, name)] = anyName
	}
	for _, m := range []string{"<function=", ">", "</function>", "<parameter=", "</parameter>"} {
		out[fmt.Sprintf("+ preserved %q", m)] = ownParts
	}
	for _, d := range noCall {
		out[d] = noCalls
	}
	return out
}

// lines returns the facts one by one, so that plans can be compared as sets. It omits the outer
// white space of triggers and ends: a model may write any after our triggers, and a line break
// before an end means that the end counts at the beginning of a line.
func (e toldEngine) lines() []string {
	out := []string{fmt.Sprintf("thinking %t from %q", e.SupportsThinking, e.ThinkingStart), fmt.Sprintf("constrained %t, lazy %t", e.Constrained, e.Lazy)}
	add := func(what string, values []string) {
		for _, v := range values {
			out = append(out, fmt.Sprintf("%s %q", what, v))
		}
	}
	for _, end := range e.ThinkingEnds {
		add("thinking end", []string{strings.TrimSpace(end)})
	}
	add("preserved", e.PreservedTokens)
	add("stop", e.Stops)
	for _, t := range e.Triggers {
		out = append(out, fmt.Sprintf("trigger %s %q", t.Type, strings.TrimSpace(t.Value)))
	}
	return out
}

// told returns the part of one of our plans that the engine receives.
func told(t *testing.T, p *session.Draft) toldEngine {
	t.Helper()
	c, err := grammar.Build(p.Program, grammar.Options{Mode: p.Grammar, Prompt: p.GenerationPrompt, Triggers: p.Triggers})
	if err != nil {
		t.Fatal(err)
	}
	e := toldEngine{
		SupportsThinking: p.SupportsThinking, ThinkingStart: p.ThinkingStart, ThinkingEnds: p.ThinkingEnds,
		PreservedTokens: p.PreservedTokens, Stops: p.Stops, Constrained: c != nil,
	}
	if c == nil {
		return e
	}
	e.Lazy = c.Lazy
	for _, tr := range c.Triggers {
		e.Triggers = append(e.Triggers, struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		}{string(tr.Type), tr.Value})
	}
	return e
}

func TestPlansAgreeWithThoseRecorded(t *testing.T) {
	school := newSchool(t)
	special := handled(t)
	agreed, allowed := 0, map[string]bool{}
	eachLine(t, "plan.jsonl", func(c struct {
		recordedPlan
		Told *toldEngine `json:"reference"`
	}) {
		if c.Told == nil || special[c.Template] {
			return
		}
		req, err := chat.ParseRequest(c.Request)
		if err != nil {
			t.Fatal(err)
		}
		req.Now = c.Now
		plan, err := school.learn(t, c.Template, c.BOS, c.EOS).Plan(t.Context(), req)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			return
		}
		name, _, _ := strings.Cut(c.ID, "/plan/")
		found := differences(c.Told.lines(), told(t, plan).lines())
		for _, d := range found {
			if planDifferences[name][d] == "" {
				t.Errorf("%s: %s", c.ID, d)
			}
			allowed[name+d] = true
		}
		if len(found) == 0 {
			agreed++
		}
	})
	for name, list := range planDifferences {
		for d := range list {
			if !allowed[name+d] {
				t.Errorf("%s: remove %q from the list: the plans agree", name, d)
			}
		}
	}
	t.Logf("%d plans agree entirely; %d differences are intentional", agreed, len(allowed))
}

// differences returns the lines that only one of two plans has.
func differences(recorded, ours []string) (out []string) {
	for _, l := range recorded {
		if !slices.Contains(ours, l) {
			out = append(out, "- "+l)
		}
	}
	for _, l := range ours {
		if !slices.Contains(recorded, l) {
			out = append(out, "+ "+l)
		}
	}
	return out
}
