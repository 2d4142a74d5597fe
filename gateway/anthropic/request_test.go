package anthropic

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

func sealer(t testing.TB) *seal.Sealer {
	t.Helper()
	s, err := seal.New("secret")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRequestsBecomeChatRequests(t *testing.T) {
	const (
		hi    = `"messages":[{"role":"user","content":"Hi"}]`
		off   = `"thinking":{"type":"disabled"}`
		said  = off + `,` + hi
		image = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBOR"}}`
	)
	s := sealer(t)
	for _, test := range []struct{ name, request, chat, notes string }{
		{"text", hi, said, ""},
		{"settings", hi + `,"temperature":0.5,"top_p":0.9,"top_k":40,"stream":true,"stop_sequences":["a"],"metadata":{"user_id":"u"},"service_tier":"auto"`,
			`"temperature":0.5,"top_p":0.9,"top_k":40,"stream":true,"stop":["a"],` + said, ""},
		{"what is not served", hi + `,"context_management":{},"speed":"fast","container":null,"mcp_servers":[],"output_config":{"task_budget":{}}`, said,
			"ignored context_management; ignored speed; ignored output_config.task_budget"},
		{"system text", `"system":"Be brief.",` + hi, off + `,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]`, ""},
		{"system blocks", `"system":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}},{"type":"text","text":"B"}],` + hi,
			off + `,"messages":[{"role":"system","content":[{"type":"text","text":"A"},{"type":"text","text":"B"}]},{"role":"user","content":"Hi"}]`, ""},
		{"system later", `"messages":[{"role":"user","content":"Hi"},{"role":"system","content":"New rules."}]`,
			off + `,"messages":[{"role":"user","content":"Hi"},{"role":"system","content":"New rules."}]`, ""},
		{"one turn in two messages", `"messages":[{"role":"user","content":"A"},{"role":"user","content":[{"type":"text","text":"B"}]}]`,
			off + `,"messages":[{"role":"user","content":[{"type":"text","text":"A"},{"type":"text","text":"B"}]}]`, ""},
		{"images", `"messages":[{"role":"user","content":[` + image + `,{"type":"image","source":{"type":"url","url":"https://a/b.png"}}]}]`,
			off + `,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBOR"}},{"type":"image_url","image_url":{"url":"https://a/b.png"}}]}]`, ""},
		{"documents", `"messages":[{"role":"user","content":[{"type":"document","title":"T","context":"C","source":{"type":"text","media_type":"text/plain","data":"D"}},
			{"type":"document","source":{"type":"content","content":[{"type":"text","text":"D"},{"type":"text","text":"E"}]}},
			{"type":"search_result","source":"https://a","title":"T","content":[{"type":"text","text":"F"}]}]}]`,
			off + `,"messages":[{"role":"user","content":[{"type":"text","text":"T\nC\nD"},{"type":"text","text":"D\nE"},{"type":"text","text":"T\nhttps://a\nF"}]}]`, ""},
		{"a turn of the assistant", `"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"A","signature":""},
			{"type":"text","text":"B"},{"type":"tool_use","id":"1","name":"f","input":{"a": 1.0}},{"type":"thinking","thinking":"C","signature":""},{"type":"tool_use","id":"2","name":"g","input":"{\"a"}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"R"},{"type":"tool_result","tool_use_id":"2","is_error":true,"content":[{"type":"text","text":"S"},` + image + `]},{"type":"text","text":"Go on."}]}]`,
			off + `,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"B","reasoning_content":"A\n\nC",
			"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1.0}"}},{"id":"2","type":"function","function":{"name":"g","arguments":"{\"a"}}]},
			{"role":"tool","content":"R","tool_call_id":"1"},{"role":"tool","content":[{"type":"text","text":"Error: S"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBOR"}}],"tool_call_id":"2"},
			{"role":"user","content":"Go on."}]`, ""},
		{"results that say nothing, or that they failed", `"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"tool_result","tool_use_id":"2","is_error":true},
			{"type":"tool_result","tool_use_id":"3","is_error":true,"content":"<tool_use_error>no</tool_use_error>"}]}]`,
			off + `,"messages":[{"role":"tool","content":"","tool_call_id":"1"},{"role":"tool","content":"Error: ","tool_call_id":"2"},{"role":"tool","content":"<tool_use_error>no</tool_use_error>","tool_call_id":"3"}]`, ""},
		{"an answer to continue", `"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"text","text":"A"},{"type":"text","text":"B"}]}]`,
			off + `,"continue_final_message":true,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"AB"}]`, ""},
		{"thinking", hi + `,"thinking":{"type":"enabled","budget_tokens":2048,"display":"summarized"}`, `"thinking":{"budget_tokens":2048,"type":"enabled"},` + hi, ""},
		{"adaptive thinking", hi + `,"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}`, `"thinking":{"type":"adaptive"},"reasoning_effort":"max",` + hi, ""},
		{"effort", hi + `,"output_config":{"effort":"low"}`, `"reasoning_effort":"low",` + hi, ""},
		{"effort without thinking", hi + `,"thinking":{"type":"disabled"},"output_config":{"effort":"low"}`, said, "ignored output_config.effort: thinking is disabled"},
		{"tools", hi + `,"tools":[{"name":"f","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}},{"type":"custom","name":"g","description":"D","strict":true,"input_schema":{"type":"object","properties":{}}}],
			"tool_choice":{"type":"any","disable_parallel_tool_use":true}`,
			off + `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g","description":"D","parameters":{"type":"object","properties":{}},"strict":true}}],
			"parallel_tool_calls":false,"tool_choice":"required",` + hi, ""},
		{"hosted tools", hi + `,"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3}],"tool_choice":{"type":"auto"}`, off + `,"tool_choice":"auto",` + hi,
			"ignored tools[0]: the gateway has no tool web_search_20250305"},
		{"a tool that must be called", hi + `,"tools":[{"name":"f","input_schema":{}}],"tool_choice":{"type":"tool","name":"f"}`,
			off + `,"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":{"function":{"name":"f"},"type":"function"},` + hi, ""},
		{"a format", hi + `,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`,
			`"response_format":{"json_schema":{"name":"answer","schema":{"type":"object"}},"type":"json_schema"},` + said, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := read([]byte(`{"model":"m","max_tokens":5,`+test.request+`}`), s, answering)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(compact(t, `{"model":"m","max_tokens":5,`+test.chat+`}`), compact(t, string(r.chat))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := strings.Join(r.notes, "; "); got != test.notes {
				t.Errorf("notes: %s", got)
			}
			if _, err := chat.ParseRequest(r.chat); err != nil {
				t.Error(err)
			}
		})
	}
}

// compact returns JSON without white space, with members in the order of their names.
func compact(t *testing.T, text string) string {
	t.Helper()
	out, err := json.MarshalIndent(decode[any](t, text), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestToolsThatClientsRunAreKnown(t *testing.T) {
	for kind, name := range map[string]string{"bash_20250124": "bash", "text_editor_20250728": "str_replace_based_edit_tool", "memory_20250818": "memory"} {
		r, err := read([]byte(`{"model":"m","max_tokens":5,`+greeting+`,"tools":[{"type":"`+kind+`","name":"`+name+`"}]}`), sealer(t), answering)
		if err != nil {
			t.Fatal(err)
		}
		in, err := chat.ParseRequest(r.chat)
		if err != nil || in.Tools[0].Name != name || in.Tools[0].Description == "" || in.Tools[0].Parameters.IsZero() {
			t.Errorf("%s: %v, %s", kind, err, r.chat)
		}
	}
}

func TestErrorsNameTheMemberOfTheRequest(t *testing.T) {
	d := serve(t, nil)
	user := func(block string) string { return `"messages":[{"role":"user","content":[` + block + `]}]` }
	for request, want := range map[string]string{
		`{}`:                                "max_tokens: expected the most tokens to generate, found nothing",
		`[]`:                                "expected an object, found an array",
		`{"max_tokens":5,` + greeting + `}`: "model: missing",
		`{"model":"replay","max_tokens":"5",` + greeting + `}`:                               "max_tokens: expected a whole number",
		body("replay", `"messages":[]`):                                                      "messages: expected an array with at least one message",
		body("replay", `"messages":[{"role":"tool","content":"a"}]`):                         "messages[0].role: expected \"user\", \"assistant\" or \"system\", found \"tool\"",
		body("replay", `"messages":[{"role":"user"}]`):                                       "messages[0].content: expected a string or an array of blocks, found nothing",
		body("replay", `"messages":[{"role":"user","content":7}]`):                           "messages[0].content: expected a string or an array of blocks, found a number",
		body("replay", user(`{"type":"text"}`)):                                              "messages[0].content[0].text: expected a string",
		body("replay", user(`{"type":"tool_use","id":"1","name":"f","input":{}}`)):           "messages[0].content[0].type: expected one of text, image, document, search_result, tool_result, found \"tool_use\"",
		body("replay", user(`{"type":"document","source":{"type":"base64","data":""}}`)):     "messages[0].content[0].source.type: expected \"text\" or \"content\"",
		body("replay", user(`{"type":"image","source":{"type":"file","file_id":"1"}}`)):      "messages[0].content[0].source.type: expected \"base64\" or \"url\"",
		body("replay", user(`{"type":"image","source":{"type":"url","url":"https://a/b"}}`)): "messages[0].content[0]",
		body("replay", `"system":"A","messages":[{"role":"user","content":[{"type":"text","text":"A"},{"type":"image","source":{"type":"url","url":"https://a/b"}}]}]`): "messages[0].content[1]",
		body("replay", user(`{"type":"tool_result","tool_use_id":"1","content":[{"type":"tool_result"}]}`)):                                                             "messages[0].content[0].content[0].type: expected one of text",
		body("replay", `"system":[{"type":"image"}],`+greeting):                                                                                                         "system[0].type: expected one of text",
		body("replay", `"stop_sequences":[" "],`+greeting):                                                                                                              "stop_sequences[0]: expected a string that is not white space alone",
		body("replay", `"temperature":"hot",`+greeting):                                                                                                                 "temperature: expected a number",
		body("replay", `"thinking":{"type":"on"},`+greeting):                                                                                                            `thinking.type: expected "enabled", "adaptive" or "disabled", found "on"`,
		body("replay", `"thinking":{"type":"enabled"},`+greeting):                                                                                                       "thinking.budget_tokens: expected",
		body("replay", `"thinking":{"type":"enabled","budget_tokens":"many"},`+greeting):                                                                                "thinking.budget_tokens: expected a number of tokens",
		body("replay", `"thread":{"type":"create"},`+greeting):                                                                                                          "thread: not supported: threads are not kept",
		body("replay", `"mcp_servers":[{}],`+greeting):                                                                                                                  "mcp_servers: not supported",
		body("replay", `"tools":[{"name":"f"}],`+greeting):                                                                                                              "tools[0].input_schema: expected a JSON Schema",
		body("replay", `"tools":[{"type":"web_fetch_20250910","name":"w"},{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"nothing"}}}}],`+greeting): "tools[1].input_schema",
		body("replay", `"tools":[{"type":"computer_20250124","name":"computer"}],`+greeting):                                                                               "tools[0].type: expected \"custom\"",
		body("replay", `"tool_choice":{"type":"any"},`+greeting):                                                                                                           "tool_choice: \"any\" needs a tool",
		body("replay", tools+`,"tool_choice":{"type":"tool","name":"g"},`+greeting):                                                                                        "tool_choice.name: no tool",
		body("replay", `"output_config":{"format":{"type":"json_schema","schema":{"type":"nothing"}}},`+greeting):                                                          "output_config.format.schema",
		body("replay", `"messages":[{"role":"assistant","content":"Hi"}]`):                                                                                                 "messages[0]: expected a message of the user",
		body("replay", `"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hi "}]`):                                                                 "messages[1].content: expected a text to be continued that does not end with white space",
		body("replay", `"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}]`):                  "messages[1].content[0]: the last message calls a tool",
	} {
		res, text := d.post(t, messagesPath, strings.Replace(request, "{", `{"stream":true,`, min(1, strings.Count(request, `"model"`))))
		if e := decode[errorObject](t, text); res.StatusCode != http.StatusBadRequest || !strings.HasPrefix(e.Error.Message, want) {
			t.Errorf("%s: %d %s\nexpected %s", request, res.StatusCode, e.Error.Message, want)
		}
	}
}

// TestWhatClientsSendIsAnswered sends what clients have sent to a server that logged it.
func TestWhatClientsSendIsAnswered(t *testing.T) {
	d := serve(t, nil)
	logged, err := os.ReadFile(shared.Dir(t, "cases", "clients.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(logged)) {
		c := decode[struct {
			Path    string
			Headers map[string]string
			Body    json.RawMessage
		}](t, line)
		if !strings.HasPrefix(c.Path, messagesPath) {
			continue
		}
		var header []string
		for name, value := range c.Headers {
			header = append(header, name, value)
		}
		n++
		res, text := d.post(t, c.Path, strings.Replace(string(c.Body), `"model": "m"`, `"model": "replay"`, 1), header...)
		want := 200
		if strings.Contains(string(c.Body), `"thread"`) {
			want = 400
		}
		if res.StatusCode != want || want == 400 && !(strings.Contains(text, "thread: not supported") && strings.Contains(text, `"error_code":"thread_unsupported_request"`)) {
			t.Errorf("%s: %d %s", c.Body, res.StatusCode, text)
		}
		if beta := c.Headers["anthropic-beta"]; want == 200 && beta != "" && !strings.Contains(res.Header.Get(reply.WarningsHeader), beta) {
			t.Errorf("no note of %s", beta)
		}
	}
	if n == 0 {
		t.Error("no case")
	}
}

// FuzzRead reads any bytes as a request.
func FuzzRead(f *testing.F) {
	f.Add([]byte(body("replay", thinks+weather)))
	f.Add([]byte(`{"model":"m","max_tokens":5,"system":[{"type":"text","text":"A"}],"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"x"},{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true}]}]}`))
	f.Add([]byte(`{"model":"m","max_tokens":5,"tools":[{"type":"bash_20250124","name":"bash"}],"output_config":{"effort":"low","format":{"type":"json_schema","schema":{}}},"messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":"a"}}]}]}`))
	s := sealer(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := read(data, s, counting)
		if err == nil && !json.Valid(r.chat) {
			t.Errorf("%s became %s", data, r.chat)
		}
	})
}
