package assemble_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// sample is a dialect for tests, with the text that begins an answer.
type sample struct {
	dialect.Dialect
	name   string
	prompt string
}

var think = dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<think>\n", End: "\n</think>\n\n"}

// samples are dialects of every kind.
var samples = []sample{
	{name: "JSON in tags", prompt: "<|im_start|>assistant\n", Dialect: dialect.Dialect{
		Reasoning: think, EndOfTurn: "<|im_end|>\n",
		Tools: dialect.Tools{Format: dialect.JSONNative, PerCallStart: "<tool_call>\n", PerCallEnd: "\n</tool_call>", CallSeparator: "\n",
			JSON: dialect.JSON{NameField: "name", ArgsField: "arguments", ParameterOrder: []string{"name", "arguments"}}},
	}},
	{name: "JSON array in a section, id last", prompt: "", Dialect: dialect.Dialect{
		EndOfTurn: "</s>",
		Tools: dialect.Tools{Format: dialect.JSONNative, SectionStart: "[TOOL_CALLS]",
			JSON: dialect.JSON{NameField: "name", ArgsField: "arguments", IDField: "id", ArrayWrapped: true, ParameterOrder: []string{"name", "arguments", "id"}}},
	}},
	{name: "JSON array, id first, wrapped content", prompt: "<|BOT|>", Dialect: dialect.Dialect{
		Reasoning: dialect.Reasoning{Mode: dialect.ReasoningToolsOnly, Start: "<|START_THINKING|>", End: "<|END_THINKING|>"},
		Content:   dialect.Content{Mode: dialect.ContentAlwaysWrapped, Start: "<|START_RESPONSE|>", End: "<|END_RESPONSE|>"},
		EndOfTurn: "<|END_OF_TURN|>",
		Tools: dialect.Tools{Format: dialect.JSONNative, SectionStart: "<|START_ACTION|>", SectionEnd: "<|END_ACTION|>",
			JSON: dialect.JSON{NameField: "tool_name", ArgsField: "parameters", GenIDField: "tool_call_id", ArrayWrapped: true,
				ParameterOrder: []string{"tool_call_id", "tool_name", "parameters"}}},
	}},
	{name: "JSON with the name as key", prompt: "<|assistant|>", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.JSONNative, SectionStart: "<|tools_prefix|>", SectionEnd: "<|tools_suffix|>",
			JSON: dialect.JSON{NameIsKey: true, ArrayWrapped: true}},
	}},
	{name: "nested JSON", prompt: "<|assistant|>", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.JSONNative, PerCallStart: "<call>", PerCallEnd: "</call>",
			JSON: dialect.JSON{FunctionField: "function", NameField: "function.name", ArgsField: "function.arguments"}},
	}},
	{name: "JSON with a text for arguments", prompt: "<|assistant|>", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.JSONNative, PerCallStart: "<call>", PerCallEnd: "</call>",
			JSON: dialect.JSON{NameField: "name", ArgsField: "arguments", ArgsAreString: true}},
	}},
	{name: "JSON without markers", prompt: "<|header|>assistant\n\n", Dialect: dialect.Dialect{
		EndOfTurn: "<|eot_id|>",
		Tools: dialect.Tools{Format: dialect.JSONNative,
			JSON: dialect.JSON{NameField: "name", ArgsField: "parameters", ParameterOrder: []string{"name", "parameters"}}},
	}},
	{name: "JSON behind two tokens", prompt: "<|im_start|>assistant\n", Dialect: dialect.Dialect{
		Reasoning: think, EndOfTurn: "<|im_end|>\n",
		Tools: dialect.Tools{Format: dialect.JSONNative, PerCallStart: "<|action_start|><|plugin|>\n", PerCallEnd: "<|action_end|>",
			JSON: dialect.JSON{NameField: "name", ArgsField: "parameters", ParameterOrder: []string{"name", "parameters"}}},
	}},
	{name: "Python dicts", prompt: "", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.JSONNative, PerCallStart: "<call>", PerCallEnd: "</call>",
			JSON: dialect.JSON{NameField: "name", ArgsField: "arguments", PythonDicts: true}},
	}},
	{name: "JSON behind a tag", prompt: "<|Assistant|>", Dialect: dialect.Dialect{
		Reasoning: dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<think>", End: "</think>"},
		Tools: dialect.Tools{Format: dialect.TagWithJSON, SectionStart: "<|calls_begin|>", SectionEnd: "<|calls_end|>",
			PerCallStart: "<|call_begin|>", PerCallEnd: "<|call_end|>", Function: dialect.Function{NameSuffix: "<|sep|>"}},
	}},
	{name: "JSON behind a fence", prompt: "<|Assistant|>", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithJSON, SectionStart: "<|calls_begin|>", SectionEnd: "<|calls_end|>",
			PerCallStart: "<|call_begin|>function", PerCallEnd: "<|call_end|>",
			Function: dialect.Function{NamePrefix: "<|sep|>", NameSuffix: "\n```json\n", Close: "\n```"}},
	}},
	{name: "JSON in a function tag", prompt: "", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithJSON, Function: dialect.Function{NamePrefix: "<function=", NameSuffix: ">", Close: "</function>"}},
	}},
	{name: "id between name and arguments", prompt: "", Dialect: dialect.Dialect{
		EndOfTurn: "</s>",
		Tools: dialect.Tools{Format: dialect.TagWithJSON, PerCallStart: "[TOOL_CALLS]",
			CallID: dialect.CallID{Position: dialect.CallIDBetweenNameAndArgs, Prefix: "[CALL_ID]", Suffix: "[ARGS]"}},
	}},
	{name: "id before the name", prompt: "", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithJSON, PerCallStart: "<call>", PerCallEnd: "</call>",
			Function: dialect.Function{NameSuffix: "<args>"},
			CallID:   dialect.CallID{Position: dialect.CallIDBeforeName, Prefix: "<id>", Suffix: "</id>"}},
	}},
	{name: "id after the arguments", prompt: "", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithJSON, PerCallStart: "<call>", PerCallEnd: "</call>",
			Function: dialect.Function{NameSuffix: "<args>", Close: "</args>"},
			CallID:   dialect.CallID{Position: dialect.CallIDAfterArgs, Prefix: "<id>", Suffix: "</id>"}},
	}},
	{name: "tags with lines", prompt: "<|im_start|>assistant\n", Dialect: dialect.Dialect{
		Reasoning: think, EndOfTurn: "<|im_end|>\n",
		Tools: dialect.Tools{Format: dialect.TagWithTagged, PerCallStart: "<tool_call>\n", PerCallEnd: "</tool_call>", CallSeparator: "\n",
			Function:  dialect.Function{NamePrefix: "<function=", NameSuffix: ">\n", Close: "</function>\n"},
			Arguments: dialect.Arguments{NamePrefix: "<parameter=", NameSuffix: ">\n", ValueSuffix: "\n</parameter>\n"}},
	}},
	{name: "tags without lines", prompt: "<seed:bos>assistant\n", Dialect: dialect.Dialect{
		Reasoning: dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<seed:think>", End: "</seed:think>\n"},
		Tools: dialect.Tools{Format: dialect.TagWithTagged, PerCallStart: "<seed:tool_call>\n", PerCallEnd: "</seed:tool_call>",
			Function:  dialect.Function{NamePrefix: "<function=", NameSuffix: ">\n", Close: "</function>\n"},
			Arguments: dialect.Arguments{NamePrefix: "<parameter=", NameSuffix: ">", ValueSuffix: "</parameter>\n"}},
	}},
	{name: "tags for name and value", prompt: "<|assistant|>", Dialect: dialect.Dialect{
		Reasoning: dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<think>", End: "</think>\n"},
		EndOfTurn: "<|user|>",
		Tools: dialect.Tools{Format: dialect.TagWithTagged, PerCallStart: "<tool_call>", PerCallEnd: "</tool_call>", CallSeparator: "\n",
			Function:  dialect.Function{NameSuffix: "\n"},
			Arguments: dialect.Arguments{NamePrefix: "<arg_key>", NameSuffix: "</arg_key>\n", ValuePrefix: "<arg_value>", ValueSuffix: "</arg_value>\n"}},
	}},
	{name: "names and values on lines of their own", prompt: "<|assistant|>", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithTagged, PerCallStart: "<call>\n", PerCallEnd: "</call>", CallSeparator: "\n",
			Function:  dialect.Function{NamePrefix: "<name>\n", NameSuffix: "\n</name>\n<body>\n", Close: "</body>\n"},
			Arguments: dialect.Arguments{NamePrefix: "<key>\n", NameSuffix: "\n</key>\n", ValuePrefix: "<value>\n", ValueSuffix: "\n</value>\n"}},
	}},
	{name: "attributes that tell strings", prompt: "<|Assistant|>", Dialect: dialect.Dialect{
		Reasoning: dialect.Reasoning{Mode: dialect.ReasoningTagBased, Start: "<think>", End: "</think>"},
		Tools: dialect.Tools{Format: dialect.TagWithTagged, SectionStart: "<|x|calls>\n", SectionEnd: "</|x|calls>", CallSeparator: "\n",
			Function:  dialect.Function{NamePrefix: `<|x|invoke name="`, NameSuffix: "\">\n", Close: "</|x|invoke>"},
			Arguments: dialect.Arguments{NamePrefix: `<|x|parameter name="`, ValuePrefix: `" string="true">`, ValueSuffix: "</|x|parameter>\n"}},
	}},
	{name: "attributes in a section", prompt: "]~b]ai\n", Dialect: dialect.Dialect{
		Reasoning: think,
		Tools: dialect.Tools{Format: dialect.TagWithTagged, SectionStart: "<minimax:tool_call>\n", SectionEnd: "</minimax:tool_call>",
			Function:  dialect.Function{NamePrefix: `<invoke name="`, NameSuffix: "\">\n", Close: "</invoke>\n"},
			Arguments: dialect.Arguments{NamePrefix: `<parameter name="`, ValuePrefix: `">`, ValueSuffix: "</parameter>\n"}},
	}},
	{name: "names as tags", prompt: "<|im_start|>assistant\n", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithTagged, SectionStart: "<calls>\n", SectionEnd: "</calls>",
			Function:  dialect.Function{NamePrefix: "<", NameSuffix: ">\n", Close: "</{name}>\n"},
			Arguments: dialect.Arguments{NamePrefix: "<", NameSuffix: ">", ValueSuffix: "</{name}>\n"}},
	}},
	{name: "attributes that tell types", prompt: "<|im_start|>assistant\n", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithTagged,
			Function:  dialect.Function{NamePrefix: `<invoke name="`, NameSuffix: "\">\n", Close: "</invoke>\n"},
			Arguments: dialect.Arguments{NamePrefix: `<param name="`, NameSuffix: `" type="string">`, ValueSuffix: "</param>\n", TextType: "string"}},
	}},
	{name: "attributes between tokens", prompt: "<|BOT|>assistant\n", Dialect: dialect.Dialect{
		Reasoning: think, EndOfTurn: "<|EOT|>",
		Tools: dialect.Tools{Format: dialect.TagWithTagged, SectionStart: "<|calls_begin|>", SectionEnd: "<|calls_end|>",
			PerCallStart: "<|call_begin|>function<|sep|>", PerCallEnd: "<|call_end|>",
			Function:  dialect.Function{NamePrefix: `<x:invoke name="`, NameSuffix: `">`, Close: "</x:invoke>"},
			Arguments: dialect.Arguments{NamePrefix: `<x:parameter name="`, ValuePrefix: `">`, ValueSuffix: "</x:parameter>"}},
	}},
	{name: "JSON in tags, content with reasoning", prompt: "<|im_start|>assistant\n", Dialect: dialect.Dialect{
		Reasoning: think, EndOfTurn: "<|im_end|>\n\n",
		Content: dialect.Content{Mode: dialect.ContentWrappedWithReasoning, Start: "<response>\n", End: "\n</response>\n"},
		Tools: dialect.Tools{Format: dialect.JSONNative, PerCallStart: "<tool_call>\n", PerCallEnd: "\n</tool_call>", CallSeparator: "\n",
			JSON: dialect.JSON{NameField: "name", ArgsField: "arguments"}},
	}},
	{name: "code between tokens", prompt: "<|im_start|>assistant\n", Dialect: dialect.Dialect{
		Reasoning: think, EndOfTurn: "<|im_end|>\n",
		Tools: dialect.Tools{Format: dialect.TagWithTagged, SectionStart: "<|calls|>", SectionEnd: "<|/calls|>", CallSeparator: ", ",
			JSON: dialect.JSON{ArrayWrapped: true}, Function: dialect.Function{NameSuffix: "(", Close: ")"},
			Arguments: dialect.Arguments{NameSuffix: "=", Separator: ", ", ValuesAreJSON: true}},
	}},
	{name: "a list of code", prompt: "<|im_start|>assistant\n", Dialect: dialect.Dialect{
		EndOfTurn: "<|im_end|>\n",
		Tools: dialect.Tools{Format: dialect.TagWithTagged, CallSeparator: ", ",
			JSON: dialect.JSON{ArrayWrapped: true}, Function: dialect.Function{NameSuffix: "(", Close: ")"},
			Arguments: dialect.Arguments{NameSuffix: "=", Separator: ", ", ValuesAreJSON: true}},
	}},
	{name: "JSON values in tags", prompt: "<|assistant|>", Dialect: dialect.Dialect{
		Tools: dialect.Tools{Format: dialect.TagWithTagged,
			Function:  dialect.Function{NamePrefix: "<function=", NameSuffix: ">\n", Close: "</function>\n"},
			Arguments: dialect.Arguments{NamePrefix: "<parameter=", NameSuffix: ">", ValueSuffix: "</parameter>\n", ValuesAreJSON: true}},
	}},
}

