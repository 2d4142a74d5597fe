package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEnginesAreRecognised(t *testing.T) {
	for kind := range answers {
		t.Run(kind, func(t *testing.T) {
			e := start(t, kind, nil).find(t, Options{})
			if got := e.Describe().Kind; got != kind {
				t.Fatalf("taken for %s", got)
			}
			models, err := e.Models(t.Context())
			if err != nil || len(models) != 1 {
				t.Fatalf("%v %v", models, err)
			}
			want := engine.Model{Name: "org/m"}
			switch kind {
			case "vllm":
				want = engine.Model{Name: "org/m", Known: "/models/m", Template: "{{ 1 }}", BOSToken: "<s>", EOSToken: "</s>"}
			case "llama-server":
				want = engine.Model{Name: "org/m", Template: "{{ 1 }}", BOSToken: "<s>", EOSToken: "</s>"}
			case "sglang":
				want.Known = "org/m"
			case "ollama":
				want = engine.Model{Name: "m:latest", Known: "m"}
			}
			if models[0] != want {
				t.Errorf("%+v", models[0])
			}
		})
	}
	nothing := start(t, "nothing", nil)
	c := NewClient(Options{})
	defer c.http.CloseIdleConnections()
	if _, err := c.Find(t.Context(), nothing.URL); err == nil || !strings.Contains(err.Error(), "no engine that is known") {
		t.Error(err)
	}
	nothing.Close()
	if _, err := c.Find(t.Context(), nothing.URL); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

// request is what all engines are sent. The prompt begins with the token that some of them add.
func request() *engine.Request {
	return &engine.Request{
		ID: "id", Model: "org/m", Prompt: "<s>Hi", BOS: "<s>", Preserved: []string{"<tool>"}, Stops: []string{"<end>"},
		Constraint: &grammar.Constraint{Grammar: "root ::= x", Lazy: true, Triggers: []grammar.Trigger{{Type: grammar.TriggerWord, Value: "<tool>"}, {Type: grammar.TriggerPattern, Value: "^x"}}, Content: `{"type":"object"}`},
		Parameters: []engine.Parameter{{Name: engine.MaxTokens, Value: json.RawMessage("9")}, {Name: engine.Temperature, Value: json.RawMessage("0")}, {Name: engine.Seed, Value: json.RawMessage("7")}},
	}
}

// output is what comes back.
type output struct {
	text    string
	special string // the texts of special tokens
	finish  engine.Finish
	usage   string
	stop    string
	full    bool
	err     error
}

func complete(t *testing.T, e engine.Engine, r *engine.Request) (out output) {
	t.Helper()
	s, err := e.Complete(t.Context(), r)
	if err != nil {
		return output{err: err}
	}
	defer s.Close()
	for {
		p, err := s.Next()
		if errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			out.err = err
			return out
		}
		out.text += string(p.Text)
		for _, s := range p.Special {
			out.special += string(p.Text[s.Start:s.End])
		}
		out.finish, out.stop, out.full = p.Finish, p.Stop, p.Full
		if u := p.Usage; u != nil {
			out.usage = fmt.Sprintf("%d+%d", u.Prompt, u.Completion)
			for _, n := range []*int{u.Cached, u.Reasoning} {
				if n != nil {
					out.usage += fmt.Sprintf(" %d", *n)
				}
			}
		}
	}
}

