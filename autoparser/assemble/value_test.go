package assemble_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/dialect"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// named returns the sample of that name.
func named(t testing.TB, name string) sample {
	t.Helper()
	for _, s := range samples {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("no dialect %q", name)
	return sample{}
}

// one sets a request's only tool, f, with the given parameters, or with none if they are empty.
func one(parameters string) func(*chat.Request) {
	return func(r *chat.Request) {
		f := chat.Tool{Name: "f"}
		if parameters != "" {
			f.Parameters = jsonschema.MustParse(parameters)
		}
		r.Tools = []chat.Tool{f}
	}
}

func TestValuesInMarkupHaveTheTypesOfTheSchema(t *testing.T) {
	const defs = `"$defs":{"Id":{"type":"integer"},"Name":{"$ref":"#/$defs/Text"},"Text":{"type":"string"},"Loop":{"$ref":"#/$defs/Loop"}}`
	tests := []struct{ schema, text, want string }{
		{`{"type":"string"}`, `42`, `"42"`},
		{`{"type":"string"}`, `true`, `"true"`},
		{`{"type":"string"}`, `"quoted"`, `"\"quoted\""`},
		{`{"type":"string"}`, ``, `""`},
		{`{"type":"string"}`, "    indented\n\ttext  ", `"    indented\n\ttext  "`},
		{`{"type":"string"}`, `back\slash \n`, `"back\\slash \\n"`},
		{`{"type":"string"}`, "</param> </tool_call> <function=f>\n</parameters>", `"</param> </tool_call> <function=f>\n</parameters>"`},
		{`{"type":"string"}`, "see </parameter>, and\n</parameter>\n too", `"see </parameter>, and\n</parameter>\n too"`},
		{`{"type":"string","enum":["a","b"]}`, `a`, `"a"`},
		{`{"type":"integer"}`, `42`, `42`},
		{`{"type":"integer"}`, `-14`, `-14`},
		{`{"type":"integer"}`, `9007199254740993`, `9007199254740993`},
		{`{"type":"integer"}`, ` 7 `, `7`},
		{`{"type":"integer"}`, `forty-two`, `"forty-two"`},
		{`{"type":"integer"}`, `42 apples`, `"42 apples"`},
		{`{"type":"integer"}`, `007`, `"007"`},
		{`{"type":"number"}`, `2.50e-3`, `2.50e-3`},
		{`{"type":"boolean"}`, `true`, `true`},
		{`{"type":"boolean"}`, `True`, `true`},
		{`{"type":"boolean"}`, `False`, `false`},
		{`{"type":"boolean"}`, `yes`, `"yes"`},
		{`{"type":["string","null"]}`, `null`, `null`},
		{`{"type":["string","null"]}`, `None`, `null`},
		{`{"type":["null","string"]}`, `nullable`, `"nullable"`},
		{`{"type":["string","null"]}`, `None of it`, `"None of it"`},
		{`{"type":["string","null"]}`, `5`, `"5"`},
		{`{"type":["string","null"]}`, `true`, `"true"`},
		{`{"type":["string","boolean"]}`, `5`, `"5"`},
		{`{"type":["string","boolean"]}`, `True`, `true`},
		{`{"type":["boolean","null"]}`, `5`, `5`},
		{`{"type":["integer","null"]}`, `null`, `null`},
		{`{"type":["integer","string"]}`, `5`, `5`},
		{`{"type":["integer","string"]}`, `5th`, `"5th"`},
		{`{"type":["integer","string"]}`, `1.5`, `"1.5"`},
		{`{"type":["integer","string"]}`, `1e3`, `"1e3"`},
		{`{"type":["number","string"]}`, `1.5`, `1.5`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `x`, `"x"`},
		{`{"oneOf":[{"type":"array"},{"type":"string"}]}`, `["a"]`, `["a"]`},
		{`{"oneOf":[{"type":"array"},{"type":"string"}]}`, `[sic]`, `"[sic]"`},
		{`{"allOf":[{"type":["string","integer"]},{"type":"integer"}]}`, `x`, `"x"`},
		{`{"enum":[0,"celsius"]}`, `celsius`, `"celsius"`},
		{`{"enum":[0,"celsius"]}`, `0`, `0`},
		{`{"enum":[1,2]}`, `1`, `1`},
		{`{"const":"x"}`, `1`, `"1"`},
		{`{"pattern":"^[0-9]+$"}`, `12`, `"12"`},
		{`{"$ref":"#/$defs/Id"}`, `12`, `12`},
		{`{"$ref":"#/$defs/Name"}`, `12`, `"12"`},
		{`{"$ref":"#/$defs/Loop"}`, `12`, `12`},
		{`{"$ref":"#/nowhere"}`, `x`, `"x"`},
		{`{"type":"array","items":{"type":"string"}}`, `["a", "b"]`, `["a", "b"]`},
		{`{"type":"array"}`, `['it', "is", True, None]`, `["it", "is", true, null]`},
		{`{"type":"object"}`, "{\n  \"a\": {\"b\": [1, 2]}\n}", "{\n  \"a\": {\"b\": [1, 2]}\n}"},
		{`{"type":"object"}`, `{'a': False}`, `{"a": false}`},
		{`{"type":"object"}`, `{a}`, `"{a}"`},
		{`{}`, `12`, `12`},
		{`{}`, `text`, `"text"`},
		{`true`, `{"a": 1}`, `{"a": 1}`},
	}
	for _, name := range []string{"tags with lines", "tags for name and value"} {
		s := named(t, name)
		g := s.Tools.Arguments
		for _, test := range tests {
			text := test.text
			if name != "tags with lines" {
				text = strings.ReplaceAll(text, "</parameter>", "</arg_value>")
			}
			t.Run(fmt.Sprintf("%s/%s as %s", name, text, test.schema), func(t *testing.T) {
				schema := `{"type":"object","properties":{"v":` + test.schema + `},` + defs + `}`
				f := s.Tools.Function
				output := s.Tools.PerCallStart + f.NamePrefix + "f" + f.NameSuffix +
					g.NamePrefix + "v" + g.NameSuffix + g.ValuePrefix + text + g.ValueSuffix + f.Close + s.Tools.PerCallEnd
				want := strings.ReplaceAll(test.want, "</parameter>", strings.TrimSpace(g.ValueSuffix))
				expect := cases.Message{ToolCalls: []cases.Call{{Name: "f", Arguments: `{"v":` + want + `}`}}}
				newParser(t, s.input(one(schema))).check(t, output, expect)
			})
		}
	}
}

func TestAnAttributeSaysWhetherAValueIsAString(t *testing.T) {
	s := named(t, "attributes that tell strings")
	for _, test := range []struct{ schema, isString, text, want string }{
		{`{}`, "true", "42", `"42"`},
		{`{}`, "false", "42", `42`},
		{`{"type":["string","null"]}`, "false", "null", `null`},
		{`{"type":["string","null"]}`, "true", "null", `"null"`},
		{`{"type":"string"}`, "false", "null", `null`},
		{`{"type":"integer"}`, "true", "42", `42`},
		{`{"type":"array"}`, "false", `["a"]`, `["a"]`},
	} {
		output := `<|x|calls><|x|invoke name="f"><|x|parameter name="v" string="` + test.isString + `">` + test.text + `</|x|parameter></|x|invoke></|x|calls>`
		expect := cases.Message{ToolCalls: []cases.Call{{Name: "f", Arguments: `{"v":` + test.want + `}`}}}
		newParser(t, s.input(one(`{"type":"object","properties":{"v":`+test.schema+`}}`))).check(t, output, expect)
	}
}

func TestTheAttributeForStringsMayBeMissing(t *testing.T) {
	for name, format := range map[string][2]string{
		"attributes that tell strings": {`<|x|calls><|x|invoke name="f"><|x|parameter name="v">`, `</|x|parameter></|x|invoke></|x|calls>`},
		"attributes that tell types":   {`<invoke name="f"><param name="v">`, `</param></invoke>`},
	} {
		for schema, values := range map[string][2]string{
			`{}`: {"42", "42"}, `{"type":"string"}`: {"42", `"42"`}, `{"type":"integer"}`: {"42", "42"}, `{"type":["string","null"]}`: {"null", "null"},
		} {
			expect := cases.Message{ToolCalls: []cases.Call{{Name: "f", Arguments: `{"v":` + values[1] + `}`}}}
			p := newParser(t, named(t, name).input(one(`{"type":"object","properties":{"v":`+schema+`}}`)))
			p.check(t, format[0]+values[0]+format[1], expect)
		}
	}
}

func TestArgumentsInMarkupComeInAnyOrderAndNumber(t *testing.T) {
	s := named(t, "tags with lines")
	var properties, required []string
	for i := range 12 {
		properties = append(properties, fmt.Sprintf(`"a%d":{"type":"integer"}`, i))
		required = append(required, fmt.Sprintf(`"a%d"`, i))
	}
	p := newParser(t, s.input(one(`{"type":"object","properties":{`+strings.Join(properties, ",")+`},"required":[`+strings.Join(required, ",")+`]}`)))
	for _, args := range [][]string{
		{},
		{"a11", "1"},
		{"a3", "1", "a1", "2", "a10", "3"},
		{"a11", "1", "a10", "1", "a9", "1", "a8", "1", "a7", "1", "a6", "1", "a5", "1", "a4", "1", "a3", "1", "a2", "1", "a1", "1", "a0", "1"},
		{"undeclared", "1", "a1", "2"},
	} {
		m := cases.Message{ToolCalls: []cases.Call{call("f", args...)}}
		p.check(t, s.answer(m), m)
	}
}

func TestVeryManyArgumentsAreStillRead(t *testing.T) {
	s := named(t, "tags with lines")
	in := s.input(func(r *chat.Request) {
		r.Tools = nil
		for i := range 400 {
			var properties []string
			for j := range 20 {
				properties = append(properties, fmt.Sprintf(`"a%d_%d":{"type":"integer"}`, i, j))
			}
			parameters := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
			r.Tools = append(r.Tools, chat.Tool{Name: fmt.Sprintf("f%d", i), Parameters: jsonschema.MustParse(parameters)})
		}
	})
	if notes := assemble.Assemble(in).Notes; len(notes) != 1 {
		t.Errorf("expected a note, found %q", notes)
	}
	m := cases.Message{ToolCalls: []cases.Call{call("f0", "a0_1", "1"), call("f399", "a399_19", "1")}}
	newParser(t, in).check(t, s.answer(m), m)
}

func TestToolsWithoutParametersAreCalled(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		for _, parameters := range []string{``, `{}`, `{"type":"object"}`, `{"type":"object","properties":{}}`, `true`} {
			m := s.withIDs(cases.Message{ToolCalls: []cases.Call{call("f")}})
			newParser(t, s.input(one(parameters))).check(t, s.answer(m), m)
		}
	})
}

