package anthropic

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/gateway/seal"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

func TestEventsAreThoseOfAnthropic(t *testing.T) {
	d := serve(t, nil)
	res, text := d.post(t, messagesPath, body("replay", `"stream":true,`+thinks+weather))
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") || res.Header.Get("Request-Id") == "" ||
		res.Header.Get("Request-Id") != res.Header.Get("X-Request-Id") || res.Header.Get(reply.OverheadHeader) == "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	all := events(t, text)
	var kinds []string
	for _, e := range all {
		if kind := strings.TrimSpace(e.Type + " " + e.Block.Type + e.Delta.Type); len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, kind)
		}
	}
	call := []string{"content_block_start tool_use", "content_block_delta input_json_delta", "content_block_stop"}
	want := slices.Concat([]string{"message_start", "ping",
		"content_block_start thinking", "content_block_delta thinking_delta", "content_block_delta signature_delta", "content_block_stop",
		"content_block_start text", "content_block_delta text_delta", "content_block_stop"}, call, call, []string{"message_delta", "message_stop"})
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if m := all[0].Message; !strings.HasPrefix(m.ID, "msg_") || m.Type != "message" || m.Role != "assistant" || m.Model != "replay" || m.Content == nil || len(m.Content) != 0 || m.Reason != nil || m.Usage.InputTokens == 0 {
		t.Errorf("the message begins as %+v", m)
	}
	for _, part := range []string{`"stop_reason":null`, `"content_block":{"type":"thinking","thinking":"","signature":""}`, `"content_block":{"type":"text","text":""}`, `"name":"get_weather","input":{}}`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing in %s", part, text)
		}
	}
	m := merged(t, all)
	u := m.Usage
	if u.InputTokens == 0 || u.OutputTokens == 0 || u.Output == nil || u.Output.Thinking == 0 || u.Output.Thinking >= u.OutputTokens || *m.Reason != "tool_use" {
		t.Errorf("%+v, %v", u, *m.Reason)
	}
	if a, b := m.Content[2], m.Content[3]; string(a.Input) != `{"city": "Oslo"}` || string(b.Input) != `{"city": "Bergen"}` || a.ID == b.ID || a.ID == "" || a.Name != "get_weather" {
		t.Errorf("%+v, %+v", a, b)
	}
}

const (
	oneCall   = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"
	otherCall = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Grünau 💧\"}}\n</tool_call>"
)

// TestAStreamIsItsMessageHoweverItIsCut also holds that white space alone opens no block.
func TestAStreamIsItsMessageHoweverItIsCut(t *testing.T) {
	d := serve(t, nil)
	for _, test := range []struct {
		name, output, want, reason string
		finish                     engine.Finish
	}{
		{"text", "I think.\n</think>\n\nHallo Grüße 💧", "thinking text", "end_turn", engine.Stopped},
		{"nothing", "\n</think>\n\n", "", "end_turn", engine.Stopped},
		{"a call", "I ask.\n</think>\n\n" + oneCall, "thinking tool_use", "tool_use", engine.Stopped},
		{"calls with white space between", "I ask.\n</think>\n\nLook.\n\n" + oneCall + "\n \n" + otherCall + "\n", "thinking text tool_use tool_use", "tool_use", engine.Stopped},
		{"text between calls", "I ask.\n</think>\n\n" + oneCall + "\nAnd another:\n" + otherCall + "\nDone.", "thinking tool_use text tool_use text", "tool_use", engine.Stopped},
		{"thinking between calls", "I ask.\n</think>\n\n" + oneCall + "\n<think>\nAnother.\n</think>\n\n" + otherCall, "", "tool_use", engine.Stopped},
		{"broken off in thinking", "I thi", "thinking", "max_tokens", engine.Limited},
		{"broken off in text", "I think.\n</think>\n\nHallo Gr", "thinking text", "max_tokens", engine.Limited},
		{"broken off in a call", "I ask.\n</think>\n\n" + oneCall[:len(oneCall)-25], "thinking tool_use", "max_tokens", engine.Limited},
		{"a name without arguments", "I ask.\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\"", "thinking tool_use", "max_tokens", engine.Limited},
		{"a malformed call", "I ask.\n</think>\n\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": Oslo}}\n</tool_call>", "", "", engine.Stopped},
		{"prose with markers", "I think.\n</think>\n\nWrite <tool_call> and </tool_call> around {}", "", "end_turn", engine.Stopped},
	} {
		t.Run(test.name, func(t *testing.T) {
			d.output, d.last.Finish = test.output, test.finish
			var first said
			for size := 1; size <= len(test.output); size += 1 + size/4 {
				d.size = size
				m := d.message(t, body("scripted", thinks+weather))
				_, text := d.post(t, messagesPath, body("scripted", `"stream":true,`+thinks+weather))
				s := merged(t, events(t, text))
				comparable(t, d, &m)
				comparable(t, d, &s)
				if size == 1 {
					first = m
					check(t, m, test.want, test.reason)
				}
				if diff := cmp.Diff(m, s) + cmp.Diff(first, m); diff != "" {
					t.Fatalf("in pieces of %d:\n%s", size, diff)
				}
			}
		})
	}
}

