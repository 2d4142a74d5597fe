package grammar_test

import (
	"encoding/json"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Programs for several tests: one for each form of tool calls.

type tool struct{ name, parameters string }

var tools = []tool{
	{"get_weather", `{"type": "object", "properties": {
		"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 14}, "unit": {"enum": ["celsius", "fahrenheit"]}},
		"required": ["city"]}`},
	{"toggle", `{"type": "object", "properties": {"on": {"type": "boolean"}, "note": {"type": ["string", "null"]}}, "required": ["on"]}`},
	{"setup", `{"type": "object", "properties": {"options": {"type": "object"}, "title": {"type": "string", "maxLength": 5}}}`},
	{"plot", `{"type": "object", "properties": {"points": {"type": "array", "items": {"type": "number"}, "minItems": 2}}, "required": ["points"]}`},
}

// turn returns a whole turn: reasoning, then content and calls.
func turn(b *peg.Builder, call peg.ID, opener string, required bool) *peg.Program {
	thinking := b.Optional(b.Lit("<think>"), b.Tag(peg.Reasoning, b.Until("</think>")), b.Lit("</think>"))
	content := b.Tag(peg.Content, b.Until(opener, "<|end|>"))
	calls := b.Star(b.Trigger("tool-call", call), content)
	if required {
		calls = b.Seq(b.Trigger("tool-call", call), content)
	}
	return b.Build(b.Seq(b.Prompt("<think>"), b.Space(), thinking, b.Space(), content, calls,
		b.Optional(b.Lit("<|end|>"), b.Space()), b.End()))
}

// jsonCalls reads calls in JSON between markers.
func jsonCalls(required bool) *peg.Program {
	var b peg.Builder
	var named []peg.ID
	for _, t := range tools {
		named = append(named, b.Rule("tool-"+t.name, b.Seq(
			b.Atomic(b.Tag(peg.CallName, b.Lit(t.name)), b.Lit(`", "arguments": `)),
			b.Tag(peg.Arguments, b.Schema(jsonschema.MustParse(t.parameters), b.Value(peg.ObjectValue))))))
	}
	call := b.Tag(peg.Call, b.Lit("<tool_call>"), b.Space(), b.Lit(`{"name": "`), b.Choice(named...),
		b.Space(), b.Lit("}"), b.Space(), b.Lit("</tool_call>"))
	return turn(&b, call, "<tool_call>", required)
}

// taggedCalls reads each argument between tags of its own, in any order: strings without quotes,
// other values in JSON.
func taggedCalls(required bool) *peg.Program {
	var b peg.Builder
	var named []peg.ID
	for _, t := range tools {
		var schema struct {
			Properties map[string]json.RawMessage
		}
		if err := json.Unmarshal([]byte(t.parameters), &schema); err != nil {
			panic(err)
		}
		var arguments []peg.ID
		for _, name := range []string{"city", "days", "unit", "on", "note", "options", "title", "points"} {
			if s := schema.Properties[name]; s != nil {
				arguments = append(arguments, taggedArgument(&b, name, jsonschema.MustParse(string(s))))
			}
		}
		named = append(named, b.Rule("tool-"+t.name, b.Seq(
			b.Atomic(b.Tag(peg.CallName, b.Lit(t.name)), b.Lit(">")), b.Space(),
			b.Tag(peg.Object, b.Star(b.Lit("<parameter="), b.Choice(arguments...), b.Lit("</parameter>"), b.Space())))))
	}
	call := b.Tag(peg.Call, b.Lit("<tool_call>"), b.Space(), b.Lit("<function="), b.Choice(named...),
		b.Lit("</function>"), b.Space(), b.Lit("</tool_call>"))
	return turn(&b, call, "<tool_call>", required)
}

func taggedArgument(b *peg.Builder, name string, schema jsonschema.Schema) peg.ID {
	key := b.Atomic(b.Tag(peg.Key, b.Lit(name)), b.Lit(">"))
	switch name {
	case "city", "unit", "note", "title":
		return b.Seq(key, b.Tag(peg.String, b.RawSchema(schema, b.Until("</parameter>"))))
	}
	return b.Seq(key, b.Tag(peg.Scalar, b.Schema(schema, b.Value(peg.AnyJSON|peg.PythonLiterals))))
}

// fencedCalls reads calls in a code fence, whose marker overlaps itself, after a marker that is not
// ASCII.
func fencedCalls(required bool) *peg.Program {
	var b peg.Builder
	call := b.Tag(peg.Call, b.Lit("｜call▁begin｜"), b.Atomic(b.Tag(peg.CallName, b.Until("```")), b.Lit("```")),
		b.Tag(peg.Arguments, b.Value(peg.ObjectValue)), b.Lit("```"))
	return turn(&b, call, "｜call▁begin｜", required)
}

// bracketedCalls reads calls between markers that overlap themselves.
func bracketedCalls(required bool) *peg.Program {
	var b peg.Builder
	word := b.Chars(1, 20, peg.Range{Lo: 'a', Hi: 'z'})
	call := b.Tag(peg.Call, b.Lit("[["), b.Atomic(b.Tag(peg.CallName, word), b.Lit(" ")), b.Tag(peg.Arguments, b.Value(peg.ObjectValue)), b.Lit("]]"))
	return turn(&b, call, "[[", required)
}

// pythonCalls reads calls in Python's syntax.
func pythonCalls(required bool) *peg.Program {
	var b peg.Builder
	word := b.Chars(1, 20, peg.Range{Lo: 'a', Hi: 'z'}, peg.Range{Lo: '_', Hi: '_'})
	argument := b.Seq(b.Atomic(b.Tag(peg.Key, word), b.Lit("=")), b.Tag(peg.Scalar, b.Value(peg.AnyPython)))
	call := b.Tag(peg.Call, b.Lit("<calls>["), b.Atomic(b.Tag(peg.CallName, word), b.Lit("(")),
		b.Tag(peg.Object, b.Optional(argument, b.Star(b.Lit(","), b.Space(), argument))), b.Lit(")]</calls>"))
	return turn(&b, call, "<calls>", required)
}

var programs = []struct {
	name string
	make func(required bool) *peg.Program
	// good are outputs with a call.
	good []string
	// bad are outputs with one fault, and its offset.
	bad map[string]int
}{
	{"brackets", bracketedCalls,
		[]string{`[[ping {}]]`, "So [x]: [[ping {\"a\": [1]}]] [1]", "[[ping {}]]["},
		map[string]int{`[[ping {}]`: 10, `[[[ping {}]]`: 2},
	},
	{"json", jsonCalls,
		[]string{
			`<tool_call>{"name": "toggle", "arguments": {"on": true}}</tool_call>`,
			"Let me see.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Zürich \\\"x\\\"\", \"days\": 14}}\n</tool_call>",
			`<tool_call> {"name": "plot", "arguments": {"points": [1.5, -2]}}</tool_call><|end|>`,
		},
		map[string]int{
			`<tool_call>{"name": "toggle", "arguments": {"on": "yes"}}</tool_call>`:            50,
			`<tool_call>{"name": "toggles", "arguments": {"on": true}}</tool_call>`:            27,
			`<tool_call>{"name": "get_weather", "arguments": {"days": 3}}</tool_call>`:         50,
			`<tool_call>{"name": "plot", "arguments": {"points": [1.5]}}</tool_call>`:          56,
			`<tool_call>{"name": "toggle", "arguments": {"on": true}}<tool_call>`:              57,
			`<tool_call>{"name": "get_weather", "arguments": {"city": "", "days": 15}}<t`:      70,
			`<tool_call>{"name": "toggle", "arguments": {"on": true, "extra": 1}}</tool_call>`: 57,
		}},
	{"tagged", taggedCalls,
		[]string{
			"<tool_call>\n<function=get_weather><parameter=unit>celsius</parameter>\n<parameter=city>St. <b>Gallen</b></parameter></function></tool_call>",
			"<tool_call><function=toggle><parameter=on>True</parameter><parameter=note>null</parameter></function>\n</tool_call>",
		},
		map[string]int{
			"<tool_call><function=get_weather><parameter=unit>kelvin</parameter>": 49,
			"<tool_call><function=toggle><parameter=on>yes</parameter>":           42,
			"<tool_call><function=get_weather><parameter=days>15</parameter>":     50,
		}},
	{"fenced", fencedCalls,
		[]string{"｜call▁begin｜f```{\"a\": [1, {\"b\": null}]}```", "` and ``\n｜call▁begin｜x`y```{}```"},
		map[string]int{"｜call▁begin｜f````{}```": 22}},
	{"python", pythonCalls,
		[]string{`<calls>[f(a='it\'s', b=[True, None], c={"x": 1})]</calls>`, "<calls>[g()]</calls> done"},
		map[string]int{"<calls>[f(a=)]</calls>": 12, "<calls>[f(a='x]": 15}},
}

const prompt = "<|im_start|>assistant\n"
