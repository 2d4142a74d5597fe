package render_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/gateway/render"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/tokenizer"
)

const (
	chatPath       = "/v1/chat/completions/derender"
	completionPath = "/v1/completions/derender"

	// weather is what the model writes, in text; ~ stands for a </think> that is spelled, not the token.
	weather  = "Oslo? Spell it: ~ é.\n</think>\n\nI will 🪿 look.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Osló\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"<s>\"}}\n</tool_call><|im_end|>"
	question = `{"model":"m","messages":[{"role":"user","content":"Weather?"}],"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]}`
)

// written returns the ids of what the model writes.
func (d *daemon) written(text string) (ids []tokenizer.ID) {
	for i, part := range strings.Split(text, "~") {
		if i > 0 {
			for _, b := range []byte("</think>") {
				ids = append(ids, tokenizer.ID(b))
			}
		}
		ids = append(ids, d.list(part)...)
	}
	return ids
}

func TestAnswersAreDerendered(t *testing.T) {
	d := newDaemon(t, render.Options{})
	ids, n := pretty(t, d.written(weather)), len(d.written(weather))
	body := func(choices, more string) string {
		return `{"model":"m","stream":false,"generate_response":{"request_id":"generate-tokens-1","choices":` + choices + `,"kv_transfer_params":{"a":1}},` + more + `}`
	}
	reply := func(choices string, prompt, completion int, reasoning ...int) string {
		details := ""
		for _, n := range reasoning {
			details = fmt.Sprintf(`,"completion_tokens_details":{"reasoning_tokens":%d}`, n)
		}
		return fmt.Sprintf(`{"id":"generate-tokens-1","object":"chat.completion","created":0,"model":"m","choices":%s,"service_tier":null,"system_fingerprint":null,
			"usage":{"prompt_tokens":%d,"total_tokens":%d,"completion_tokens":%d%s},"prompt_logprobs":null,"prompt_token_ids":null,"kv_transfer_params":{"a":1}}`,
			choices, prompt, prompt+completion, completion, details)
	}
	message := func(content, reasoning, calls string) string {
		return fmt.Sprintf(`{"role":"assistant","content":%s,"refusal":null,"annotations":null,"audio":null,"function_call":null,"tool_calls":%s,"reasoning":%s}`, content, calls, reasoning)
	}
	one := func(index int, message, reason, logprobs string) string {
		return fmt.Sprintf(`{"index":%d,"message":%s,"logprobs":%s,"finish_reason":%q,"stop_reason":null,"token_ids":null}`, index, message, logprobs, reason)
	}
	calls := `[{"id":"ID-------","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Osló\"}"}},{"id":"ID-------","type":"function","function":{"name":"weather","arguments":"{\"city\": \"<s>\"}"}}]`
	calls = strings.ReplaceAll(calls, "<s>", "") // the model wrote the special token, which is no text
	d.expect(t, chatPath, body(`[{"index":0,"token_ids":`+ids+`,"finish_reason":"stop","logprobs":null}]`, `"prompt_tokens":7,"chat_request":`+question), http.StatusOK,
		reply("["+one(0, message(`"I will 🪿 look."`, `"Oslo? Spell it: </think> é."`, calls), "tool_calls", "null")+"]", 7, n, len("Oslo? Spell it: </think> é.\n")))

	// Without the request all is content, without special tokens.
	d.expect(t, chatPath, body(`[{"index":0,"token_ids":[104,105,257],"finish_reason":"stop"},{"index":1,"token_ids":[263,104],"finish_reason":"length"}]`, `"prompt_token_ids":[1,2]`), http.StatusOK,
		reply("["+one(0, message(`"hi"`, "null", "[]"), "stop", "null")+","+one(1, message(`"h"`, "null", "[]"), "length", "null")+"]", 2, 5))
	// A broken-off call stays open, and the reason is the engine's.
	cut := "x</think>\n\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Os"
	d.expect(t, chatPath, body(`[{"index":0,"token_ids":`+d.ids(cut)+`,"finish_reason":"length"}]`, `"chat_request":`+question), http.StatusOK,
		reply("["+one(0, message("null", `"x"`, `[{"id":"ID-------","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Os"}}]`), "length", "null")+"]", 0, len(d.list(cut)), 1))
	// Probabilities get the texts of their tokens, in both shapes that engines send.
	probable := `{"content":[{"token":"token_id:104","logprob":-1,"bytes":null,"top_logprobs":[{"token_id":105,"logprob":-2,"rank":2}]}]}`
	d.expect(t, chatPath, body(`[{"index":0,"token_ids":[104],"finish_reason":"abort","logprobs":`+probable+`}]`, `"x":1`), http.StatusOK,
		reply("["+one(0, message(`"h"`, "null", "[]"), "abort", `{"content":[{"token":"h","logprob":-1,"bytes":[104],"top_logprobs":[{"token":"i","logprob":-2,"bytes":[105]}]}]}`)+"]", 0, 1))
	// Special tokens are text if the request wants them.
	d.expect(t, chatPath, body(`[{"index":0,"token_ids":[104,263,257],"finish_reason":"stop"}]`,
		`"chat_request":{"messages":[{"role":"user","content":"Hi"}],"chat_template_kwargs":{"enable_thinking":false},"skip_special_tokens":false}`), http.StatusOK,
		reply("["+one(0, message(`"h<|pad|>"`, "null", "[]"), "stop", "null")+"]", 0, 3, 0))
}