func TestRequestsAndOutputsInTheWordsOfEachEngine(t *testing.T) {
	for _, test := range []struct {
		kind, path, body string
		events           []string
		want             output
	}{
		{
			// The usage comes after the finish reason; the end token is in the text, since stops are (v1/engine/detokenizer.py).
			kind: "vllm", path: "/v1/completions",
			body: `{"model":"org/m","prompt":"<s>Hi","stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},"max_tokens":9,
				"temperature":0,"seed":7,"stop":["<end>"],"add_special_tokens":false,"skip_special_tokens":false,"spaces_between_special_tokens":false,
				"include_stop_str_in_output":true,"structured_outputs":{"structural_tag":"{\"type\":\"object\"}"}}`,
			events: sse(`{"choices":[{"index":0,"text":"Grü","finish_reason":null}]}`, `{"choices":[{"index":0,"text":"ße<end>","finish_reason":"stop","stop_reason":"<end>"}]}`,
				`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":1}}}`, `[DONE]`),
			want: output{text: "Grüße<end>", finish: engine.Stopped, usage: "3+2 1"},
		},
		{
			// Each event has the whole text so far, and a character may be incomplete in it (managers/detokenizer_manager.py).
			kind: "sglang", path: "/generate",
			body: `{"text":"Hi","stream":true,"sampling_params":{"max_new_tokens":9,"temperature":0,"sampling_seed":7,"stop":["<end>"],"no_stop_trim":true,
				"skip_special_tokens":false,"spaces_between_special_tokens":false,"structural_tag":"{\"type\":\"object\"}"}}`,
			events: sse(`{"text":"Gr�","meta_info":{"finish_reason":null,"prompt_tokens":3,"completion_tokens":1}}`, `{"text":"Grü","meta_info":{"finish_reason":null}}`,
				`{"text":"Grüße","meta_info":{"finish_reason":{"type":"length","length":9},"prompt_tokens":3,"completion_tokens":2,"cached_tokens":1,"reasoning_tokens":0}}`, `[DONE]`),
			want: output{text: "Grüße", finish: engine.Limited, usage: "3+2 1 0"},
		},
		{
			// No [DONE]; comments keep the connection alive (sse_ping_interval).
			kind: "llama-server", path: "/completion",
			body: `{"prompt":"Hi","stream":true,"cache_prompt":true,"stop":["<end>"],"preserved_tokens":["<tool>"],"n_predict":9,"temperature":0,"seed":7,
				"grammar":"root ::= x","grammar_lazy":true,"grammar_triggers":[{"type":1,"value":"<tool>"},{"type":2,"value":"^x"}]}`,
			events: append([]string{":\n\n"}, sse(`{"index":0,"content":"Grü","tokens":[],"stop":false,"tokens_predicted":1,"tokens_evaluated":3}`,
				`{"index":0,"content":"ße","stop":true,"stop_type":"limit","stopping_word":"","truncated":true,"tokens_predicted":2,"tokens_evaluated":3,"timings":{"cache_n":1}}`)...),
			want: output{text: "Grüße", finish: engine.Limited, full: true, usage: "3+2 1"},
		},
		{
			// The server refuses temperature 0 (greedy decoding is do_sample false), marks special tokens, and strips them from generated_text.
			kind: "tgi", path: "/generate_stream",
			body: `{"inputs":"Hi","parameters":{"max_new_tokens":9,"do_sample":false,"seed":7,"stop":["<end>"],"details":true,"return_full_text":false,
				"grammar":{"type":"json","value":{"type":"object"}}}}`,
			events: []string{"data:{\"index\":1,\"token\":{\"id\":1,\"text\":\"Hi\",\"special\":false},\"generated_text\":null}\r\n\r\n",
				"data:{\"index\":2,\"token\":{\"id\":2,\"text\":\"</s>\",\"special\":true},\"generated_text\":\"Hi\",\"details\":{\"finish_reason\":\"eos_token\",\"generated_tokens\":2}}\r\n\r\n"},
			want: output{text: "Hi</s>", special: "</s>", finish: engine.Stopped},
		},
		{
			kind: "ollama", path: "/api/generate",
			body: `{"model":"org/m","prompt":"Hi","raw":true,"stream":true,"truncate":false,"shift":false,"format":{"type":"object"},
				"options":{"num_predict":9,"temperature":0,"seed":7,"stop":["<end>"]}}`,
			events: []string{`{"model":"m","response":"Grü","done":false}` + "\n", `{"model":"m","response":"ße","done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}` + "\n"},
			want:   output{text: "Grüße", finish: engine.Stopped, usage: "3+2"},
		},
		{
			// The default of max_tokens is 16, so it is sent in any case.
			kind: "openai", path: "/v1/completions",
			body:   `{"model":"org/m","prompt":"<s>Hi","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"temperature":0,"seed":7,"stop":["<end>"]}`,
			events: sse(`{"choices":[{"text":"Hi","finish_reason":null}]}`, `{"choices":[{"text":"","finish_reason":"stop"}]}`),
			want:   output{text: "Hi", finish: engine.Stopped},
		},
		{
			kind: "lmdeploy", path: "/v1/completions",
			body: `{"model":"org/m","prompt":"<s>Hi","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"temperature":0,"seed":7,"stop":["<end>"],
				"skip_special_tokens":false}`,
			events: sse(`{"choices":[{"text":"Hi","finish_reason":"length"}]}`, `[DONE]`),
			want:   output{text: "Hi", finish: engine.Limited},
		},
	} {
		t.Run(test.kind, func(t *testing.T) {
			whole := strings.Join(test.events, "")
			for size := 1; size <= len(whole); size += 1 + size/8 { // however the events reach us
				var parts []string
				for rest := whole; rest != ""; rest = rest[min(size, len(rest)):] {
					parts = append(parts, rest[:min(size, len(rest))])
				}
				f := start(t, test.kind, writes(parts...))
				got := complete(t, f.find(t, Options{}), request())
				if got != test.want {
					t.Fatalf("in parts of %d: %+v", size, got)
				}
				if sent := compact(t, f.posted[test.path]); sent != compact(t, test.body) {
					t.Fatalf("sent %s\nexpected %s", sent, compact(t, test.body))
				}
			}
		})
	}
}

