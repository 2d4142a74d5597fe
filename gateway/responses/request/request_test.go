package request

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// canonical returns JSON with its members sorted.
func canonical(t *testing.T, text string) string {
	t.Helper()
	v := jsontext.Value(text)
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(v)
}

// stored are conversations and items for tests.
type stored map[string]string

func (s stored) Conversation(id string) ([]jsontext.Value, error) {
	item, err := s.Item(id)
	return []jsontext.Value{item}, err
}

func (s stored) Item(id string) (jsontext.Value, error) {
	if item, ok := s[id]; ok {
		return jsontext.Value(item), nil
	}
	return nil, &fault.Error{Code: fault.NotFound, Message: "not stored"}
}

var options = Options{
	Open: func(sealed string) (string, error) {
		if text, ok := strings.CutPrefix(sealed, "sealed:"); ok {
			return text, nil
		}
		return "", errors.New("unknown")
	},
	Earlier: stored{"resp_1": `{"role":"user","content":"before"}`, "msg_1": `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"said"}]}`},
}

func TestRequestsSayTheSameAsChats(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, request, chat, notes string }{
		{"a text", `{"model":"m","input":"Hi","temperature":0.5,"stream":true,"store":false}`,
			`{"model":"m","temperature":0.5,"stream":true,"messages":[{"role":"user","content":"Hi"}]}`, ""},
		{"roles", `{"instructions":"A","input":[{"role":"developer","content":[{"type":"input_text","text":"B"}]},{"role":"user","content":"C"},{"role":"developer","content":"D"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"E"},{"type":"refusal","refusal":"F"}]}]}`,
			`{"messages":[{"role":"system","content":"A\n\nB"},{"role":"user","content":"C"},{"role":"developer","content":"D"},{"role":"assistant","content":"E\nF"}]}`, ""},
		{"developers alone", `{"input":[{"role":"developer","content":"A"},{"role":"developer","content":"B"},{"role":"assistant","content":"C"}]}`,
			`{"messages":[{"role":"developer","content":"A\n\nB"},{"role":"assistant","content":"C"}]}`, ""},
		{"a turn of the assistant", `{"input":[{"role":"user","content":"Q"},{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"R"}]},{"role":"assistant","content":"S"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"custom_tool_call","call_id":"c2","name":"g","input":"a\"b"},{"type":"function_call_output","call_id":"c1","output":"1"},{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"2"}]},{"type":"reasoning","summary":[{"type":"summary_text","text":"T"}]},{"role":"assistant","content":"U"},{"role":"assistant","content":"V"}]}`,
			`{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"S","reasoning_content":"R","tool_calls":[{"type":"function","id":"c1","function":{"name":"f","arguments":"{}"}},{"type":"function","id":"c2","function":{"name":"g","arguments":"{\"input\":\"a\\\"b\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"2"}]},{"role":"assistant","content":"U","reasoning_content":"T"},{"role":"assistant","content":"V"}]}`, ""},
		{"sealed reasoning", `{"input":[{"type":"reasoning","summary":[],"encrypted_content":"sealed:R"},{"role":"assistant","content":"A"},{"role":"user","content":"B"},{"type":"reasoning","summary":[{"type":"summary_text","text":"S"}],"encrypted_content":"other"},{"role":"assistant","content":"C"}]}`,
			`{"messages":[{"role":"assistant","content":"A","reasoning_content":"R"},{"role":"user","content":"B"},{"role":"assistant","content":"C","reasoning_content":"S"}]}`, "ignored input[3].encrypted_content: this gateway has not sealed it"},
		{"what is stored", `{"previous_response_id":"resp_1","input":[{"type":"item_reference","id":"msg_1"},{"id":"msg_1"},{"role":"user","content":"now"}]}`,
			`{"messages":[{"role":"user","content":"before"},{"role":"assistant","content":"said"},{"role":"assistant","content":"said"},{"role":"user","content":"now"}]}`, ""},
		{"images", `{"input":[{"role":"user","content":[{"type":"input_text","text":"What?"},{"type":"input_image","image_url":"data:x","detail":"low"}]},{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:y"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"What?"},{"type":"image_url","image_url":{"url":"data:x","detail":"low"}}]},{"role":"tool","tool_call_id":"c","content":[{"type":"image_url","image_url":{"url":"data:y"}}]}]}`, ""},
		{"settings", `{"input":"","max_output_tokens":9,"text":{"verbosity":"low","format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true}},"reasoning":{"effort":"low"},"include":["reasoning.encrypted_content","web_search_call.results"],"truncation":"auto","background":false,"client_metadata":{"a":"b"},"metadata":null,"future":1}`,
			`{"max_tokens":9,"verbosity":"low","reasoning":{"effort":"low"},"future":1,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"},"strict":true}},"messages":[{"role":"user","content":""}]}`,
			`ignored include "web_search_call.results": there is none of it; ignored truncation: conversations are not shortened`},
		{"tools", `{"input":"","tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":null},{"type":"namespace","name":"n","tools":[{"type":"function","name":"f","parameters":null}]},{"type":"web_search"}],"tool_choice":{"type":"function","name":"f","namespace":"n"}}`,
			`{"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}},{"type":"function","function":{"name":"n__f"}}],"tool_choice":{"type":"function","function":{"name":"n__f"}},"messages":[{"role":"user","content":""}]}`,
			"ignored tools of type web_search: the gateway has none"},
		{"custom tools", `{"input":"","tools":[{"type":"custom","name":"a"},{"type":"custom","name":"b","description":"B.","format":{"type":"grammar","syntax":"regex","definition":"[a-z]+"}},{"type":"custom","name":"c","format":{"type":"grammar","syntax":"lark","definition":"start: \"x\""}}],"tool_choice":{"type":"custom","name":"a"}}`,
			`{"tools":[{"type":"function","function":{"name":"a","description":"","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}}},{"type":"function","function":{"name":"b","description":"B.\n\nThe input must match this regular expression:\n[a-z]+","parameters":{"type":"object","properties":{"input":{"type":"string","pattern":"^(?:[a-z]+)$"}},"required":["input"],"additionalProperties":false}}},{"type":"function","function":{"name":"c","description":"\n\nThe input must follow this Lark grammar:\nstart: \"x\"","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}}}],"tool_choice":{"type":"function","function":{"name":"a"}},"messages":[{"role":"user","content":""}]}`,
			"not enforced: the grammar of the custom tool c"},
		{"allowed tools", `{"input":"","tools":[{"type":"function","name":"f"},{"type":"function","name":"g"}],"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"g"},{"type":"web_search"}]}}`,
			`{"tools":[{"type":"function","function":{"name":"g"}}],"tool_choice":"required","messages":[{"role":"user","content":""}]}`, ""},
		{"hosted tools alone", `{"input":"","tools":[{"type":"web_search"}],"tool_choice":"auto"}`, `{"messages":[{"role":"user","content":""}]}`, "ignored tools of type web_search: the gateway has none"},
		{"hosted items", `{"input":[{"type":"web_search_call","id":"ws_1"},{"role":"user","content":"Hi"}]}`, `{"messages":[{"role":"user","content":"Hi"}]}`, "ignored items of type web_search_call"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := Read([]byte(test.request), options)
			if err != nil {
				t.Fatal(err)
			}
			if got := canonical(t, string(r.Chat)); got != canonical(t, test.chat) {
				t.Errorf("got  %s\nwant %s", got, canonical(t, test.chat))
			}
			if notes := strings.Join(r.Notes, "; "); notes != test.notes {
				t.Errorf("notes: %q", notes)
			}
			if _, err := chat.ParseRequest(r.Chat); err != nil {
				t.Errorf("%s: %v", r.Chat, err)
			}
		})
	}
}

