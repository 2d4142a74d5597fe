package render_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/wire"
	"github.com/dragoman-project/dragoman/gateway/openai"
	"github.com/dragoman-project/dragoman/gateway/render"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
)

const prompt = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n"

// generate returns the generate request that is expected for a prompt. changes are members in place of those that are usual.
func generate(d *daemon, id, prompt, parameters, changes string) string {
	usual := map[string]json.RawMessage{}
	text := fmt.Sprintf(`{"request_id":%q,"token_ids":%s,"token_offsets":null,"features":null,"sampling_params":%s,"model":"m","stream":false,
		"stream_options":null,"cache_salt":null,"priority":0,"kv_transfer_params":null,"reasoning_ended":false,"reasoning_parser_kwargs":null}`, id, d.ids(prompt), parameters)
	for _, part := range []string{text, "{" + changes + "}"} {
		if err := json.Unmarshal([]byte(part), &usual); err != nil {
			panic(err)
		}
	}
	out, _ := json.Marshal(usual)
	return string(out)
}

func TestAChatIsRendered(t *testing.T) {
	d := newDaemon(t, render.Options{})
	const path = "/v1/chat/completions/render"
	rest := length - len(d.list(prompt))
	defaults := fmt.Sprintf(`{"temperature":0.6,"top_k":20,"max_tokens":%d}`, rest)
	d.expect(t, path, greeting, http.StatusOK, generate(d, "chatcmpl-ID", prompt, defaults, ""))
	d.expect(t, path, `{"messages":[{"role":"user","content":"Hi"}],"unknown":{"a":[1]},"top_p":0.9,"temperature":0,"max_completion_tokens":7,"stop":"X","seed":5,
		"stop_token_ids":[3],"n":2,"logprobs":true,"top_logprobs":4,"min_tokens":1,"stream":true,"stream_options":{"include_usage":true},"cache_salt":"s","priority":3,
		"request_id":"mine","kv_transfer_params":{"a":1},"chat_template_kwargs":{"enable_thinking":false}}`, http.StatusOK,
		generate(d, "mine", prompt+"\n</think>\n\n", `{"n":2,"temperature":0,"top_p":0.9,"top_k":20,"seed":5,"stop":["X"],"stop_token_ids":[3],"max_tokens":7,"min_tokens":1,"logprobs":4}`,
			`"stream":true,"stream_options":{"include_usage":true},"cache_salt":"s","priority":3,"kv_transfer_params":{"a":1},"reasoning_ended":true,"reasoning_parser_kwargs":{"chat_template_kwargs":{"enable_thinking":false}}`))
	d.expect(t, path, `{"model":"m","messages":[{"role":"user","content":"Hé"}],"return_token_offsets":true,"max_tokens":1,"add_special_tokens":true}`, http.StatusOK,
		generate(d, "chatcmpl-ID", "<s><|im_start|>user\nHé<|im_end|>\n<|im_start|>assistant\n<think>\n", `{"temperature":0.6,"top_k":20,"max_tokens":1}`,
			`"token_offsets":[[0,0],[0,12],[12,13],[13,14],[14,15],[15,16],[16,17],[17,18],[18,19],[18,19],[19,29],[29,30],[30,42],[42,43],[43,44],[44,45],[45,46],[46,47],[47,48],[48,49],[49,50],[50,51],[51,52],[52,59],[59,60]]`))
}