func TestWhatIsNotSetIsSentAsItShouldBe(t *testing.T) {
	for kind, part := range map[string]string{"vllm": `"max_tokens":null`, "openai": `"max_tokens":null`, "sglang": `"max_new_tokens":null`} {
		f := start(t, kind, writes())
		complete(t, f.find(t, Options{}), &engine.Request{Prompt: "Hi"})
		if all := f.posted["/v1/completions"] + f.posted["/generate"]; !strings.Contains(all, part) {
			t.Errorf("%s: %s", kind, all)
		}
	}
}

// TestEnginesThatEndThinking checks what they are sent of a budget.
func TestEnginesThatEndThinking(t *testing.T) {
	strict := maps.Clone(answers["sglang"])
	strict["/server_info"] = strings.Replace(strict["/server_info"], "{", `{"enable_strict_thinking":true,`, 1)
	r := &engine.Request{Prompt: "Hi<t>", Thinking: &engine.Thinking{Budget: 5, Start: "<t>", Ends: []string{"</t>", "<call>"}, Open: true}}
	for kind, want := range map[string][]string{
		"llama-server":  {`"reasoning_budget_tokens":5`, `"reasoning_budget_start_tag":"<t>"`, `"reasoning_budget_end_tags":["</t>","<call>"]`, `"reasoning_budget_end_tag":"</t>"`, `"generation_prompt":"<t>"`},
		"strict sglang": {`"max_thinking_tokens":5`}, "sglang": nil, "vllm": nil, "tgi": nil, "ollama": nil, "openai": nil,
	} {
		f := start(t, kind, writes())
		if kind == "strict sglang" {
			f = startWith(t, strict, writes())
		}
		e := f.find(t, Options{})
		if e.Describe().Thinking != (want != nil) {
			t.Errorf("%s: %+v", kind, e.Describe())
		}
		if want == nil {
			continue
		}
		complete(t, e, r)
		sent := compact(t, f.posted["/completion"]+f.posted["/generate"])
		for _, part := range want {
			if !strings.Contains(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(sent), part) {
				t.Errorf("%s: %s lacks %s", kind, sent, part)
			}
		}
	}
}