func TestCallsMeanTheToolsOfTheRequest(t *testing.T) {
	t.Parallel()
	r, err := Read([]byte(`{"input":"","tools":[{"type":"function","name":"f"},{"type":"namespace","name":"n","tools":[{"type":"custom","name":"f"}]}]}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Tool{"f": {Name: "f"}, "n__f": {Namespace: "n", Name: "f", Custom: true}, "other": {Name: "other"}} {
		if got := r.Tool(name); got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestErrorsNameTheMemberOfTheRequest(t *testing.T) {
	t.Parallel()
	for request, place := range map[string]string{
		`[]`:                            "",
		`{"input":7}`:                   "input",
		`{}`:                            "input",
		`{"input":[7]}`:                 "input[0]",
		`{"input":[{"type":"screen"}]}`: "input[0].type",
		`{"input":[{"role":"tool"}]}`:   "input[0].content",
		`{"input":[{"role":7}]}`:        "input[0].role",
		`{"input":[{"type":"item_reference","id":"msg_1"}]}`:                                   "input[0]",
		`{"input":[{"role":"x","content":""}]}`:                                                "input[0].role",
		`{"input":[{"role":"user","content":[{"type":"input_text"}]}]}`:                        "input[0].content[0].text",
		`{"input":[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]}`:         "input[0].content[0].file_id",
		`{"input":[{"type":"function_call","name":"f"}]}`:                                      "input[0].call_id",
		`{"input":[{"type":"function_call","call_id":"c","name":"f"}]}`:                        "input[0].arguments",
		`{"input":[{"type":"function_call_output","call_id":"c"}]}`:                            "input[0].output",
		`{"input":[{"type":"reasoning","content":5}]}`:                                         "input[0].content",
		`{"input":"","previous_response_id":"resp_1"}`:                                         "previous_response_id",
		`{"input":"","conversation":"c"}`:                                                      "conversation",
		`{"input":"","background":true}`:                                                       "background",
		`{"input":"","store":1}`:                                                               "store",
		`{"input":"","include":[1]}`:                                                           "include[0]",
		`{"input":"","text":[]}`:                                                               "text",
		`{"input":"","text":{"format":{"type":"json_schema","name":"n"}}}`:                     "text.format.schema",
		`{"input":"","messages":[]}`:                                                           "messages",
		`{"input":"","include":["message.output_text.logprobs"]}`:                              "include[0]",
		`{"input":"","top_logprobs":2}`:                                                        "top_logprobs",
		`{"input":"","n":2}`:                                                                   "n",
		`{"input":"","tools":[{}]}`:                                                            "tools[0].type",
		`{"input":"","tools":[{"type":"function"}]}`:                                           "tools[0].name",
		`{"input":"","tools":[{"type":"function","name":"f"},{"type":"custom","name":"f"}]}`:   "tools[1].name",
		`{"input":"","tools":[{"type":"namespace","name":"n","tools":[{"type":"function"}]}]}`: "tools[0].tools[0].name",
		`{"input":"","tools":[{"type":"custom","name":"f","format":{"type":"grammar","syntax":"x","definition":"y"}}]}`: "tools[0].format.syntax",
		`{"input":"","tool_choice":{"type":"web_search"}}`:                                                              "tool_choice.type",
	} {
		_, err := Read([]byte(request), Options{})
		var f *fault.Error
		if !errors.As(err, &f) || f.Place != place || f.Code != fault.InvalidArgument {
			t.Errorf("%s: %v, want it at %q", request, err, place)
		}
	}
}

func TestErrorsOfTheChatRequestNameTheMemberOfTheRequest(t *testing.T) {
	t.Parallel()
	r, err := Read([]byte(`{"instructions":"A","max_output_tokens":1,"text":{"format":{"type":"json_schema","schema":{}}},
		"tools":[{"type":"web_search"},{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]},{"type":"custom","name":"g","format":{"type":"grammar","syntax":"regex","definition":"("}}],
		"tool_choice":{"type":"function","name":"other"},
		"input":[{"role":"developer","content":"B"},{"role":"user","content":[{"type":"input_file"}]},{"type":"reasoning","content":"R"},{"role":"assistant","content":"S"},
		{"type":"function_call","call_id":"1","name":"f","arguments":""},{"type":"function_call_output","call_id":"1","output":[{"type":"input_file"}]}]}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for chat, place := range map[string]string{
		"messages": "input", "messages[0].content": "instructions", "messages[1].content[0].type": "input[1].content[0].type", "messages[2].content": "input[3].content",
		"messages[2].reasoning_content": "input[2]", "messages[2].tool_calls[0].function.arguments": "input[4].arguments", "messages[3].content[0].type": "input[5].output[0].type",
		"max_tokens": "max_output_tokens", "response_format.json_schema.schema.type": "text.format.schema.type", "tools[0].function.parameters": "tools[1].tools[0].parameters",
		"tools[1].function.parameters.properties.input.pattern": "tools[2].format.definition", "tool_choice.function.name": "tool_choice.name", "temperature": "temperature", "tools[10]": "tools[10]",
	} {
		var f *fault.Error
		if err := r.Fault(fmt.Errorf("wrapped: %w", fault.Invalid(chat, "wrong"))); !errors.As(err, &f) || f.Place != place {
			t.Errorf("%s: %v, want it at %q", chat, err, place)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]},{"type":"reasoning","content":"R"},{"type":"custom_tool_call","call_id":"c","name":"f","input":"x"}],"tools":[{"type":"custom","name":"f"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read([]byte(text), options)
		if err == nil && !jsontext.Value(r.Chat).IsValid(jsontext.AllowInvalidUTF8(true)) {
			t.Errorf("%s", r.Chat)
		}
	})
}