// TestToolsConstrainSampling holds that the constraint of the plan goes to the engine, in its notation.
func TestToolsConstrainSampling(t *testing.T) {
	d := newDaemon(t, render.Options{})
	_, answer := d.post(t, "/v1/chat/completions/render", `{"model":"m","messages":[{"role":"user","content":"Hi"}],"tool_choice":"required","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]}`)
	var got struct {
		Parameters struct {
			Structured struct {
				Tag string `json:"structural_tag"`
			} `json:"structured_outputs"`
		} `json:"sampling_params"`
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || !json.Valid([]byte(got.Parameters.Structured.Tag)) || !strings.Contains(got.Parameters.Structured.Tag, "structural_tag") {
		t.Errorf("%v: %s", err, answer)
	}
}

func TestCompletionsAreRendered(t *testing.T) {
	d := newDaemon(t, render.Options{})
	const path = "/v1/completions/render"
	plain := func(n int, ids string) string {
		return generate(d, "cmpl-ID", "", fmt.Sprintf(`{"temperature":0.6,"top_k":20,"max_tokens":%d}`, n), `"token_ids":`+ids+`,"reasoning_ended":null`)
	}
	d.expect(t, path, `{"model":"m","prompt":"ab"}`, http.StatusOK, "["+plain(16, `[258,97,98]`)+"]")
	d.expect(t, path, `{"model":"m","prompt":["a","b"],"add_special_tokens":false,"max_tokens":3}`, http.StatusOK, "["+plain(3, `[97]`)+","+plain(3, `[98]`)+"]")
	d.expect(t, path, `{"model":"m","prompt":[1,2]}`, http.StatusOK, "["+plain(16, `[1,2]`)+"]")
	d.expect(t, path, `{"model":"m","prompt":[[1],[2]]}`, http.StatusOK, "["+plain(16, `[1]`)+","+plain(16, `[2]`)+"]")
}

func TestResponsesAreRendered(t *testing.T) {
	d := newDaemon(t, render.Options{})
	whole := "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\nHm.\n</think>\n\nOk." +
		"\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call><|im_end|>\n<|im_start|>tool\n5<|im_end|>\n<|im_start|>assistant\n<think>\n"
	d.expect(t, "/v1/responses/render", `{"model":"m","instructions":"Be brief.","max_output_tokens":9,"store":false,"input":[
		{"role":"user","content":[{"type":"input_text","text":"Hi"}]},
		{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"Hm."}]},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Ok.","annotations":[]}]},
		{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},
		{"type":"function_call_output","call_id":"c1","output":"5"}]}`, http.StatusOK,
		generate(d, "resp_ID", whole, `{"temperature":0.6,"top_k":20,"max_tokens":9}`, ""))
	d.expect(t, "/v1/responses/render", `{"model":"m","input":"Hi","max_output_tokens":9}`, http.StatusOK, generate(d, "resp_ID", prompt, `{"temperature":0.6,"top_k":20,"max_tokens":9}`, ""))
}

// TestWhatHasNoEffectIsAWarning sends a hosted tool, which nothing here has.
func TestWhatHasNoEffectIsAWarning(t *testing.T) {
	d := newDaemon(t, render.Options{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+"/v1/responses/render", strings.NewReader(`{"model":"m","input":"Hi","tools":[{"type":"web_search"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if warning := res.Header.Get(reply.WarningsHeader); res.StatusCode != http.StatusOK || !strings.Contains(warning, "web_search") {
		t.Errorf("%s, warning %q", res.Status, warning)
	}
}

func TestTheMaskHasWhatTheAssistantWrote(t *testing.T) {
	d := newDaemon(t, render.Options{})
	_, answer := d.post(t, "/v1/chat/completions/render", `{"model":"m","return_assistant_tokens_mask":true,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","reasoning_content":"R","content":"One"},{"role":"user","content":"And"}]}`)
	var got struct {
		IDs  []uint32 `json:"token_ids"`
		Mask []int    `json:"assistant_tokens_mask"`
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Mask) != len(got.IDs) {
		t.Fatalf("%v: %s", err, answer)
	}
	var written []uint32
	for i, m := range got.Mask {
		if m == 1 {
			written = append(written, got.IDs[i])
		}
	}
	if text := d.tokens.Decode(written, false); text != "R\n</think>\n\nOne<|im_end|>\n" {
		t.Errorf("the mask covers %q", text)
	}
}

func TestTextIsTokenizedAndBack(t *testing.T) {
	d := newDaemon(t, render.Options{})
	d.expect(t, "/tokenize", `{"model":"m","prompt":"a<think>"}`, http.StatusOK, `{"count":3,"max_model_len":4096,"tokens":[258,97,259],"token_strs":null}`)
	d.expect(t, "/tokenize", `{"prompt":"a ","add_special_tokens":false,"return_token_strs":true}`, http.StatusOK, `{"count":2,"max_model_len":4096,"tokens":[97,32],"token_strs":["a","Ġ"]}`)
	d.expect(t, "/tokenize", greeting, http.StatusOK, fmt.Sprintf(`{"count":%d,"max_model_len":4096,"tokens":%s,"token_strs":null}`, len(d.list(prompt)), d.ids(prompt)))
	d.expect(t, "/detokenize", `{"model":"m","tokens":[258,97,259]}`, http.StatusOK, `{"prompt":"<s>a<think>"}`)
	d.expect(t, "/detokenize", `{"tokens":[]}`, http.StatusOK, `{"prompt":""}`)
}

func TestTheServiceDescribesItself(t *testing.T) {
	d := newDaemon(t, render.Options{Version: "v9"}, func(c *config.Config) { c.Auth.ClientTokens = []string{"k"} })
	if status, _ := d.post(t, "/health", ""); status != http.StatusOK {
		t.Errorf("/health without a key: %d", status)
	}
	d.expect(t, "/version", "", http.StatusUnauthorized, `{"error":{"message":"missing or unknown bearer token; send the header Authorization: Bearer TOKEN with one of auth.tokens, auth.client_tokens or auth.tokens_file","type":"AuthenticationError","param":null,"code":401}}`)
	d.key = "k"
	d.expect(t, "/version", "", http.StatusOK, `{"version":"v9"}`)
	_, answer := d.post(t, "/v1/models", "")
	if !strings.Contains(answer, `"id":"m","object":"model"`) || !strings.Contains(answer, `"max_model_len":4096`) || strings.Contains(answer, "chatml") {
		t.Errorf("the models are %s", answer)
	}
	d.expect(t, "/inference/v1/generate", `{}`, http.StatusNotFound, `{"error":{"message":"/inference/v1/generate: no engine is configured; set engines.urls, or send the request to the engine itself","type":"NotFoundError","param":"/inference/v1/generate","code":404}}`)
}

// TestGenerateIsPassedToAnEngine passes requests of token ids to one of two equal engines: those with the same beginning to the same one.
func TestGenerateIsPassedToAnEngine(t *testing.T) {
	h, err := host.New(t.Context(), host.Options{Config: config.Default()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	o, client := gateway.Options{Host: h}, wire.NewClient(wire.Options{Key: "e"})
	t.Cleanup(client.Close)
	for name := range 3 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch owner := "vllm"; {
			case r.URL.Path == "/v1/models":
				if name == 2 { // serves the model, but takes no ids
					owner = "lmdeploy"
				}
				fmt.Fprintf(w, `{"data":[{"id":"org/model","owned_by":%q}]}`, owner)
			case r.URL.Path == "/inference/v1/generate":
				fmt.Fprintf(w, `{"engine":%d,"key":%q,"body":%s}`, name, r.Header.Get("Authorization"), body)
			default:
				http.NotFound(w, r)
			}
		}))
		t.Cleanup(server.Close)
		o.Servers = append(o.Servers, gateway.Server{Name: server.URL, Find: func(ctx context.Context) (engine.Engine, error) { return client.Find(ctx, server.URL) }})
	}
	g := gateway.New(t.Context(), o)
	t.Cleanup(g.Close)
	d := newDaemon(t, render.Options{Generate: func(w http.ResponseWriter, r *http.Request) error { return openai.Pass(w, r, g.Generate) }})
	chosen := map[string]bool{}
	for n := range 6 {
		body := fmt.Sprintf(`{"token_ids":[%s%d]}`, strings.Repeat("1,", 500), n)
		status, answer := d.post(t, "/inference/v1/generate", body)
		if status != http.StatusOK || !strings.HasSuffix(answer, `"key":"Bearer e","body":`+body+`}`) {
			t.Fatalf("%d %s", status, answer)
		}
		chosen[answer[:len(`{"engine":0`)]] = true
	}
	if len(chosen) != 1 || chosen[`{"engine":2`] {
		t.Errorf("the engines %v were chosen", chosen)
	}
	d.expect(t, "/inference/v1/generate", `{"model":"other","token_ids":[1]}`, http.StatusNotFound,
		`{"error":{"message":"model: no engine serves the model \"other\"; the models are [\"org/model\"]; send one of them","type":"NotFoundError","param":"model","code":404}}`)
}

// TestHostileBodiesAreRefusedWithTheirPlace sends what no client should, and expects the place of the fault.
func TestHostileBodiesAreRefusedWithTheirPlace(t *testing.T) {
	d := newDaemon(t, render.Options{}, func(c *config.Config) { c.Limits.BodyBytes = 1 << 20 })
	huge := "[" + strings.Repeat("1,", 600_000) + "1]"
	const chat, completion, response = "/v1/chat/completions/render", "/v1/completions/render", "/v1/responses/render"
	const derender, derenders = "/v1/chat/completions/derender", "/v1/completions/derender"
	for _, test := range []struct {
		path, body   string
		status       int
		param, words string
	}{
		{chat, `{"model":"other","messages":[{"role":"user","content":"Hi"}]}`, 404, "model", `the model \"other\" does not exist`},
		{chat, `{"model":5}`, 400, "model", "expected a string, found a number"},
		{chat, `{"model":"m"`, 400, "", "invalid JSON at byte"},
		{chat, `[]`, 400, "", "expected an object"},
		{chat, `{"model":"m","messages":[]}`, 400, "messages", ""},
		{chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:"}}]}]}`, 400, "messages[0].content[0]", "at most 0 image(s) may be provided in one prompt"},
		{chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"input_audio"}]}]}`, 400, "messages[0].content[0]", "audio"},
		{chat, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":"many"}`, 400, "max_tokens", "expected a whole number, found a string"},
		{chat, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":0}`, 400, "max_tokens", ""},
		{chat, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":[1]}`, 400, "temperature", ""},
		{chat, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"stop":[1]}`, 400, "stop[0]", ""},
		{chat, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"n":0}`, 400, "n", ""},
		{chat, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"cache_salt":""}`, 400, "cache_salt", ""},
		{chat, `{"model":"m","messages":[{"role":"user","content":"Hi"}],"stop_token_ids":[-1]}`, 400, "stop_token_ids[0]", "expected a token id, found -1"},
		{chat, `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("x", length) + `"}]}`, 400, "", "the model sees at most 4096"},
		{completion, `{"model":"m","prompt":[1.5]}`, 400, "prompt[0]", "expected a token id, found 1.5"},
		{completion, `{"model":"m","prompt":[-3]}`, 400, "prompt[0]", "found -3"},
		{completion, `{"model":"m","prompt":[99999999999]}`, 400, "prompt[0]", "found 99999999999"},
		{completion, `{"model":"m","prompt":[1,264]}`, 400, "prompt[1]", "expected a token id below 264, found 264"},
		{completion, `{"model":"m","prompt":[[1],[264]]}`, 400, "prompt[1][0]", ""},
		{completion, `{"model":"m","prompt":[["a"]]}`, 400, "prompt[0][0]", ""},
		{completion, `{"model":"m","prompt":{}}`, 400, "prompt", ""},
		{completion, `{"model":"m","prompt":[]}`, 400, "prompt", ""},
		{completion, `{"model":"m","prompt":""}`, 200, "", ""},
		{completion, `{"model":"m","prompt":"","add_special_tokens":false}`, 400, "prompt", ""},
		{completion, `{"model":"m","prompt":"a","stream_options":{}}`, 400, "stream_options", ""},
		{completion, `{"model":"m","prompt":` + huge + `}`, 413, "", "more than 1048576 bytes"},
		{response, `{"model":"m","input":"Hi","previous_response_id":"r"}`, 400, "previous_response_id", ""},
		{response, `{"model":"m","input":[{"type":"screen"}]}`, 400, "input[0].type", ""},
		{response, `{"model":"m"}`, 400, "input", ""},
		{"/tokenize", `{"model":"m"}`, 400, "prompt", ""},
		{"/tokenize", `{"model":"m","prompt":"a","messages":[]}`, 400, "prompt", ""},
		{"/detokenize", `{"model":"m"}`, 400, "tokens", ""},
		{"/detokenize", `{"model":"m","tokens":[264]}`, 400, "tokens[0]", ""},
		{"/detokenize", `{"model":"m","tokens":[null]}`, 200, "", ""}, // JSON's null is the zero id, as in every list here
		{derender, `{"model":"x","generate_response":{"choices":[{"token_ids":[1]}]}}`, 404, "model", ""},
		{derender, `{"model":"m"}`, 400, "generate_response", ""},
		{derender, `{"model":"m","generate_response":{"choices":[]}}`, 400, "generate_response.choices", ""},
		{derender, `{"model":"m","generate_response":{"choices":[{"token_ids":[]}]}}`, 400, "generate_response.choices[0].token_ids", ""},
		{derender, `{"model":"m","generate_response":{"choices":[{"token_ids":[1,-2]}]}}`, 400, "generate_response.choices[0].token_ids[1]", ""},
		{derender, `{"model":"m","generate_response":{"choices":[{"token_ids":[999]}]}}`, 400, "generate_response.choices[0].token_ids[0]", ""},
		{derender, `{"model":"m","generate_response":{"output_mode":"text","choices":[{"token_ids":[1]}]}}`, 400, "generate_response.output_mode", ""},
		{derender, `{"model":"m","prompt_tokens":-1,"generate_response":{"choices":[{"token_ids":[1]}]}}`, 400, "prompt_tokens", ""},
		{derender, `{"model":"m","chat_request":{"messages":[{"role":5}]},"generate_response":{"choices":[{"token_ids":[1]}]}}`, 400, "chat_request.messages[0].role", ""},
		{derender, `{"model":"m","stream":true}`, 400, "generate_chunk", ""},
		{derender, `{"model":"m","stream":true,"generate_chunk":{"choices":[{"token_ids":[1]},{"index":1,"token_ids":[1]}]}}`, 400, "generate_chunk.choices", ""},
		{derender, `{"model":"m","stream":true,"generate_chunk":{"choices":[{"token_ids":[1]}]},"stream_state":5}`, 400, "stream_state", ""},
		{derender, `{"model":"m","stream":true,"generate_chunk":{"choices":[{"token_ids":[1]}]},"stream_state":{"session":"a.b"}}`, 400, "stream_state", "another process has begun this stream"},
		{derender, `{"model":"m","stream":true,"generate_chunk":{"choices":[{"token_ids":[1]}]},"stream_state":{"prev_tokens":["a"],"role_sent":true}}`, 400, "stream_state", ""},
		{derenders, `{"model":"m","generate_responses":[]}`, 400, "generate_responses", ""},
		{derenders, `{"model":"m","generate_responses":[{"choices":[{"token_ids":[1]}]},null]}`, 400, "generate_responses[1]", ""},
		{derenders, `{"model":"m","prompt_tokens":[1,2],"generate_responses":[{"choices":[{"token_ids":[1]}]}]}`, 400, "prompt_tokens", ""},
	} {
		status, answer := d.post(t, test.path, test.body)
		if status == http.StatusOK && test.status == http.StatusOK {
			continue
		}
		var got struct {
			Error struct {
				Message, Type string
				Param         *string
				Code          int
			}
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Error.Code != test.status || status != test.status || got.Error.Type == "" {
			t.Errorf("%s %.100s: %d %s", test.path, test.body, status, answer)
			continue
		}
		param := ""
		if got.Error.Param != nil {
			param = *got.Error.Param
		}
		if param != test.param || !strings.Contains(answer, test.words) {
			t.Errorf("%s %.100s: want %q at %q: %s", test.path, test.body, test.words, test.param, answer)
		}
	}
}