// TestLogprobsInTheWordsOfEachEngine asks for the most likely token besides the one that was chosen.
func TestLogprobsInTheWordsOfEachEngine(t *testing.T) {
	for _, test := range []struct {
		kind, body string
		top        int
		events     []string
		want       string
	}{
		{"llama-server", `"n_probs":1`, 0, sse(`{"content":"Gr","stop":false,"completion_probabilities":[{"id":1,"token":"Gr","bytes":[71,114],"logprob":-0.5,"top_logprobs":[{"token":"Gr","bytes":[71,114],"logprob":-0.5}]}]}`,
			`{"content":"","stop":false,"completion_probabilities":[{"token":"\ufffd","bytes":[195],"logprob":-1,"top_logprobs":[]}]}`, `{"content":"ü","stop":true}`), "Gr -0.5; \xc3 -1; "},
		{"vllm", `"logprobs":1`, 1, sse(`{"choices":[{"text":"Hi","logprobs":{"tokens":["H","i"],"token_logprobs":[-0.5,-1],"top_logprobs":[{"H":-0.5,"J":-0.25},{"i":-1}],"text_offset":[0,1]},"finish_reason":null}]}`,
			`{"choices":[{"text":"","logprobs":null,"finish_reason":"stop"}]}`, `[DONE]`), "H -0.5 (J -0.25); i -1 (i -1); "},
		{"sglang", `"top_logprobs_num":1`, 1, sse(`{"text":"H","meta_info":{"output_token_logprobs":[[-0.5,5,"H"]],"output_top_logprobs":[[[-0.25,6,"J"]]]}}`,
			`{"text":"Hi","meta_info":{"finish_reason":{"type":"stop"},"output_token_logprobs":[[-0.5,5,"H"],[-1,7,"i"]],"output_top_logprobs":[[[-0.25,6,"J"]],[[-1,7,"i"]]]}}`), "H -0.5 (J -0.25); i -1 (i -1); "},
		{"ollama", `"top_logprobs":1`, 1, []string{`{"response":"H","done":false,"logprobs":[{"token":"H","logprob":-0.5,"bytes":[72],"top_logprobs":[{"token":"J","logprob":-0.25}]}]}` + "\n",
			`{"response":"","done":true,"done_reason":"stop"}` + "\n"}, "H -0.5 (J -0.25); "},
	} {
		t.Run(test.kind, func(t *testing.T) {
			f := start(t, test.kind, writes(test.events...))
			s, err := f.find(t, Options{}).Complete(t.Context(), &engine.Request{Prompt: "Hi", Logprobs: &test.top})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got := ""
			for err == nil {
				var p engine.Piece
				p, err = s.Next()
				for _, token := range p.Tokens {
					got += fmt.Sprintf("%s %v", token.Text, token.Logprob)
					for _, other := range token.Top {
						got += fmt.Sprintf(" (%s %v)", other.Text, other.Logprob)
					}
					got += "; "
				}
			}
			if got != test.want || !errors.Is(err, io.EOF) {
				t.Errorf("%q, %v", got, err)
			}
			if sent := f.posted["/completion"] + f.posted["/v1/completions"] + f.posted["/generate"] + f.posted["/api/generate"]; !strings.Contains(sent, test.body) {
				t.Error(sent)
			}
		})
	}
}

// TestMediaInTheWordsOfEachEngine sends two images and a sound, as far as the engine takes them.
func TestMediaInTheWordsOfEachEngine(t *testing.T) {
	for _, test := range []struct {
		kind, path, prompt, more string
		media                    map[string]bool
		parts                    map[string]string // of the body
	}{
		{"llama-server", "/props", "<s>a#1 b#2", `"media_marker":"<m>","modalities":{"vision":true,"audio":false},`, map[string]bool{"image": true},
			map[string]string{"prompt": `{"multimodal_data":["AAAA","BBBB"],"prompt_string":"a\u003cm\u003e b\u003cm\u003e"}`}},
		{"ollama", "", "<s>a#1 b#2", "", map[string]bool{"image": true}, map[string]string{"prompt": `"a[img-0] b[img-1]"`, "images": `["AAAA","BBBB"]`}},
		{"sglang", "/model_info", "<s>a<img> b<img>", `"has_image_understanding":true,`, map[string]bool{"image": false},
			map[string]string{"text": `"a\u003cimg\u003e b\u003cimg\u003e"`, "image_data": `["data:image/png;base64,AAAA","data:image/png;base64,BBBB"]`}},
		{"vllm", "", "", "", nil, nil}, {"tgi", "", "", "", nil, nil}, {"openai", "", "", "", nil, nil},
	} {
		t.Run(test.kind, func(t *testing.T) {
			known := maps.Clone(answers[test.kind])
			if test.path != "" {
				known[test.path] = strings.Replace(cmp.Or(known[test.path], "{\"x\":0}"), "{", "{"+test.more, 1)
			}
			f := startWith(t, known, writes())
			e := f.find(t, Options{})
			if got := e.Describe().Media; !maps.Equal(got, test.media) {
				t.Fatalf("takes %v", got)
			}
			if test.media == nil {
				return
			}
			media := []engine.Media{{Kind: "image", Type: "image/png", Data: "AAAA", Placeholder: "#1"}, {Kind: "image", Type: "image/png", Data: "BBBB", Placeholder: "#2"}}
			complete(t, e, &engine.Request{Prompt: test.prompt, BOS: "<s>", Media: media})
			var sent map[string]json.RawMessage
			if err := json.Unmarshal([]byte(f.posted["/completion"]+f.posted["/generate"]+f.posted["/api/generate"]), &sent); err != nil {
				t.Fatal(err)
			}
			for name, want := range test.parts {
				if string(sent[name]) != want {
					t.Errorf("%s: %s, expected %s", name, sent[name], want)
				}
			}
		})
	}
}