func TestMarkersInsideOfStringsAreText(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		m := s.Tools
		text := strings.Join([]string{m.SectionStart, m.SectionEnd, m.PerCallStart, m.PerCallEnd, m.Function.NamePrefix + "get" + m.Function.NameSuffix,
			m.Function.Close, s.Reasoning.Start, s.Reasoning.End, s.Content.End, s.EndOfTurn, "'quoted' \"twice\""}, "\n")

		var plain strings.Builder // markers as the model spells them, not as \u003c
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(text)
		message := s.withIDs(cases.Message{ToolCalls: []cases.Call{call("get", "text", strings.TrimSpace(plain.String()))}})
		if s.Tools.JSON.PythonDicts {
			t.Skip("the tests do not quote strings as Python does")
		}
		newParser(t, s.input()).check(t, s.answer(message), message)
	})
}

func TestAlmostValidJSONIsRepaired(t *testing.T) {
	s := named(t, "JSON in tags")
	for written, want := range map[string]string{
		`{"a": True, "b": None}`:   `{"a": true, "b": null}`,
		`{'a': 'it is'}`:           `{"a": "it is"}`,
		"{\"a\": \"two\nlines\"}":  `{"a": "two\nlines"}`,
		`{"n": 12345678901234567}`: `{"n": 12345678901234567}`,
		`{"u": "\u00e9 é"}`:        `{"u": "\u00e9 é"}`,
	} {
		output := "<tool_call>\n{\"name\": \"get\", \"arguments\": " + written + "}\n</tool_call>"
		newParser(t, s.input()).check(t, output, cases.Message{ToolCalls: []cases.Call{{Name: "get", Arguments: want}}})
	}
}