// check checks the kinds of a message's blocks, and why it ended.
func check(t *testing.T, m said, want, reason string) {
	t.Helper()
	var kinds []string
	for _, b := range m.Content {
		kinds = append(kinds, b.Type)
		if b.Type != "tool_use" && strings.TrimSpace(b.Text+b.Thinking) == "" {
			t.Errorf("a block says nothing: %+v", b)
		}
	}
	if got := strings.Join(kinds, " "); want != "" && got != want || reason != "" && *m.Reason != reason {
		t.Errorf("%s, %s: %+v", got, *m.Reason, m)
	}
}

// comparable replaces what differs between two answers that say the same, and checks signatures.
func comparable(t *testing.T, d *daemon, m *said) {
	t.Helper()
	m.ID = ""
	for i := range m.Content {
		b := &m.Content[i]
		if b.ID != "" {
			b.ID = "id"
		}
		if b.Type == "thinking" {
			if thought, err := d.sealer.Open(seal.Reasoning, b.Signature); err != nil || thought != b.Thinking {
				t.Fatalf("%q is signed as %q, %v", b.Thinking, thought, err)
			}
			b.Signature = "sealed"
		}
		var whole string // arguments that were broken off
		if json.Unmarshal(b.Input, &whole) == nil && whole != "" {
			b.Input = json.RawMessage(whole)
		}
		var same bytes.Buffer
		if json.Compact(&same, b.Input) == nil {
			b.Input = same.Bytes()
		}
	}
}

func TestStopReasons(t *testing.T) {
	d := serve(t, nil)
	const count = `"messages":[{"role":"user","content":"Please count."}]`
	for _, test := range []struct{ request, reason, sequence string }{
		{body("replay", greeting), "end_turn", ""},
		{body("replay", weather), "tool_use", ""},
		{body("replay", weather+`,"tool_choice":{"type":"tool","name":"get_weather"}`), "tool_use", ""},
		{body("replay", weather+`,"tool_choice":{"type":"none"}`), "end_turn", ""},
		{`{"model":"replay","max_tokens":3,` + count + `}`, "max_tokens", ""},
		{body("replay", count+`,"stop_sequences":["nothing","four"]`), "stop_sequence", "four"},
		{body("replay", thinks+count+`,"stop_sequences":["ten","four"]`), "stop_sequence", "four"},
	} {
		m := d.message(t, test.request)
		if got := *m.Reason; got != test.reason || (m.Sequence != nil) != (test.sequence != "") || m.Sequence != nil && *m.Sequence != test.sequence {
			t.Errorf("%s: %s, %v", test.request, got, m.Sequence)
		}
	}
	d.output, d.last = "Hello", engine.Piece{Finish: engine.Limited, Full: true}
	if m := d.message(t, body("scripted", greeting)); *m.Reason != "model_context_window_exceeded" {
		t.Error(*m.Reason)
	}
}