func TestCharactersCutByEnginesAreWhole(t *testing.T) {
	for kind, event := range map[string]string{
		"llama-server": `{"content":"%s","stop":%t}`, "ollama": `{"response":"%s","done":%t}`,
	} {
		for at := 1; at < len("ü€😀"); at++ {
			events := sse(fmt.Sprintf(event, "ü€😀"[:at], false), fmt.Sprintf(event, "ü€😀"[at:], true))
			if got := complete(t, start(t, kind, writes(events...)).find(t, Options{}), request()); got.text != "ü€😀" {
				t.Errorf("%s, cut at %d: %q %v", kind, at, got.text, got.err)
			}
		}
	}
}

func TestFailuresOfEngines(t *testing.T) {
	status := func(code int, body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, code) }
	}
	for _, test := range []struct {
		name, kind string
		reply      func(http.ResponseWriter, *http.Request)
		code       fault.Code
		message    string
	}{
		{"a bad grammar", "llama-server", status(400, `{"error":{"code":400,"message":"failed to parse grammar","type":"invalid_request_error"}}`), fault.InvalidArgument, "failed to parse grammar"},
		{"loading", "llama-server", status(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), fault.Unavailable, "Loading model"},
		{"a late error", "llama-server", writes(sse(`{"content":"a","stop":false}`, `{"error":{"code":500,"message":"out of memory","type":"server_error"}}`)...), fault.Unavailable, "out of memory"},
		{"an error of vLLM", "vllm", status(400, `{"error":{"message":"too long","type":"BadRequestError","code":400}}`), fault.InvalidArgument, "too long"},
		{"an error event of vLLM", "vllm", writes(sse(`{"error":{"message":"bad","type":"BadRequestError","code":400}}`, `[DONE]`)...), fault.InvalidArgument, "bad"},
		{"no key", "vllm", status(401, `{"error":"Unauthorized"}`), fault.Internal, "engines.key"},
		{"an abort", "sglang", writes(sse(`{"text":"","meta_info":{"finish_reason":{"type":"abort","message":"queue full","status_code":503}}}`)...), fault.Unavailable, "queue full"},
		{"changed text", "sglang", writes(sse(`{"text":"ab","meta_info":{}}`, `{"text":"ac","meta_info":{}}`)...), fault.Unavailable, "changed text"},
		{"overloaded", "tgi", status(429, `{"error":"Model is overloaded","error_type":"overloaded"}`), fault.RateLimited, "Model is overloaded"},
		{"an error event of TGI", "tgi", writes(sse(`{"error":"Request failed","error_type":"generation"}`)...), fault.Unavailable, "Request failed"},
		{"a late line", "ollama", writes(`{"response":"a","done":false}`+"\n", `{"error":"model runner has stopped"}`+"\n"), fault.Unavailable, "runner has stopped"},
		{"cut off", "vllm", writes(sse(`{"choices":[{"text":"a","finish_reason":null}]}`)...), fault.Unavailable, "broke off"},
		{"cut off within an event", "llama-server", writes(`data: {"content":"a`), fault.Unavailable, "cannot be read"},
		{"given up", "vllm", writes(sse(`{"choices":[{"text":"","finish_reason":"abort"}]}`)...), fault.Unavailable, "gave up"},
		{"no JSON", "ollama", status(500, strings.Repeat("x", 5000)), fault.Unavailable, "xxx"},
		{"a connection that closes", "vllm", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Unavailable, "does not answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := complete(t, start(t, test.kind, test.reply).find(t, Options{}), request())
			if got.err == nil || fault.CodeOf(got.err) != test.code || !strings.Contains(got.err.Error(), test.message) {
				t.Errorf("%v", got.err)
			}
		})
	}
}