// TestRoundTripsAreTold asks whether the tokens of answers come back when the conversation is rendered.
func TestRoundTripsAreTold(t *testing.T) {
	d := newDaemon(t, render.Options{})
	body := func(text, more string) string {
		return `{"model":"m","generate_response":{"request_id":"r","choices":[{"index":0,"token_ids":` + pretty(t, d.list(text)) + `,"finish_reason":"stop"}]},"return_retokenized":true` + more + `}`
	}
	for text, want := range map[string]string{
		"Hm.\n</think>\n\nHi.<|im_end|>": `"retokenized":null`,
		"Hm.\n</think>\nHi.<|im_end|>":   `"retokenized":{"index":6,"wrote":{"id":72,"text":"H"},"rendered":{"id":10,"text":"\n"},"why":"the template writes the white space here otherwise, or not at all"}`,
	} {
		if status, answer := d.post(t, chatPath, body(text, `,"chat_request":`+greeting)); status != http.StatusOK || !strings.Contains(answer, want) {
			t.Errorf("%q: %d %s\nwant %s", text, status, answer, want)
		}
	}
	if status, answer := d.post(t, chatPath, body("Hi", "")); status != http.StatusBadRequest || !strings.Contains(answer, "chat_request") {
		t.Errorf("without the conversation: %d %s", status, answer)
	}
}

func TestCompletionsAreDerendered(t *testing.T) {
	d := newDaemon(t, render.Options{})
	choice := func(index int, text, reason string) string {
		return fmt.Sprintf(`{"index":%d,"text":%q,"logprobs":null,"finish_reason":%q,"stop_reason":null,"token_ids":null,"prompt_logprobs":null,"prompt_token_ids":null}`, index, text, reason)
	}
	d.expect(t, completionPath, `{"model":"m","prompt_tokens":[3,4],"generate_responses":[{"request_id":"cmpl-1","choices":[{"index":0,"token_ids":[104,257],"finish_reason":"stop"}]},
		{"request_id":"cmpl-2","choices":[{"index":0,"token_ids":[105],"finish_reason":"length"}]}],"completion_request":{"prompt":["a","b"]}}`, http.StatusOK,
		`{"id":"cmpl-1","object":"text_completion","created":0,"model":"m","choices":[`+choice(0, "h", "stop")+","+choice(1, "i", "length")+`],"service_tier":null,"system_fingerprint":null,
		"usage":{"prompt_tokens":7,"total_tokens":10,"completion_tokens":3},"prompt_logprobs":null,"prompt_token_ids":null,"kv_transfer_params":null}`)
}

// merged is what the chunks of a stream say together.
type merged struct {
	Role, Content, Reasoning, Text string
	Calls                          []mergedCall
	Reason                         string
	Thought                        int // tokens of reasoning
}

type mergedCall struct{ Name, Arguments string }