func TestUsageIsCountedAsAnthropicDoes(t *testing.T) {
	d := serve(t, nil)
	d.output, d.last.Usage = "Thought.\n</think>\n\nHello", &engine.Usage{Prompt: 100, Completion: 9, Cached: new(int), Reasoning: new(int)}
	*d.last.Usage.Cached, *d.last.Usage.Reasoning = 60, 5
	want := usage{InputTokens: 40, CacheRead: 60, OutputTokens: 9, Output: &thinkingTokens{5}, ServiceTier: "standard"}
	if diff := cmp.Diff(want, d.message(t, body("scripted", thinks+greeting)).Usage); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestThinkingComesBack plays a tool loop: the thinking before a call is in the prompt that has the call's result.
func TestThinkingComesBack(t *testing.T) {
	d := serve(t, nil)
	const thought = "They want the weather, so I ask."
	sealed := d.sealer.Seal(seal.Reasoning, thought)
	for _, test := range []struct{ name, block, warning string }{
		{"as it was answered", `{"type":"thinking","thinking":"` + thought + `","signature":"` + sealed + `"}`, ""},
		{"its signature alone", `{"type":"thinking","thinking":"","signature":"` + sealed + `"}`, ""},
		{"redacted", `{"type":"redacted_thinking","data":"` + sealed + `"}`, ""},
		{"not signed", `{"type":"thinking","thinking":"` + thought + `","signature":""}`, ""},
		{"signed by others", `{"type":"thinking","thinking":"` + thought + `","signature":"EqoBCkg="}`, ""},
		{"the signature of others alone", `{"type":"thinking","thinking":"","signature":"EqoBCkg="}`, "ignored messages[1].content[0]: its thinking is not of this gateway"},
		{"redacted by others", `{"type":"redacted_thinking","data":"EqoBCkg="}`, "ignored messages[1].content[0]: its thinking is not of this gateway"},
	} {
		t.Run(test.name, func(t *testing.T) {
			res, text := d.post(t, messagesPath, body("replay", thinks+tools+`,"messages":[{"role":"user","content":"Weather?"},
				{"role":"assistant","content":[`+test.block+`,{"type":"text","text":"Let me look."},{"type":"tool_use","id":"t1","name":"get_weather","input":{"city":"Oslo"}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"7 degrees"}]}]}]`))
			if res.StatusCode != http.StatusOK || !strings.Contains(text, "The answer is: 7 degrees") {
				t.Fatalf("%d %s", res.StatusCode, text)
			}
			if has := strings.Contains(d.asked.Prompt, thought); has != (test.warning == "") || !strings.Contains(res.Header.Get(reply.WarningsHeader), test.warning) {
				t.Errorf("warnings %q, prompt %s", res.Header.Get(reply.WarningsHeader), d.asked.Prompt)
			}
		})
	}
}

func TestThinkingIsWhatTheRequestWants(t *testing.T) {
	d := serve(t, nil)
	for more, want := range map[string]string{
		"":                                  "text",
		`"thinking":{"type":"disabled"},`:   "text",
		thinks:                              "thinking text",
		`"thinking":{"type":"adaptive"},`:   "thinking text",
		`"output_config":{"effort":"low"},`: "thinking text",
		`"thinking":{"type":"disabled"},"output_config":{"effort":"low"},`: "text",
	} {
		check(t, d.message(t, body("replay", more+greeting)), want, "end_turn")
	}
	m := d.message(t, body("replay", `"thinking":{"type":"adaptive","display":"omitted"},`+greeting))
	if b := m.Content[0]; b.Type != "thinking" || b.Thinking != "" || b.Signature == "" {
		t.Errorf("%+v", b)
	} else if thought, err := d.sealer.Open(seal.Reasoning, b.Signature); thought == "" || err != nil {
		t.Errorf("%q, %v", thought, err)
	}
}

func TestNoncesOfAgentsAreDropped(t *testing.T) {
	d := serve(t, nil)
	res, _ := d.post(t, messagesPath, body("replay", `"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1; cch=00b3f;"},{"type":"text","text":"Be brief."}],`+greeting))
	if res.StatusCode != http.StatusOK || strings.Contains(d.asked.Prompt, "billing") || !strings.Contains(d.asked.Prompt, "Be brief.") || !strings.Contains(res.Header.Get(reply.WarningsHeader), "x-anthropic-billing-header") {
		t.Errorf("%v: %s", res.Header, d.asked.Prompt)
	}
}

func TestAPrefilledAnswerIsContinued(t *testing.T) {
	d := serve(t, nil)
	d.output = " is Oslo."
	m := d.message(t, body("scripted", `"messages":[{"role":"user","content":"The capital of Norway?"},{"role":"assistant","content":"The capital"}]`))
	if !strings.HasSuffix(d.asked.Prompt, "The capital") || m.Content[0].Text != " is Oslo." {
		t.Errorf("%q: %+v", d.asked.Prompt, m.Content)
	}
}

func TestTokensAreCounted(t *testing.T) {
	d := serve(t, nil)
	count := func(more string) int {
		res, text := d.post(t, countPath+"?beta=true", `{"model":"replay",`+more+`}`)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", res.StatusCode, text)
		}
		return decode[struct {
			N int `json:"input_tokens"`
		}](t, text).N
	}
	plain := count(greeting)
	if asked := d.message(t, body("replay", greeting)).Usage.InputTokens; plain != asked || plain == 0 {
		t.Errorf("%d tokens are counted, %d were sent", plain, asked)
	}
	if withSystem, withTools := count(`"system":"Be brief.",`+greeting), count(tools+`,`+greeting); withSystem <= plain || withTools <= withSystem {
		t.Errorf("%d, %d, %d", plain, withSystem, withTools)
	}
}