func TestASilentEngineIsGivenUp(t *testing.T) {
	gone := make(chan struct{})
	hangs := func(w http.ResponseWriter, r *http.Request) {
		writes(sse(`{"choices":[{"text":"a","finish_reason":null}]}`)...)(w, r)
		<-r.Context().Done()
		close(gone)
	}
	got := complete(t, start(t, "vllm", hangs).find(t, Options{Idle: 50 * time.Millisecond}), request())
	if got.text != "a" || fault.CodeOf(got.err) != fault.TimedOut {
		t.Errorf("%+v", got)
	}
	<-gone
}

func TestCancellationClosesTheConnection(t *testing.T) {
	gone := make(chan struct{})
	f := start(t, "llama-server", func(w http.ResponseWriter, r *http.Request) {
		writes(sse(`{"content":"a","stop":false}`)...)(w, r)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	s, err := f.find(t, Options{}).Complete(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.Next(); string(p.Text) != "a" || err != nil {
		t.Errorf("%q %v", p.Text, err)
	}
	cancel()
	if _, err := s.Next(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-gone
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestLlamaServerTellsWhichStopItTookFromTheText(t *testing.T) {
	events := sse(`{"content":"a","stop":true,"stop_type":"word","stopping_word":"<end>","truncated":false}`)
	if got := complete(t, start(t, "llama-server", writes(events...)).find(t, Options{}), request()); got != (output{text: "a", finish: engine.Stopped, stop: "<end>"}) {
		t.Errorf("%+v", got)
	}
}

func TestEnginesCountTokens(t *testing.T) {
	for kind, body := range map[string]string{
		"llama-server": `{"content":"<s>Hi","add_special":false}`,
		"vllm":         `{"model":"org/m","prompt":"<s>Hi","add_special_tokens":false}`,
		"sglang":       `{"model":"org/m","prompt":"<s>Hi","add_special_tokens":false}`,
	} {
		f := start(t, kind, nil)
		n, err := f.find(t, Options{}).(engine.Counter).Count(t.Context(), "org/m", "<s>Hi")
		if sent := compact(t, f.posted["/tokenize"]+f.posted["/v1/tokenize"]); n != 1 || err != nil || sent != compact(t, body) {
			t.Errorf("%s: %d, %v, sent %s", kind, n, err, sent)
		}
	}
}

// TestAConnectionThatTheEngineHasClosed is one that was kept for the next request: the request is sent again, here or by the gateway.
func TestAConnectionThatTheEngineHasClosed(t *testing.T) {
	f := start(t, "llama-server", writes(sse(`{"content":"a","stop":true}`)...))
	e := f.find(t, Options{})
	f.CloseClientConnections()
	got := complete(t, e, request())
	if fault.CodeOf(got.err) == fault.Unavailable {
		got = complete(t, e, request())
	}
	if got.text != "a" || got.err != nil {
		t.Errorf("%+v", got)
	}
}

func TestTheKeyIsSent(t *testing.T) {
	keys := make(chan string, 1)
	f := start(t, "openai", func(_ http.ResponseWriter, r *http.Request) { keys <- r.Header.Get("Authorization") })
	complete(t, f.find(t, Options{Key: "secret"}), request())
	if got := <-keys; got != "Bearer secret" {
		t.Error(got)
	}
}

// FuzzEvents reads foreign bytes as the stream of each engine.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: {\"content\":\"a\xc3\",\"stop\":true}\n\ndata: [DONE]\n\n"))
	f.Add([]byte("{\"response\":\"a\",\"done\":true}\n"))
	f.Add([]byte("data:{\"text\":\"a\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"}}}\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range []reader{new(completionReader), llamaReader{}, new(sglangReader), tgiReader{}, ollamaReader{}} {
			events := newEvents(strings.NewReader(string(data)))
			for {
				event, err := events.next()
				if err != nil {
					r.end()
					break
				}
				p, ok, err := r.read(event)
				if err != nil {
					break
				}
				for _, s := range p.Special {
					if ok && (s.Start < 0 || s.End > len(p.Text)) {
						t.Fatalf("%+v", p)
					}
				}
			}
		}
	})
}