type streamed struct {
	Chunk struct {
		Choices []struct {
			Delta struct {
				Role      string
				Content   string
				Reasoning string
				Calls     []struct {
					Index    int
					ID, Type string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
			Text   string
			Reason *string `json:"finish_reason"`
		}
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Details    struct {
				Reasoning int `json:"reasoning_tokens"`
			} `json:"completion_tokens_details"`
		}
	}
	State json.RawMessage `json:"stream_state"`
}

// stream sends ids cut into chunks, the last with the reason to finish, and merges what comes back.
func (d *daemon) stream(t testing.TB, path, request string, chunks [][]tokenizer.ID, reason string) (m merged) {
	t.Helper()
	state := json.RawMessage("null")
	for i, ids := range chunks {
		finish := "null"
		if i == len(chunks)-1 {
			finish = pretty(t, reason)
		}
		if ids == nil {
			ids = []tokenizer.ID{}
		}
		status, answer := d.post(t, path, fmt.Sprintf(`{"model":"m","stream":true,"generate_chunk":{"request_id":"r","choices":[{"index":0,"token_ids":%s,"finish_reason":%s}]},"stream_state":%s,%s"prompt_tokens":5}`,
			pretty(t, ids), finish, state, request))
		var got streamed
		if err := json.Unmarshal([]byte(answer), &got); status != http.StatusOK || err != nil {
			t.Fatalf("chunk %d: %d %v %s", i, status, err, answer)
		}
		if len(got.State) > 200 {
			t.Fatalf("the state has %d bytes", len(got.State))
		}
		state = got.State
		c := got.Chunk.Choices[0]
		m.Role, m.Content, m.Reasoning, m.Text = m.Role+c.Delta.Role, m.Content+c.Delta.Content, m.Reasoning+c.Delta.Reasoning, m.Text+c.Text
		for _, call := range c.Delta.Calls {
			if call.Index == len(m.Calls) {
				m.Calls = append(m.Calls, mergedCall{})
			}
			m.Calls[call.Index].Name += call.Function.Name
			m.Calls[call.Index].Arguments += call.Function.Arguments
		}
		if c.Reason != nil {
			m.Reason += *c.Reason
		}
	}
	// After the end comes the usage.
	status, answer := d.post(t, path, fmt.Sprintf(`{"model":"m","stream":true,"generate_chunk":{"request_id":"r","choices":[],"usage":null},"stream_state":%s,"prompt_tokens":5}`, state))
	var last streamed
	if err := json.Unmarshal([]byte(answer), &last); status != http.StatusOK || err != nil || last.Chunk.Usage.Prompt != 5 {
		t.Fatalf("the usage: %d %s", status, answer)
	}
	total := 0
	for _, ids := range chunks {
		total += len(ids)
	}
	if last.Chunk.Usage.Completion != total {
		t.Errorf("%d tokens were counted, want %d", last.Chunk.Usage.Completion, total)
	}
	m.Thought = last.Chunk.Usage.Details.Reasoning
	return m
}

// cuts returns ids cut in ways that matter: at each place, into single ids, into nothing between, and at random.
func cuts(ids []tokenizer.ID) (all [][][]tokenizer.ID) {
	for i := range ids {
		all = append(all, [][]tokenizer.ID{ids[:i], ids[i:]})
	}
	var single, random [][]tokenizer.ID
	for i := range ids {
		single = append(single, ids[i:i+1])
	}
	r := rand.New(rand.NewPCG(1, 2))
	for rest := ids; len(rest) > 0; {
		n := r.IntN(min(len(rest), 7) + 1)
		random = append(random, rest[:n])
		rest = rest[n:]
	}
	return append(all, single, append(single, nil), random)
}

func TestStreamsAreEqualAtEverySplit(t *testing.T) {
	d := newDaemon(t, render.Options{})
	want := merged{Role: "assistant", Content: "I will 🪿 look.", Reasoning: "Oslo? Spell it: </think> é.", Reason: "tool_calls", Thought: len("Oslo? Spell it: </think> é.\n"),
		Calls: []mergedCall{{"weather", `{"city": "Osló"}`}, {"weather", `{"city": ""}`}}}
	for i, chunks := range cuts(d.written(weather)) {
		if got := d.stream(t, chatPath, `"chat_request":`+question+`,`, chunks, "stop"); !cmp.Equal(got, want) {
			t.Fatalf("cut %d: %s", i, cmp.Diff(want, got))
		}
	}
	plain := merged{Role: "assistant", Content: "é🪿</think>", Reason: "length"}
	for i, chunks := range cuts(d.list("é🪿<|pad|></think>")) {
		if got := d.stream(t, chatPath, "", chunks, "length"); !cmp.Equal(got, plain) {
			t.Fatalf("plain, cut %d: %s", i, cmp.Diff(plain, got))
		}
	}
	text := merged{Text: "é🪿\uFFFD", Reason: "stop"}
	for i, chunks := range cuts(append(d.list("é🪿<|im_end|>"), 0xC3)) { // the beginning of a character, which never ends
		if got := d.stream(t, completionPath, "", chunks, "stop"); !cmp.Equal(got, text) {
			t.Fatalf("completion, cut %d: %s", i, cmp.Diff(text, got))
		}
	}
}

// chunkBody returns a request with one chunk.
func chunkBody(ids, finish, state string) string {
	return fmt.Sprintf(`{"model":"m","stream":true,"generate_chunk":{"request_id":"r","choices":[{"index":0,"token_ids":%s,"finish_reason":%s}]},"stream_state":%s}`, ids, finish, state)
}

// stateOf returns the state in an answer.
func stateOf(t testing.TB, answer string) string {
	t.Helper()
	var got streamed
	if err := json.Unmarshal([]byte(answer), &got); err != nil || got.State == nil {
		t.Fatalf("%v: %s", err, answer)
	}
	return string(got.State)
}

func TestAnAnswerThatWasLostIsRepeated(t *testing.T) {
	d := newDaemon(t, render.Options{})
	_, first := d.post(t, chatPath, chunkBody("[104]", "null", "null"))
	state := stateOf(t, first)
	_, second := d.post(t, chatPath, chunkBody("[105]", "null", state))
	if _, again := d.post(t, chatPath, chunkBody("[105]", "null", state)); again != second {
		t.Errorf("%s\nand then %s", second, again)
	}
	if status, answer := d.post(t, chatPath, chunkBody("[106]", "null", state)); status != http.StatusBadRequest || !strings.Contains(answer, "echo the state of the latest answer") {
		t.Errorf("another chunk with an old state: %d %s", status, answer)
	}
	if _, third := d.post(t, chatPath, chunkBody("[106]", "null", stateOf(t, second))); !strings.Contains(third, `"content":"j"`) {
		t.Errorf("the stream is broken: %s", third)
	}
}

func TestAnInvalidChunkLeavesTheStreamAsItWas(t *testing.T) {
	d := newDaemon(t, render.Options{})
	_, first := d.post(t, chatPath, chunkBody("[104]", "null", "null"))
	state := stateOf(t, first)
	for _, ids := range []string{"[999]", "[-1]", `["a"]`} {
		if status, answer := d.post(t, chatPath, chunkBody(ids, "null", state)); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", ids, status, answer)
		}
	}
	if status, answer := d.post(t, completionPath, chunkBody("[105]", "null", state)); status != http.StatusBadRequest {
		t.Errorf("at the other endpoint: %d %s", status, answer)
	}
	_, last := d.post(t, chatPath, chunkBody("[105]", `"stop"`, state))
	if !strings.Contains(last, `"content":"i"`) {
		t.Error(last)
	}
	if status, answer := d.post(t, chatPath, chunkBody("[105]", "null", stateOf(t, last))); status != http.StatusBadRequest || !strings.Contains(answer, "the output has ended") {
		t.Errorf("after the end: %d %s", status, answer)
	}
	if status, answer := d.post(t, chatPath, chunkBody("[105]", "null", state)); status != http.StatusBadRequest || !strings.Contains(answer, "stream has ended") {
		t.Errorf("after the end, with an old state: %d %s", status, answer)
	}
}