func TestFailuresAreInTheWordsOfAnthropic(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Auth.ClientTokens = []string{"key"} })
	d.output, d.fails = "Hello", gone()
	failure := func(body string, header ...string) (int, errorObject) {
		res, text := d.post(t, messagesPath, body, header...)
		e := decode[errorObject](t, text)
		if e.Type != "error" || e.RequestID == "" || e.RequestID != res.Header.Get("Request-Id") || e.Error.Message == "" {
			t.Errorf("%s", text)
		}
		return res.StatusCode, e
	}
	for _, test := range []struct {
		name, body string
		header     []string
		status     int
		kind       string
	}{
		{"no key", body("replay", greeting), nil, 401, "authentication_error"},
		{"a wrong key", body("replay", greeting), []string{"X-Api-Key", "x"}, 401, "authentication_error"},
		{"no model of that name", body("nothing", greeting), []string{"X-Api-Key", "key"}, 404, "not_found_error"},
		{"a bad request", body("replay", `"messages":[]`), []string{"Authorization", "Bearer key"}, 400, "invalid_request_error"},
		{"no JSON", `{`, []string{"X-Api-Key", "key"}, 400, "invalid_request_error"},
		{"an engine that fails", body("scripted", greeting), []string{"X-Api-Key", "key"}, 529, "overloaded_error"},
	} {
		if status, e := failure(test.body, test.header...); status != test.status || e.Error.Type != test.kind {
			t.Errorf("%s: %d %+v", test.name, status, e)
		}
	}
	res, text := d.post(t, messagesPath, body("scripted", `"stream":true,`+greeting), "X-Api-Key", "key")
	all := events(t, text)
	if last := all[len(all)-1]; res.StatusCode != http.StatusOK || last.Type != "error" || last.Error.Type != "overloaded_error" || !strings.Contains(last.Error.Message, "the engine is gone") {
		t.Errorf("%d %s", res.StatusCode, text)
	}
}

func TestAClientThatLeavesEndsItsEngine(t *testing.T) {
	d := serve(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL+messagesPath, strings.NewReader(body("endless", `"stream":true,`+greeting)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := d.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || line != "event: message_start\n" {
		t.Errorf("%q %v", line, err)
	}
	leave()
	<-d.ended
}

func TestDeltasAllocateNothing(t *testing.T) {
	e := &encoder{text: make([]byte, 0, 1<<16)}
	text := []byte(`{"city": "Grünau"}`)
	allocations := testing.AllocsPerRun(100, func() {
		for kind := range deltas {
			e.delta(3, kind, text)
		}
		e.text = e.text[:0]
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func BenchmarkDelta(b *testing.B) {
	e := new(encoder)
	b.ReportAllocs()
	for b.Loop() {
		e.delta(1, chat.ContentText, []byte(" words"))
		e.text = e.text[:0]
	}
}

func TestWhiteSpaceAloneOpensNoBlock(t *testing.T) {
	all := &content{}
	b := &blocks{to: all, sealer: sealer(t)}
	for _, p := range []chat.Piece{
		{Kind: chat.ReasoningText, Text: []byte(" \n")}, {Kind: chat.ContentText, Text: []byte("\n")}, {Kind: chat.CallArguments, ID: "1", Name: "f", Text: []byte("{}")},
		{Kind: chat.ContentText, Text: []byte("\n")}, {Kind: chat.CallArguments, Call: 1, ID: "2", Name: "g"}, {Kind: chat.ContentText, Text: []byte("\n")},
		{Kind: chat.ContentText, Text: []byte("Done")}, {Kind: chat.ContentText, Text: []byte(" ")}, {Kind: chat.ReasoningText, Text: []byte("\n")},
	} {
		b.add(&p)
	}
	b.last(chat.FinishStop)
	want := []any{&callBlock{"tool_use", "1", "f", json.RawMessage("{}")}, &callBlock{"tool_use", "2", "g", struct{}{}}, &textBlock{"text", "\nDone "}}
	if diff := cmp.Diff(want, all.blocks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
