package chat_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// TestMessagesReadAsClientsSpellThem tests messages as clients send them and as this package writes
// them.
func TestMessagesReadAsClientsSpellThem(t *testing.T) {
	for _, test := range []struct{ name, in, out string }{
		{"text", `{"content":"Hi","role":"user"}`, `{"role":"user","content":"Hi"}`},
		{"null content", `{"role":"assistant","content":null}`, `{"role":"assistant","content":null}`},
		{"parts stay as they are", `{"role":"user","content":[{"type":"text","text":"a","cache":1},{"type":"image_url","image_url":{}}]}`,
			`{"role":"user","content":[{"type":"text","text":"a","cache":1},{"type":"image_url","image_url":{}}]}`},
		{"no parts", `{"role":"user","content":[]}`, `{"role":"user","content":[]}`},
		{"reasoning", `{"role":"assistant","reasoning":"r","content":"c"}`, `{"role":"assistant","content":"c","reasoning_content":"r"}`},
		{"reasoning_content wins", `{"role":"assistant","reasoning":"x","reasoning_content":"r","content":"c"}`,
			`{"role":"assistant","content":"c","reasoning_content":"r"}`},
		{"arguments as an object", `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":{ "b" : 1.0, "a": "\u00e9é" }}}]}`,
			`{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"b\":1.0,\"a\":\"\\u00e9é\"}"},"id":"1"}]}`},
		{"arguments that are not JSON", `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{not json}"}}]}`,
			`{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{not json}"}}]}`},
		{"a call put together from deltas", `{"role":"assistant","content":"","tool_calls":[{"index":0,"id":"1","type":"","function":{"name":"f","arguments":""}}]}`,
			`{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"f","arguments":""},"id":"1","index":0}]}`},
		{"a refusal", `{"role":"assistant","refusal":"No."}`, `{"role":"assistant","content":null,"refusal":"No."}`},
		{"a bare call", `{"role":"assistant","tool_calls":[{"name":"f","arguments":"{}","index":0}]}`,
			`{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"},"index":0}]}`},
		{"a tool's answer", `{"tool_call_id":"1","name":"f","content":"4","role":"tool"}`,
			`{"role":"tool","content":"4","name":"f","tool_call_id":"1"}`},
		{"unknown members in order", `{"z":1,"role":"user","a":{"b":[]},"content":"c","n":null}`,
			`{"role":"user","content":"c","z":1,"a":{"b":[]},"n":null}`},
		{"any role", `{"role":"critic","content":"c"}`, `{"role":"critic","content":"c"}`},
		{"nulls are absent", `{"role":"user","content":"c","tool_calls":null,"name":null,"reasoning_content":null}`, `{"role":"user","content":"c"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var m chat.Message
			if err := json.Unmarshal([]byte(test.in), &m); err != nil {
				t.Fatal(err)
			}
			expectJSON(t, m, test.out)
			var again chat.Message
			if err := json.Unmarshal([]byte(test.out), &again); err != nil {
				t.Fatal(err)
			}
			expectJSON(t, again, test.out)
		})
	}
}

// TestRequestsReadAsClientsSpellThem tests the other members of requests.
func TestRequestsReadAsClientsSpellThem(t *testing.T) {
	const tool = `{"type":"function","function":{"name":"f"}}`
	for _, test := range []struct{ name, in, out string }{
		{"nothing", ``, `"add_generation_prompt":true`},
		{"nulls are absent", `"tools":null,"tool_choice":null,"enable_thinking":null,"response_format":null`, `"add_generation_prompt":true`},
		{"replaced members that say nothing", `"functions":[],"function_call":"auto"`, `"add_generation_prompt":true`},
		{"a tool keeps its members", `"tools":[{"function":{"strict":true,"name":"f","x":1},"type":"function"}]`,
			`"tools":[{"function":{"strict":true,"name":"f","x":1},"type":"function"}],"parallel_tool_calls":true,"add_generation_prompt":true`},
		{"a bare tool is wrapped", `"tools":[{"type":"function","name":"f","parameters":{}}]`,
			`"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"parallel_tool_calls":true,"add_generation_prompt":true`},
		{"a tool by name", `"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"f"}}`,
			`"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":true,"add_generation_prompt":true`},
		{"a tool by bare name", `"tools":[` + tool + `],"tool_choice":{"type":"function","name":"f"}`,
			`"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":true,"add_generation_prompt":true`},
		{"one call at a time", `"parallel_tool_calls":false`, `"parallel_tool_calls":false,"add_generation_prompt":true`},
		{"required", `"tools":[` + tool + `],"tool_choice":"required","parallel_tool_calls":true`,
			`"tools":[` + tool + `],"tool_choice":"required","parallel_tool_calls":true,"add_generation_prompt":true`},
		{"a schema in response_format", `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}`,
			`"json_schema":{"type":"object"},"add_generation_prompt":true`},
		{"any object", `"response_format":{"type":"json_object"}`, `"json_schema":{"type":"object"},"add_generation_prompt":true`},
		{"an object of a schema", `"response_format":{"type":"json_object","schema":{"required":[]}}`, `"json_schema":{"required":[]},"add_generation_prompt":true`},
		{"free text", `"response_format":{"type":"text"}`, `"add_generation_prompt":true`},
		{"thinking", `"enable_thinking":false`, `"enable_thinking":false,"add_generation_prompt":true`},
		{"thinking as a variable", `"chat_template_kwargs":{"a":1,"enable_thinking":false,"b":null}`,
			`"enable_thinking":false,"add_generation_prompt":true,"chat_template_kwargs":{"a":1,"b":null}`},
		{"thinking said twice", `"enable_thinking":true,"chat_template_kwargs":{"enable_thinking":true}`, `"enable_thinking":true,"add_generation_prompt":true`},
		{"effort", `"reasoning_effort":"low"`, `"reasoning_effort":"low","add_generation_prompt":true`},
		{"effort said twice", `"reasoning_effort":"low","chat_template_kwargs":{"reasoning_effort":"low"}`,
			`"reasoning_effort":"low","add_generation_prompt":true,"chat_template_kwargs":{"reasoning_effort":"low"}`},
		{"no effort", `"reasoning_effort":"none"`, `"enable_thinking":false,"add_generation_prompt":true`},
		{"effort is up to the model", `"reasoning_effort":null,"reasoning":{"effort":null,"summary":"auto"}`, `"add_generation_prompt":true`},
		{"effort in an object", `"reasoning":{"effort":"high","max_tokens":512}`,
			`"reasoning_effort":"high","thinking_budget":512,"add_generation_prompt":true`},
		{"thinking as a type", `"thinking":{"type":"disabled"}`, `"enable_thinking":false,"add_generation_prompt":true`},
		{"thinking with a budget", `"thinking":{"type":"enabled","budget_tokens":2048,"keep":"all"}`,
			`"enable_thinking":true,"thinking":{"type":"enabled"},"thinking_budget":2048,"add_generation_prompt":true`},
		{"thinking when the model likes", `"thinking":{"type":"adaptive"},"enable_thinking":true`,
			`"enable_thinking":true,"thinking":{"type":"adaptive"},"add_generation_prompt":true`},
		{"a budget in the words of vLLM", `"thinking_token_budget":7`, `"thinking_budget":7,"add_generation_prompt":true`},
		{"a budget in the words of llama.cpp", `"thinking_budget_tokens":7,"reasoning_budget_tokens":7`, `"thinking_budget":7,"add_generation_prompt":true`},
		{"a budget of nothing", `"thinking_budget":0`, `"enable_thinking":false,"add_generation_prompt":true`},
		{"a budget without limit", `"thinking_budget":-1`, `"add_generation_prompt":true`},
		{"no thinking said in all ways", `"thinking":false,"reasoning":{"effort":"none","max_tokens":0,"enabled":false},"enable_thinking":false`,
			`"enable_thinking":false,"add_generation_prompt":true`},
		{"a variable turns off what has an effort", `"reasoning_effort":"high","thinking_budget":9,"chat_template_kwargs":{"enable_thinking":false}`,
			`"enable_thinking":false,"add_generation_prompt":true`},
		{"reasoning format", `"reasoning_format":"deepseek-legacy"`, `"reasoning_format":"deepseek-legacy","add_generation_prompt":true`},
		{"no generation prompt", `"chat_template_kwargs":{"add_generation_prompt":false}`, `"add_generation_prompt":false`},
		{"policies", `"parsing":{"unknown_tool":"error","call_in_reasoning":"keep","truncated_call":"drop","malformed":"error"}`,
			`"add_generation_prompt":true,"parsing":{"unknown_tool":"error","call_in_reasoning":"keep","truncated_call":"drop","malformed":"error"}`},
		{"a policy leaves the others", `"parsing":{"unknown_tool":"content"}`,
			`"add_generation_prompt":true,"parsing":{"unknown_tool":"content","call_in_reasoning":"promote","truncated_call":"partial","malformed":"deliver"}`},
		{"policies by default", `"parsing":{"truncated_call":null,"malformed":"deliver"}`, `"add_generation_prompt":true`},
		{"pure content", `"pure_content":true`, `"add_generation_prompt":true,"pure_content":true`},
		{"unknown members in order", `"model":"m","stream":true,"a":null`, `"add_generation_prompt":true,"model":"m","stream":true,"a":null`},
	} {
		t.Run(test.name, func(t *testing.T) {
			const messages = `"messages":[{"role":"user","content":"Hi"}]`
			r, err := chat.ParseRequest([]byte("{" + strings.TrimSuffix(messages+","+test.in, ",") + "}"))
			if err != nil {
				t.Fatal(err)
			}
			want := "{" + messages + "," + test.out + "}"
			expectJSON(t, r, want)
			again, err := chat.ParseRequest([]byte(want))
			if err != nil {
				t.Fatal(err)
			}
			expectJSON(t, again, want)
		})
	}
}

func TestContinuationsOfTheFinalMessage(t *testing.T) {
	for in, want := range map[string]chat.Continuation{
		`true`: chat.ContinueAuto, `"auto"`: chat.ContinueAuto, `false`: chat.ContinueNone, `"none"`: chat.ContinueNone,
		`"content"`: chat.ContinueContent, `"reasoning_content"`: chat.ContinueReasoning,
	} {
		r, err := chat.ParseRequest([]byte(`{"messages":[{"role":"assistant","content":"a"}],"continue_final_message":` + in + `}`))
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		if r.ContinueFinalMessage != want {
			t.Errorf("%s: continues %v, want %v", in, r.ContinueFinalMessage, want)
		}
		if r.AddGenerationPrompt != (want == chat.ContinueNone) {
			t.Errorf("%s: add_generation_prompt is %v", in, r.AddGenerationPrompt)
		}
	}
}

func TestErrorsNamePlaceAndRemedy(t *testing.T) {
	const hi = `"messages":[{"role":"user","content":"Hi"}]`
	tool := func(parameters string) string {
		return `{` + hi + `,"tools":[{"type":"function","function":{"name":"f","parameters":` + parameters + `}}]}`
	}
	call := func(call string) string {
		return `{"messages":[{"role":"assistant","tool_calls":[` + call + `]}]}`
	}
	for _, test := range []struct{ in, want string }{
		{``, `expected a JSON value, found nothing`},
		{`{"messages":`, `messages: not JSON: byte 12: unexpected EOF`},
		{`{} x`, `not JSON: byte 2: more text after the end of the value`},
		{`[]`, `expected an object, found an array`},
		{`{` + hi + `,"parsing":"strict"}`, `parsing: expected an object, found "strict"`},
		{`{` + hi + `,"parsing":{"unknown_tool":"drop"}}`, `parsing.unknown_tool: expected one of "forward", "content", "error", found "drop"`},
		{`{` + hi + `,"parsing":{"unknown_tools":"error"}}`,
			`parsing.unknown_tools: unknown policy; expected "unknown_tool", "call_in_reasoning", "truncated_call", "malformed" or "unclosed_reasoning"`},
		{`{}`, `messages: expected a non-empty array, found nothing`},
		{`{"messages":[]}`, `messages: expected a non-empty array; send at least one message`},
		{`{"messages":{}}`, `messages: expected an array, found an object`},
		{`{"messages":["Hi"]}`, `messages[0]: expected an object, found "Hi"`},
		{`{"messages":[{"content":"Hi"}]}`, `messages[0].role: expected a role such as "user", found nothing`},
		{`{"messages":[{"role":"assistant"}]}`, `messages[0].content: expected content or tool_calls, found nothing`},
		{`{"messages":[{"role":"user","content":4}]}`, `messages[0].content: expected a string, null or an array of parts, found a number`},
		{`{"messages":[{"role":"user","content":[{"text":"a"}]}]}`, `messages[0].content[0].type: expected a type such as "text", found nothing`},
		{`{"messages":[{"role":"user","content":[{"type":"text","text":1}]}]}`, `messages[0].content[0].text: expected a string, found a number`},
		{`{"messages":[{"role":"user","content":[{"type":"text"}]}]}`, `messages[0].content[0].text: expected a string, found nothing`},
		{"{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}", `messages[0].content: not JSON: byte 39: invalid UTF-8`},
		{`{"messages":[{"role":"user","role":"tool"}]}`, `messages[0].role: the object has two members of this name; send it once`},
		{call(`{"function":{"name":7}}`), `messages[0].tool_calls[0].function.name: expected a string, found a number`},
		{call(`{"function":{}}`), `messages[0].tool_calls[0].function.name: expected the name of the function that was called, found nothing`},
		{call(`{"name":"f","arguments":[]}`), `messages[0].tool_calls[0].arguments: expected a JSON text or an object, found an array`},
		{call(`{"type":"custom","name":"f"}`), `messages[0].tool_calls[0].type: expected "function", found "custom"; only functions are supported`},
		{`{` + hi + `,"tools":[{"type":"web_search"}]}`, `tools[0].type: expected "function", found "web_search"; only functions are supported`},
		{`{` + hi + `,"tools":[{"function":{}}]}`, `tools[0].function.name: expected the name of the function, found nothing`},
		{tool(`[]`), `tools[0].function.parameters: expected a JSON Schema, which is an object, found an array`},
		{tool(`{"type":"array"}`), `tools[0].function.parameters.type: expected "object", found "array"; the arguments of a function are always an object`},
		{tool(`{"type":7}`), `tools[0].function.parameters.type: expected a type such as "string", or a list of types, found a number`},
		{tool(`{"properties":[]}`), `tools[0].function.parameters.properties: expected an object, found an array`},
		{tool(`{"properties":{"a.b":{"type":[1]}}}`), `tools[0].function.parameters.properties["a.b"].type[0]: expected a string, found a number`},
		{tool(`{"properties":{"a":"string"}}`), `tools[0].function.parameters.properties.a: expected a JSON Schema: an object, true or false, found "string"`},
		{tool(`{"properties":{"a":{"required":true}}}`),
			`tools[0].function.parameters.properties.a.required: expected a list of strings, found a boolean; the required properties are named in the object that has them`},
		{tool(`{"anyOf":[{},{"items":[{"enum":{}}]}]}`), `tools[0].function.parameters.anyOf[1].items[0].enum: expected an array, found an object`},
		{tool(`{"items":{"minItems":"1"}}`), `tools[0].function.parameters.items.minItems: expected a number, found "1"`},
		{`{` + hi + `,"tool_choice":"any"}`,
			`tool_choice: expected one of "auto", "none", "required" or {"type":"function","function":{"name":…}}, found "any"`},
		{`{` + hi + `,"functions":[{"name":"f"}]}`, `functions: replaced by tools; send that instead`},
		{`{` + hi + `,"function_call":{"name":"f"}}`, `function_call: replaced by tool_choice; send that instead`},
		{`{` + hi + `,"tool_choice":"required"}`, `tool_choice: "required" needs at least one tool; send tools, or "auto"`},
		{`{` + hi + `,"tool_choice":{"type":"function"}}`, `tool_choice.function.name: expected the name of a tool, found nothing`},
		{`{` + hi + `,"tool_choice":{"function":{"name":"g"}}}`, `tool_choice.function.name: no tool of the request is named "g"`},
		{`{` + hi + `,"reasoning_format":"qwen"}`, `reasoning_format: expected one of "auto", "none", "deepseek", "deepseek-legacy", found "qwen"`},
		{`{` + hi + `,"response_format":{"type":"xml"}}`, `response_format.type: expected one of "text", "json_object", "json_schema", "grammar", "regex", "choice", found "xml"`},
		{`{` + hi + `,"json_schema":{},"response_format":{"type":"json_object"}}`, `json_schema: response_format prescribes the format of the answer, too; send one of them`},
		{`{` + hi + `,"grammar":"root ::= \"a\"","response_format":{"type":"regex","pattern":"a"}}`, `grammar: response_format prescribes the format of the answer, too; send one of them`},
		{`{` + hi + `,"response_format":{"type":"grammar"}}`, `response_format.grammar: expected a grammar in GBNF, found nothing`},
		{`{` + hi + `,"guided_choice":[]}`, `guided_choice: expected the texts to choose from, found none`},
		{`{` + hi + `,"structured_outputs":{"regex":1}}`, `structured_outputs.regex: expected a string, found a number`},
		{`{` + hi + `,"response_format":{"type":"json_schema"}}`, `response_format.json_schema.schema: expected a JSON Schema, found nothing`},
		{`{` + hi + `,"enable_thinking":"no"}`, `enable_thinking: expected true or false, found "no"`},
		{`{` + hi + `,"enable_thinking":true,"chat_template_kwargs":{"enable_thinking":false}}`,
			`chat_template_kwargs.enable_thinking: found false, but enable_thinking is true; send one of them`},
		{`{` + hi + `,"chat_template_kwargs":{"enable_thinking":"true"}}`, `chat_template_kwargs.enable_thinking: expected true or false, found "true"`},
		{`{` + hi + `,"reasoning_effort":"low","chat_template_kwargs":{"reasoning_effort":"high"}}`,
			`chat_template_kwargs.reasoning_effort: found "high", but reasoning_effort is "low"; send one of them`},
		{`{` + hi + `,"thinking":{"type":"disabled"},"reasoning_effort":"high"}`,
			`reasoning_effort: found "high", but thinking.type is "disabled"; send one of them`},
		{`{` + hi + `,"enable_thinking":false,"thinking":{"budget_tokens":100}}`,
			`thinking.budget_tokens: found 100, but enable_thinking is false; send one of them`},
		{`{` + hi + `,"reasoning_effort":"none","thinking":{"type":"adaptive"}}`,
			`thinking.type: found "adaptive", but reasoning_effort is "none"; send one of them`},
		{`{` + hi + `,"reasoning_effort":"low","reasoning":{"effort":"high"}}`,
			`reasoning.effort: found "high", but reasoning_effort is "low"; send one of them`},
		{`{` + hi + `,"thinking":{"type":"on"}}`, `thinking.type: expected one of "enabled", "adaptive", "disabled", found "on"`},
		{`{` + hi + `,"thinking":"on"}`, `thinking: expected an object, found "on"`},
		{`{` + hi + `,"thinking_budget":1.5}`, `thinking_budget: expected a number of tokens, or -1, found a number`},
		{`{` + hi + `,"chat_template_kwargs":{"messages":[]}}`,
			`chat_template_kwargs.messages: not a variable of its own; send it as the request's messages`},
		{`{` + hi + `,"continue_final_message":true}`,
			`messages[0].role: continue_final_message needs a last message of the assistant, found one of role "user"`},
		{`{"messages":[{"role":"assistant","content":"a"}],"continue_final_message":"content","add_generation_prompt":true}`,
			`add_generation_prompt: true starts a new message, but continue_final_message continues the last one; send one of them`},
		{`{` + hi + `,"continue_final_message":1}`,
			`continue_final_message: expected true, false or one of "none", "auto", "content", "reasoning_content", found a number`},
	} {
		_, err := chat.ParseRequest([]byte(test.in))
		var invalid *fault.Error
		if !errors.As(err, &invalid) {
			t.Errorf("%s\ngives %v, want a *fault.Error: %s", test.in, err, test.want)
		} else if err.Error() != test.want {
			t.Errorf("%s\ngives %s\nwant  %s", test.in, err, test.want)
		}
	}
}

func TestDeepSchemasAreErrors(t *testing.T) {
	const depth = 5000
	schema := strings.Repeat(`{"items":`, depth) + `{}` + strings.Repeat(`}`, depth)
	_, err := chat.ParseRequest([]byte(`{"messages":[{"role":"user","content":"Hi"}],"json_schema":` + schema + `}`))
	if err == nil || !strings.HasSuffix(err.Error(), "the schema nests too deep; flatten it, or use $defs and $ref") {
		t.Errorf("got %.200v", err)
	}
}

func TestUnmarshalDoesNotChangeItsTargetOnErrors(t *testing.T) {
	m := chat.Message{Role: "user", Name: "x"}
	if err := m.UnmarshalJSON([]byte(`{"role":"tool","content":4}`)); err == nil {
		t.Fatal("no error")
	}
	if m.Role != "user" || m.Name != "x" {
		t.Errorf("changed to %+v", m)
	}
}

func TestARequestSharesNoMemoryWithItsText(t *testing.T) {
	text := []byte(`{"messages":[{"role":"user","content":"Hi","x":[1]}],"tools":[{"name":"f","type":"function"}],"seed":12}`)
	r, err := chat.ParseRequest(text)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := json.Marshal(r)
	clear(text)
	expectJSON(t, r, string(before))
}

// FuzzParseRequest checks that every accepted request is written as JSON that decodes to the same
// request.
func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"f","parameters":{"type":["object"]}}],"x":[1e9]}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":{"a":1}}}]}],"continue_final_message":true}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"\ud83d\ude00"}]}],"chat_template_kwargs":{"enable_thinking":false}}`))
	f.Add([]byte(`{"messages":[{"role":"tool","content":null}],"response_format":{"type":"json_schema","json_schema":{"schema":{"$ref":"#"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := chat.ParseRequest(data)
		if err != nil {
			var invalid *fault.Error
			if !errors.As(err, &invalid) {
				t.Fatalf("%T is not a *fault.Error: %v", err, err)
			}
			return
		}
		once, err := r.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := chat.ParseRequest(once)
		if err != nil {
			t.Fatalf("written as %s, which does not decode: %v", once, err)
		}
		if twice, err := again.MarshalJSON(); err != nil || string(twice) != string(once) {
			t.Fatalf("written as %s and then as %s (%v)", once, twice, err)
		}
	})
}

func expectJSON(t *testing.T, v json.Marshaler, want string) {
	t.Helper()
	got, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("written as\n%s\nwant\n%s", got, want)
	}
}