// TestStreamsAreLimited holds that streams count as outputs, and end when they are silent.
func TestStreamsAreLimited(t *testing.T) {
	d := newDaemon(t, render.Options{}, func(c *config.Config) {
		c.Limits.KeySessions, c.Limits.SessionIdle = 2, 300*time.Millisecond
		c.Auth.ClientTokens = []string{"k"}
	})
	d.key = "k"
	var states []string
	for range 2 {
		status, answer := d.post(t, chatPath, chunkBody("[104]", "null", "null"))
		if status != http.StatusOK {
			t.Fatal(answer)
		}
		states = append(states, stateOf(t, answer))
	}
	if status, answer := d.post(t, chatPath, chunkBody("[104]", "null", "null")); status != http.StatusTooManyRequests || !strings.Contains(answer, "limits.key_sessions") {
		t.Errorf("a third stream: %d %s", status, answer)
	}
	if status, answer := d.post(t, chatPath, chunkBody("[104]", `"stop"`, states[0])); status != http.StatusOK {
		t.Error(answer)
	}
	if status, answer := d.post(t, chatPath, chunkBody("[104]", `"stop"`, "null")); status != http.StatusOK {
		t.Errorf("after one has ended: %s", answer)
	}
	for { // until the silent one has ended; an answer that is asked for again keeps no stream alive
		status, answer := d.post(t, chatPath, chunkBody("[104]", "null", states[1]))
		if status == http.StatusBadRequest && strings.Contains(answer, "limits.session_idle") {
			break
		} else if status != http.StatusOK {
			t.Fatal(answer)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