const weatherSchema = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"metric":{"type":"boolean"},` +
	`"tags":{"type":"array","items":{"type":"string"}},"note":{"type":["string","null"]},"where":{"type":"object"}},"required":["city"]}`

// tools are the tools of the tests' requests.
var tools = []chat.Tool{
	{Name: "get_weather", Parameters: jsonschema.MustParse(weatherSchema)},
	{Name: "get", Parameters: jsonschema.MustParse(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
	{Name: "ping"},
}

// input returns a request with tools, to be answered in the dialect.
func (s sample) input(change ...func(*chat.Request)) assemble.Input {
	r := &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Content: chat.TextContent("Hi")}}, Tools: tools, AddGenerationPrompt: true}
	for _, c := range change {
		c(r)
	}
	return assemble.Input{Dialect: s.Dialect, Request: r, GenerationPrompt: s.prompt, TemplatePrompt: s.prompt}
}

// call returns a call with arguments given as names and JSON values in turn.
func call(name string, args ...string) cases.Call {
	var members []string
	for i := 0; i+1 < len(args); i += 2 {
		members = append(members, fmt.Sprintf("%q:%s", args[i], args[i+1]))
	}
	return cases.Call{Name: name, Arguments: "{" + strings.Join(members, ",") + "}"}
}

// answer writes a message as the template would.
func (s sample) answer(m cases.Message) string {
	var b strings.Builder
	if m.ReasoningContent != "" {
		b.WriteString(s.Reasoning.Start + m.ReasoningContent + s.Reasoning.End)
	}
	if m.Content != "" {
		b.WriteString(s.Content.Start + m.Content + s.Content.End)
	}
	if len(m.ToolCalls) > 0 {
		b.WriteString(s.section(m.ToolCalls))
	}
	return b.String()
}

func (s sample) section(calls []cases.Call) string {
	t := s.Tools
	var written []string
	for i, c := range calls {
		written = append(written, t.PerCallStart+s.call(c, i)+t.PerCallEnd)
	}
	if t.JSON.ArrayWrapped {
		return t.SectionStart + "[" + strings.Join(written, ", ") + "]" + t.SectionEnd
	}
	return t.SectionStart + strings.Join(written, t.CallSeparator) + t.SectionEnd
}

func (s sample) call(c cases.Call, index int) string {
	t := s.Tools
	id := c.ID
	switch t.Format {
	case dialect.JSONNative:
		return s.json(c)
	case dialect.TagWithJSON:
		before, between, after := "", "", ""
		marked := t.CallID.Prefix + id + t.CallID.Suffix
		switch t.CallID.Position {
		case dialect.CallIDBeforeName:
			before = marked
		case dialect.CallIDBetweenNameAndArgs:
			between = marked
		case dialect.CallIDAfterArgs:
			after = marked
		}
		return t.Function.NamePrefix + before + c.Name + t.Function.NameSuffix + between + c.Arguments + t.Function.Close + after
	}
	var b strings.Builder
	b.WriteString(t.Function.NamePrefix + c.Name + t.Function.NameSuffix)
	for i, m := range objectMembers(c.Arguments) {
		g := t.Arguments
		if i > 0 {
			b.WriteString(g.Separator)
		}
		value := string(m.Value)
		var text string
		prefix := g.NameSuffix + g.ValuePrefix
		if !g.ValuesAreJSON && json.Unmarshal(m.Value, &text) == nil && value != "null" {
			value = text
		} else {
			prefix = strings.Replace(prefix, `="true"`, `="false"`, 1)
			if g.TextType != "" {
				prefix = strings.Replace(prefix, g.TextType, "json", 1)
			}
		}
		b.WriteString(g.NamePrefix + m.Name + prefix + value + strings.ReplaceAll(g.ValueSuffix, dialect.NamePlaceholder, m.Name))
	}
	return b.String() + strings.ReplaceAll(t.Function.Close, dialect.NamePlaceholder, c.Name)
}

func (s sample) json(c cases.Call) string {
	j := s.Tools.JSON
	var text string
	if j.ArgsAreString {
		var quoted strings.Builder
		enc := json.NewEncoder(&quoted)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(c.Arguments)
		c.Arguments = strings.TrimSpace(quoted.String())
	}
	switch {
	case j.NameIsKey:
		text = fmt.Sprintf(`{"%s": %s}`, c.Name, c.Arguments)
	case j.FunctionField != "":
		text = fmt.Sprintf(`{"type": "function", "function": {"name": "%s", "arguments": %s}}`, c.Name, c.Arguments)
	default:
		var members []string
		for _, field := range []string{j.GenIDField, j.NameField, j.ArgsField, j.IDField} {
			switch {
			case field == "":
			case field == j.NameField:
				members = append(members, fmt.Sprintf("%q: %q", field, c.Name))
			case field == j.ArgsField:
				members = append(members, fmt.Sprintf("%q: %s", field, c.Arguments))
			default:
				members = append(members, fmt.Sprintf("%q: %q", field, c.ID))
			}
		}
		text = "{" + strings.Join(members, ", ") + "}"
	}
	if j.PythonDicts {
		return strings.NewReplacer(`"`, `'`, "true", "True", "false", "False", "null", "None").Replace(text)
	}
	return text
}

// objectMembers lists the members of a JSON object in order.
func objectMembers(object string) []chat.Field {
	dec := json.NewDecoder(strings.NewReader(object))
	var out []chat.Field
	for _, _ = dec.Token(); dec.More(); {
		name, _ := dec.Token()
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		out = append(out, chat.Field{Name: fmt.Sprint(name), Value: value})
	}
	return out
}

// hasIDs reports whether calls of the dialect carry an id.
func (s sample) hasIDs() bool {
	return s.Tools.CallID.Position != "" || s.Tools.JSON.IDField != "" || s.Tools.JSON.GenIDField != ""
}

// markerless reports whether the dialect has no marker that tells calls from prose.
func (s sample) markerless() bool {
	t := s.Tools
	return t.SectionStart == "" && t.PerCallStart == "" && t.Function.NamePrefix == "" && t.Function.NameSuffix != "<args>" &&
		t.CallID.Position == ""
}
