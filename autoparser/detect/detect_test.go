package detect_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/detect"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/autoparser/probe"
	"github.com/google/go-cmp/cmp"
)

// abilities returns what a template can do that writes as the scribe does.
func abilities(s scribe) dialect.Capabilities {
	calls := s.Tools.Format != dialect.ToolsNone
	return dialect.Capabilities{ToolCalls: calls, ParallelToolCalls: calls && !s.single}
}

// plain is a dialect without reasoning and tools.
func plain() dialect.Dialect {
	return dialect.Dialect{
		Reasoning: dialect.Reasoning{Mode: dialect.ReasoningNone},
		Content:   dialect.Content{Mode: dialect.ContentPlain},
		Tools:     dialect.Tools{Format: dialect.ToolsNone, CallID: dialect.CallID{Position: dialect.CallIDNone}},
		UserStart: "<|user|>", AssistantStart: "<|assistant|>", EndOfTurn: "<|end|>",
	}
}

func TestADialectIsFoundInWhatWasWrittenInIt(t *testing.T) {
	tag := dialect.ReasoningTagBased
	flat := dialect.JSON{NameField: "name", ArgsField: "arguments", ParameterOrder: []string{"name", "arguments"}}
	for name, write := range map[string]func(*scribe){
		"nothing but content": func(*scribe) {},
		"reasoning": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: tag, Start: "<think>\n", End: "\n</think>\n\n"}
		},
		"reasoning that is always written": func(s *scribe) {
			s.Reasoning, s.always = dialect.Reasoning{Mode: tag, Start: "<think>", End: "</think>"}, true
		},
		"reasoning that the prompt opens": func(s *scribe) {
			s.Reasoning, s.opens = dialect.Reasoning{Mode: tag, Start: "<think>\n", End: "\n</think>\n"}, "<think>\n"
		},
		"reasoning that is always written and the prompt opens": func(s *scribe) {
			s.Reasoning, s.opens, s.always = dialect.Reasoning{Mode: tag, Start: "[THINK]\n", End: "\n[/THINK]\n"}, "[THINK]\n", true
		},
		"reasoning without an opening": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: tag, End: "\n[FINAL]\n"}
		},
		"reasoning between plain words": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: tag, Start: "Thoughts: ", End: "\nAnswer: "}
		},
		"reasoning only before calls": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: dialect.ReasoningToolsOnly, Start: "<think>", End: "</think>"}
			s.Tools.Format, s.Tools.JSON, s.Tools.SectionStart = dialect.JSONNative, flat, "<call>"
			s.Tools.JSON.ArrayWrapped, s.Tools.SectionEnd = true, "</call>"
		},
		"reasoning that the prompt closes": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: tag, Start: "<think>", End: "</think>"}
			s.opens, s.closes, s.cuts = "<think>", "</think>", true
		},
		"reasoning that earlier answers lose": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: tag, Start: "<think>", End: "</think>"}
			s.opens, s.closes, s.cuts = "<think>\n", "<think>\n", true
		},
		"reasoning in a message of its own": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: tag, Start: "<|think|>", End: "<|end|><|assistant|>\n"}
			s.Content = dialect.Content{Mode: dialect.ContentAlwaysWrapped, Start: "<|text|>", End: "<|over|>"}
		},
		"reasoning that another system prompt turns off": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: tag, Start: "<think>", End: "</think>"}
			s.cuts, s.closes, s.tells = true, "<think>\n\n</think>\n", true
		},
		"content that is always wrapped": func(s *scribe) {
			s.Content = dialect.Content{Mode: dialect.ContentAlwaysWrapped, Start: "<answer>", End: "</answer>"}
		},
		"content that is wrapped behind reasoning": func(s *scribe) {
			s.Reasoning = dialect.Reasoning{Mode: tag, Start: "<think>", End: "</think>"}
			s.Content = dialect.Content{Mode: dialect.ContentWrappedWithReasoning, Start: "<answer>", End: "</answer>"}
		},
		"calls in JSON, each between markers": func(s *scribe) {
			s.Tools.Format, s.Tools.JSON = dialect.JSONNative, flat
			s.Tools.PerCallStart, s.Tools.PerCallEnd, s.Tools.CallSeparator = "<call>\n", "</call>", "\n"
		},
		"calls in JSON, all in an array": func(s *scribe) {
			s.Tools.Format, s.Tools.JSON, s.Tools.SectionStart = dialect.JSONNative, flat, "[CALLS]"
			s.Tools.JSON.ArrayWrapped = true
		},
		"calls in JSON without markers": func(s *scribe) {
			s.Tools.Format, s.Tools.JSON, s.Tools.CallSeparator = dialect.JSONNative, flat, "; "
		},
		"calls in JSON, nested, with ids": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.JSONNative, "<call>", "</call>"
			s.Tools.JSON = dialect.JSON{FunctionField: "function", NameField: "function.name", ArgsField: "function.arguments",
				IDField: "id", ParameterOrder: []string{"id", "function.name", "function.arguments"}}
		},
		"calls in JSON that are counted": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.JSONNative, "<call>", "</call>"
			s.Tools.JSON = dialect.JSON{NameField: "tool", ArgsField: "parameters", GenIDField: "number",
				ParameterOrder: []string{"number", "tool", "parameters"}}
		},
		"calls in JSON with arguments in a string": func(s *scribe) {
			s.Tools.Format, s.Tools.JSON, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.JSONNative, flat, "<call>", "</call>"
			s.Tools.JSON.ArgsAreString = true
		},
		"calls in JSON under the name": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.JSONNative, "<call>", "</call>"
			s.Tools.JSON = dialect.JSON{NameIsKey: true}
		},
		"calls as Python writes them": func(s *scribe) {
			s.Tools.Format, s.Tools.JSON, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.JSONNative, flat, "<call>", "</call>"
			s.Tools.JSON.PythonDicts = true
		},
		"arguments in JSON behind a marker with the name": func(s *scribe) {
			s.Tools.Format = dialect.TagWithJSON
			s.Tools.Function = dialect.Function{NamePrefix: "<function=", NameSuffix: ">", Close: "</function>"}
		},
		"arguments in JSON in a section": func(s *scribe) {
			s.Tools.Format = dialect.TagWithJSON
			s.Tools.SectionStart, s.Tools.SectionEnd = "<|calls|>", "<|/calls|>"
			s.Tools.PerCallStart, s.Tools.PerCallEnd = "<|call|>", "<|/call|>"
			s.Tools.Function = dialect.Function{NamePrefix: "function:", NameSuffix: "\n```json\n", Close: "```"}
		},
		"an id between name and arguments": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart = dialect.TagWithJSON, "[CALL]"
			s.Tools.CallID = dialect.CallID{Position: dialect.CallIDBetweenNameAndArgs, Prefix: "[ID]", Suffix: "[ARGS]"}
		},
		"an id before the name": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.TagWithJSON, "<call>", "</call>"
			s.Tools.Function.NamePrefix, s.Tools.Function.NameSuffix = "<name>", "</name>"
			s.Tools.CallID = dialect.CallID{Position: dialect.CallIDBeforeName, Prefix: "<id>", Suffix: "</id>"}
		},
		"an id behind the arguments": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.TagWithJSON, "<call>", "</call>"
			s.Tools.Function.NamePrefix, s.Tools.Function.NameSuffix = "<name>", "</name>"
			s.Tools.CallID = dialect.CallID{Position: dialect.CallIDAfterArgs, Prefix: "<id>", Suffix: "</id>"}
		},
		"one call in JSON between markers": func(s *scribe) {
			s.Tools.Format, s.Tools.JSON, s.single = dialect.JSONNative, flat, true
			s.Tools.SectionStart, s.Tools.SectionEnd = "<call>", "</call>"
		},
		"one call in markup": func(s *scribe) {
			s.Tools.Format, s.single = dialect.TagWithJSON, true
			s.Tools.SectionStart, s.Tools.SectionEnd = "<calls>", "</calls>"
			s.Tools.Function = dialect.Function{NamePrefix: "<function=", NameSuffix: ">", Close: "</function>"}
		},
		"tagged arguments": func(s *scribe) {
			s.Tools.Format = dialect.TagWithTagged
			s.Tools.PerCallStart, s.Tools.PerCallEnd, s.Tools.CallSeparator = "<call>\n", "</call>", "\n"
			s.Tools.Function = dialect.Function{NamePrefix: "<function=", NameSuffix: ">\n", Close: "</function>\n"}
			s.Tools.Arguments = dialect.Arguments{NamePrefix: "<parameter=", NameSuffix: ">\n", ValueSuffix: "\n</parameter>\n"}
		},
		"tagged arguments, names and values apart": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.TagWithTagged, "<call>", "</call>"
			s.Tools.Function.NameSuffix = "\n"
			s.Tools.Arguments = dialect.Arguments{NamePrefix: "<key>", NameSuffix: "</key>\n", ValuePrefix: "<value>", ValueSuffix: "</value>\n"}
		},
		"tagged arguments in a section, each call in its own marker": func(s *scribe) {
			s.Tools.Format, s.layout = dialect.TagWithTagged, "\n\n"
			s.Tools.SectionStart, s.Tools.SectionEnd = "<calls>\n", "</calls>"
			s.Tools.Function = dialect.Function{NamePrefix: `<invoke name="`, NameSuffix: "\">\n", Close: "</invoke>\n"}
			s.Tools.Arguments = dialect.Arguments{NamePrefix: `<parameter name="`, NameSuffix: `">`, ValueSuffix: "</parameter>\n"}
		},
		"tagged arguments in a container": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.TagWithTagged, "<call>", "</call>"
			s.Tools.Function = dialect.Function{NamePrefix: "<name>", NameSuffix: "</name>"}
			s.Tools.Arguments = dialect.Arguments{Start: "<args>", End: "</args>", NamePrefix: "<arg=", NameSuffix: ">", ValueSuffix: "</arg>"}
		},
		"tagged arguments with separators": func(s *scribe) {
			s.Tools.Format, s.Tools.PerCallStart, s.Tools.PerCallEnd = dialect.TagWithTagged, "<call>", "</call>"
			s.Tools.Function = dialect.Function{NamePrefix: "call:", NameSuffix: "{", Close: "}"}
			s.Tools.Arguments = dialect.Arguments{NameSuffix: ":", ValuePrefix: "<|'|>", ValueSuffix: "<|'|>", Separator: ","}
		},
		"tagged arguments whose values are JSON": func(s *scribe) {
			s.Tools.Format = dialect.TagWithTagged
			s.Tools.Function = dialect.Function{NamePrefix: "<function=", NameSuffix: ">\n", Close: "</function>"}
			s.Tools.Arguments = dialect.Arguments{NamePrefix: "<parameter=", NameSuffix: ">", ValueSuffix: "</parameter>\n", ValuesAreJSON: true}
		},
		"tagged arguments that tell their types": func(s *scribe) {
			s.Tools.Format = dialect.TagWithTagged
			s.Tools.Function = dialect.Function{NamePrefix: `<invoke name="`, NameSuffix: "\">\n", Close: "</invoke>"}
			s.Tools.Arguments = dialect.Arguments{NamePrefix: `<param name="`, NameSuffix: `" type="string">`, ValueSuffix: "</param>\n", TextType: "string"}
		},
		"names as tags": func(s *scribe) {
			s.Tools.Format, s.Tools.SectionStart, s.Tools.SectionEnd = dialect.TagWithTagged, "<calls>\n", "</calls>"
			s.Tools.Function = dialect.Function{NamePrefix: "<", NameSuffix: ">\n", Close: "</{name}>\n"}
			s.Tools.Arguments = dialect.Arguments{NamePrefix: "<", NameSuffix: ">", ValueSuffix: "</{name}>\n"}
		},
		"code between markers": func(s *scribe) {
			s.code()
			s.Tools.SectionStart, s.Tools.SectionEnd, s.Tools.JSON.ArrayWrapped = "<|calls|>", "<|/calls|>", true
		},
		"code in a list": func(s *scribe) {
			s.code()
			s.Tools.JSON.ArrayWrapped = true
		},
		"code without markers": func(s *scribe) {
			s.code()
			s.Tools.CallSeparator = "\n"
		},
		"one call as code": func(s *scribe) {
			s.code()
			s.Tools.CallSeparator, s.Tools.JSON.ArrayWrapped, s.single = "", true, true
		},
		"calls that end their turn in their own way": func(s *scribe) {
			s.Tools.Format, s.EndOfCalls = dialect.TagWithJSON, "<|wait|>"
			s.Tools.Function = dialect.Function{NamePrefix: "<function=", NameSuffix: ">", Close: "</function>"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scribe{Dialect: plain()}
			write(&s)
			got := detect.Run(probe.Ask(abilities(s), "", s.render))
			if d := cmp.Diff(s.Dialect, got.Dialect); d != "" {
				call, _ := s.render(probe.CalledTwice())
				t.Errorf("-written +found\n%s\n%s", d, call)
			}
			if len(got.Lint) > 0 {
				t.Errorf("lint: %s", strings.Join(got.Lint, "\n"))
			}
			if hasUnnamed(got.Findings) {
				t.Errorf("a finding does not say what taught it: %v", got.Findings)
			}
		})
	}
}

// code makes the scribe write calls as code, separated by commas.
func (s *scribe) code() {
	s.Tools.Format, s.Tools.CallSeparator = dialect.TagWithTagged, ", "
	s.Tools.Function = dialect.Function{NameSuffix: "(", Close: ")"}
	s.Tools.Arguments = dialect.Arguments{NameSuffix: "=", Separator: ", ", ValuesAreJSON: true}
}

// hasUnnamed reports whether a finding lacks its field, its value or its source.
func hasUnnamed(findings []detect.Finding) bool {
	return slices.ContainsFunc(findings, func(f detect.Finding) bool { return f.Field == "" || f.Value == "" || f.By == "" })
}
