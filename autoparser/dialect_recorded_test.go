package autoparser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/internal/shared"
)

// recordedAnalysis is a recorded analysis of a template.
type recordedAnalysis struct {
	Specialized    *string         `json:"specialized"`
	Capabilities   map[string]bool `json:"jinja_caps"`
	UserStart      string          `json:"user_start"`
	AssistantStart string          `json:"assistant_start"`
	Reasoning      map[string]any  `json:"reasoning"`
	Content        map[string]any  `json:"content"`
	Tools          struct {
		Format    map[string]any `json:"format"`
		Function  map[string]any `json:"function"`
		Arguments map[string]any `json:"arguments"`
		CallID    map[string]any `json:"call_id"`
	} `json:"tools"`
}

func recordedAnalyses(t *testing.T) map[string]recordedAnalysis {
	t.Helper()
	data, err := os.ReadFile(shared.Dir(t, "cases", "analysis.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]recordedAnalysis
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// generic reports whether the generic path serves the template. It replaces one of the recorded
// handlers.
func (a recordedAnalysis) generic() bool {
	return a.Specialized == nil || *a.Specialized == "Qwen3-Coder"
}

// fields returns the recorded fields, keyed by the names that workarounds use.
func (a recordedAnalysis) fields() map[string]string {
	f := map[string]string{"user_start": a.UserStart, "assistant_start": a.AssistantStart}
	add := func(prefix string, recorded map[string]any, names ...string) {
		for i := 0; i < len(names); i += 2 {
			f[prefix+names[i+1]] = fmt.Sprint(recorded[names[i]])
		}
	}
	add("reasoning.", a.Reasoning, "mode", "mode", "start", "start", "end", "end")
	add("content.", a.Content, "mode", "mode", "start", "start", "end", "end")
	add("tools.", a.Tools.Format, "mode", "format", "section_start", "section_start", "section_end", "section_end",
		"per_call_start", "per_call_start", "per_call_end", "per_call_end",
		"fun_name_is_key", "json.name_is_key", "tools_array_wrapped", "json.array_wrapped")
	if f["tools.format"] == "JSON_NATIVE" {
		add("tools.json.", a.Tools.Format, "name_field", "name_field", "args_field", "args_field",
			"id_field", "id_field", "gen_id_field", "gen_id_field", "parameter_order", "parameter_order")
	}
	add("tools.function.", a.Tools.Function, "name_prefix", "name_prefix", "name_suffix", "name_suffix", "close", "close")
	add("tools.arguments.", a.Tools.Arguments, "start", "start", "end", "end", "name_prefix", "name_prefix",
		"name_suffix", "name_suffix", "value_prefix", "value_prefix", "value_suffix", "value_suffix", "separator", "separator")
	add("tools.call_id.", a.Tools.CallID, "pos", "position", "prefix", "prefix", "suffix", "suffix")
	return f
}

// fieldsOf returns the fields of a dialect, keyed by the names that workarounds use.
func fieldsOf(t *testing.T, d dialect.Dialect) map[string]string {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	flatten(fields, "", tree)
	if fields["tools.json.parameter_order"] == "" {
		fields["tools.json.parameter_order"] = "[]"
	}
	return fields
}

func flatten(fields map[string]string, prefix string, tree map[string]any) {
	for name, v := range tree {
		if inner, ok := v.(map[string]any); ok {
			flatten(fields, prefix+name+".", inner)
		} else {
			fields[prefix+name] = fmt.Sprint(v)
		}
	}
}

// dialectDifferences lists the fields that intentionally differ from the recorded ones, by
// template.
var dialectDifferences = map[string]struct {
	fields []string
	reason string
}{
	"Apriel-1.6-15b-Thinker-fixed.jinja": {[]string{"reasoning.start"},
		"the prompt opens reasoning with words; recorded as the header of every answer"},
	"CohereForAI-c4ai-command-r-plus-tool_use.jinja": {[]string{"content.mode", "content.start", "content.end"},
		"the recorded start of content is the end of the prompt, and the recorded end of content ends the turn"},
	"CohereForAI-c4ai-command-r7b-12-2024-tool_use.jinja": {[]string{"assistant_start"},
		"recorded as the text that begins the content"},
	"Mistral-Small-3.2-24B-Instruct-2506.jinja":  {[]string{"assistant_start"}, "an answer begins where the user's message ends"},
	"mistralai-Mistral-Nemo-Instruct-2407.jinja": {[]string{"assistant_start"}, "an answer begins where the user's message ends"},
	"MiniMax-M2.jinja": {[]string{"tools.arguments.name_suffix", "tools.arguments.value_prefix"},
		"the text that closes a marker with a name belongs to the name, as for functions"},
	"NVIDIA-Nemotron-Nano-v2.jinja": {[]string{"tools.section_start", "tools.section_end", "tools.per_call_start", "tools.per_call_end"},
		"the markers enclose an array of all calls"},
	"deepseek-ai-DeepSeek-R1-Distill-Llama-8B.jinja": {[]string{"tools.format", "tools.per_call_start",
		"tools.function.name_prefix", "tools.function.name_suffix"},
		"the template renders calls beside null content; recorded as markers without a format"},
	"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B.jinja": {[]string{"tools.per_call_start", "tools.function.name_prefix"},
		"the text after the marker that opens a call belongs to the name"},
	"ibm-granite-granite-3.3-2B-Instruct.jinja": {[]string{"tools.format", "tools.section_start", "tools.json.array_wrapped"},
		"the template asks for calls in words, and a workaround defines their format"},
	"meetkai-functionary-medium-v3.1.jinja": {[]string{"tools.per_call_start", "tools.per_call_end", "tools.function.name_prefix", "tools.function.close"},
		"the marker that opens a call contains the name"},
	"poolside-Laguna-XS-2.1.jinja": {[]string{"tools.arguments.value_suffix"}, "the line break behind an argument is the template's own"},
}

func TestDialectsAgreeWithThoseRecorded(t *testing.T) {
	school := newSchool(t)
	for name, recorded := range recordedAnalyses(t) {
		if !recorded.generic() {
			continue
		}
		allowed := dialectDifferences[name]
		differ := map[string]bool{}
		got := fieldsOf(t, school.learn(t, name, "", "").Dialect)
		for field, want := range recorded.fields() {
			differ[field] = !strings.EqualFold(got[field], want)
		}
		for _, field := range allowed.fields {
			if !differ[field] {
				t.Errorf("%s: %s agrees: remove it from the list (%s)", name, field, allowed.reason)
			}
			delete(differ, field)
		}
		for field, differs := range differ {
			if differs {
				t.Errorf("%s: %s is %q, recorded as %q", name, field, got[field], recorded.fields()[field])
			}
		}
	}
}

// capabilityDifferences lists the capabilities that intentionally differ from the recorded ones, by
// template.
var capabilityDifferences = map[string]map[string]string{
	"Cohere2MoE.jinja":    {"reasoning_effort": "it reads the effort only to turn thinking off"},
	"LFM2.5-8B-A1B.jinja": {"preserve_reasoning": "it keeps what it is told under another name"},
	"deepseek-ai-DeepSeek-R1-Distill-Llama-8B.jinja": {"tool_calls": "it renders them beside null content",
		"parallel_tool_calls": "it renders them beside null content"},
	"mistralai-Ministral-3-14B-Reasoning-2512.jinja": {"preserve_reasoning": "it keeps what it is told as a part of the content"},
}

func TestCapabilitiesAgreeWithThoseRecorded(t *testing.T) {
	school := newSchool(t)
	for name, recorded := range recordedAnalyses(t) {
		c := school.learn(t, name, "", "").Template.Capabilities
		for capability, got := range map[string]bool{
			"system_role": c.SystemRole, "tools": c.Tools, "tool_calls": c.ToolCalls, "parallel_tool_calls": c.ParallelToolCalls,
			"object_arguments": c.ObjectArguments, "string_content": c.StringContent,
			"preserve_reasoning": c.PreserveReasoning, "reasoning_effort": c.ReasoningEffort,
		} {
			want := recorded.Capabilities["supports_"+capability]
			if reason := capabilityDifferences[name][capability]; (got != want) != (reason != "") {
				t.Errorf("%s: %s is %v, recorded as %v (%s)", name, capability, got, want, reason)
			}
		}
	}
}