func TestMembersOfACallMayComeOtherwise(t *testing.T) {
	s := named(t, "JSON in tags")
	call := cases.Call{Name: "get", Arguments: `{"text": "x"}`}
	withID := call
	withID.ID = "c1"
	empty := cases.Call{Name: "get", Arguments: `{}`}
	for written, want := range map[string]cases.Call{
		`{"name": "get", "arguments": {"text": "x"}}`:                              call,
		`{"name":"get","arguments":{"text": "x"}}`:                                 call,
		"{\n  \"name\" : \"get\",\n  \"arguments\" :\n  {\"text\": \"x\"}\n}":      call,
		`{"type": "function", "name": "get", "arguments": {"text": "x"}}`:          call,
		`{"id": "c1", "name": "get", "arguments": {"text": "x"}}`:                  withID,
		`{"name": "get", "id": "c1", "arguments": {"text": "x"}}`:                  withID,
		`{"name": "get", "arguments": {"text": "x"}, "id": "c1"}`:                  withID,
		`{"name": "get", "why": ["a", {}], "arguments": {"text": "x"}, "when": 1}`: call,
		`{"name": "get"}`: empty,
		`{"name": "get", "arguments": "{\"text\": \"x\"}"}`: call,
		`{"name": "get", "arguments": null}`:                empty,
		`{"name": "get", "arguments": {}}`:                  empty,
	} {
		newParser(t, s.input()).check(t, "<tool_call>"+written+"</tool_call>", cases.Message{ToolCalls: []cases.Call{want}})
	}
}

func TestArgumentsMayBeginWithoutAMarker(t *testing.T) {
	s := sample{prompt: "ai\n", Dialect: dialect.Dialect{Tools: dialect.Tools{Format: dialect.TagWithTagged, PerCallStart: "<|call>", PerCallEnd: "<call|>",
		Function:  dialect.Function{NamePrefix: "call:", NameSuffix: "{", Close: "}"},
		Arguments: dialect.Arguments{NameSuffix: ":", ValuePrefix: `<|"|>`, ValueSuffix: `<|"|>`, Separator: ","}}}}
	newParser(t, s.input()).check(t, `<|call>call:get_weather{city:<|"|>Oslo<|"|>}<call|>`, calls(oslo))
}
