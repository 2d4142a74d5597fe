package openai

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/gateway"
	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/gateway/engine/replay"
	"github.com/dragoman-project/dragoman/gateway/gatewaytest"
	"github.com/dragoman-project/dragoman/gateway/reply"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/api"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// breaking is the replay engine with the model "breaking", whose output fails after the third piece, and the model "endless", which
// writes until its context ends.
type breaking struct {
	*replay.Engine
	ended chan struct{} // an endless output has
}

func (b *breaking) Models(context.Context) ([]engine.Model, error) {
	return []engine.Model{{Name: "replay", Known: "chatml-reasoning"}, {Name: "breaking", Known: "chatml-reasoning"}, {Name: "endless", Known: "chatml-reasoning"}}, nil
}

func (b *breaking) Describe() engine.Description {
	d := b.Engine.Describe()
	d.Logprobs = true
	return d
}

// likelyStream tells log probabilities: a piece counts as a token.
type likelyStream struct{ engine.Stream }

func (l *likelyStream) Next() (engine.Piece, error) {
	p, err := l.Stream.Next()
	p.Tokens = []engine.Token{{Text: p.Text, Logprob: -0.5, Top: []engine.Token{{Text: p.Text, Logprob: -0.5}, {Text: []byte("\xc3"), Logprob: -2}}}}
	return p, err
}

func (b *breaking) Complete(ctx context.Context, r *engine.Request) (engine.Stream, error) {
	s, err := b.Engine.Complete(ctx, r)
	if r.Logprobs != nil {
		return &likelyStream{s}, err
	}
	switch r.Model {
	case "breaking":
		return &broken{Stream: s}, err
	case "endless":
		return &gatewaytest.Endless{Context: ctx, Ended: b.ended}, nil
	}
	return s, err
}

type broken struct {
	engine.Stream
	n int
}

func (b *broken) Next() (engine.Piece, error) {
	if b.n++; b.n > 3 {
		return engine.Piece{}, &fault.Error{Code: fault.Unavailable, Message: "the engine is gone", Remedy: "try again"}
	}
	return b.Stream.Next()
}

type daemon struct {
	*gatewaytest.Daemon
	engine *breaking
}

func serve(t *testing.T, change ...func(*config.Config)) *daemon {
	t.Helper()
	player, err := replay.New(replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := &breaking{player, make(chan struct{})}
	return &daemon{gatewaytest.Serve(t, e, func(cfg *config.Config) {
		for _, c := range change {
			c(cfg)
		}
	}, Endpoints), e}
}

func (d *daemon) post(t *testing.T, body string, headers ...string) (gatewaytest.Head, string) {
	t.Helper()
	return d.Send(t, http.MethodPost, chatPath, body, headers...)
}

// chunk is what clients read of an event.
type chunk struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Index int
		Delta struct {
			Role, Content string
			Reasoning     string `json:"reasoning_content"`
			Calls         []struct {
				Index    int
				ID, Type string
				Function *struct {
					Name      string
					Arguments *string
				}
			} `json:"tool_calls"`
		}
		Finish *string `json:"finish_reason"`
	}
	Usage *usage
	Error *apiError
}

// chunks reads a stream of events.
func chunks(t *testing.T, body string) (all []chunk, done bool) {
	t.Helper()
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok || done {
			t.Fatalf("unexpected event %q", event)
		}
		if done = data == "[DONE]"; done {
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		all = append(all, c)
	}
	return all, done
}

const (
	greeting = `"messages":[{"role":"user","content":"Hi"}]`
	weather  = `"messages":[{"role":"user","content":"Weather in Oslo and Bergen?"}],"tools":[{"type":"function","function":{"name":"get_weather","strict":true,"parameters":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}]`
)

func TestChunksAreThoseOfOpenAI(t *testing.T) {
	d := serve(t)
	res, body := d.post(t, `{"model":"replay","stream":true,"stream_options":{"include_usage":true},"n":2,`+weather+`}`)
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") || res.Header.Get("X-Request-Id") == "" || res.Header.Get(reply.OverheadHeader) == "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	all, done := chunks(t, body)
	if !done {
		t.Error("no [DONE]")
	}
	type call struct{ id, name, arguments string }
	type message struct {
		content, reasoning, finish string
		calls                      []call
		n                          int
	}
	got := map[int]*message{0: {}, 1: {}}
	for i, c := range all {
		if c.ID == "" || c.ID != all[0].ID || c.Object != "chat.completion.chunk" || c.Created == 0 || c.Model != "replay" || c.Error != nil {
			t.Fatalf("chunk %d: %+v", i, c)
		}
		if i == len(all)-1 {
			if len(c.Choices) != 0 || c.Usage == nil || c.Usage.PromptTokens == 0 || c.Usage.TotalTokens != c.Usage.PromptTokens+c.Usage.CompletionTokens ||
				c.Usage.PromptDetails == nil || c.Usage.CompletionDetails.ReasoningTokens == 0 {
				t.Errorf("the last chunk is %+v", c)
			}
			continue
		}
		choice := c.Choices[0]
		m := got[choice.Index]
		if first := m.n == 0; first != (choice.Delta.Role == "assistant") || m.finish != "" {
			t.Errorf("chunk %d of choice %d: %+v", m.n, choice.Index, c)
		}
		m.n++
		m.content, m.reasoning = m.content+choice.Delta.Content, m.reasoning+choice.Delta.Reasoning
		for _, k := range choice.Delta.Calls {
			if k.Index == len(m.calls) {
				if k.ID == "" || k.Type != "function" || k.Function.Name == "" || k.Function.Arguments == nil || *k.Function.Arguments != "" {
					t.Errorf("a call begins with %+v", k)
				}
				m.calls = append(m.calls, call{id: k.ID, name: k.Function.Name})
				continue
			}
			if k.ID != "" || k.Type != "" || k.Function.Name != "" {
				t.Errorf("a call goes on with %+v", k)
			}
			m.calls[k.Index].arguments += *k.Function.Arguments
		}
		if choice.Finish != nil {
			m.finish = *choice.Finish
		}
	}
	for i, m := range got {
		if m.finish != "tool_calls" || m.content != "I look that up for both." || m.reasoning == "" || len(m.calls) != 2 ||
			m.calls[0].arguments != `{"city": "Oslo"}` || m.calls[1].arguments != `{"city": "Bergen"}` || m.calls[0].id == m.calls[1].id {
			t.Errorf("choice %d: %+v", i, m)
		}
	}
	if got[0].calls[0].id == got[1].calls[0].id {
		t.Error("two choices have calls of one id")
	}
}

func TestACompletionIsWhatItsChunksAre(t *testing.T) {
	d := serve(t)
	res, body := d.post(t, `{"model":"replay",`+weather+`}`)
	var got struct {
		ID, Object string
		Choices    []struct {
			Message struct {
				Role      string
				Content   *string
				Reasoning string `json:"reasoning_content"`
				Calls     []struct {
					Type     string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
			Finish string `json:"finish_reason"`
		}
		Usage usage
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	if m := got.Choices[0].Message; got.Object != "chat.completion" || m.Role != "assistant" || *m.Content != "I look that up for both." || m.Reasoning == "" || len(m.Calls) != 2 || got.Choices[0].Finish != "tool_calls" || got.Usage.TotalTokens == 0 {
		t.Errorf("%s", body)
	}
}

func TestFinishReasons(t *testing.T) {
	d := serve(t)
	for more, want := range map[string]string{
		greeting: "stop", weather: "tool_calls", greeting + `,"max_tokens":3`: "length", weather + `,"max_completion_tokens":33`: "length",
		weather + `,"tool_choice":{"type":"function","function":{"name":"get_weather"}}`: "stop", weather + `,"tool_choice":"required"`: "tool_calls",
		weather + `,"tool_choice":"none"`: "stop",
	} {
		for _, stream := range []string{"", `,"stream":true`} {
			_, body := d.post(t, `{"model":"replay",`+more+stream+`}`)
			if !strings.Contains(body, `"finish_reason":"`+want+`"`) || want == "stop" && strings.Contains(more, "none") && strings.Contains(body, "tool_calls") {
				t.Errorf("%s%s: %s", more, stream, body[max(0, len(body)-400):])
			}
		}
	}
}

func TestAToolLoopEnds(t *testing.T) {
	d := serve(t)
	_, tools, _ := strings.Cut(weather, `,"tools"`)
	for _, reasoning := range []string{"reasoning_content", "reasoning"} {
		res, body := d.post(t, `{"model":"replay","messages":[{"role":"developer","content":"Be brief."},{"role":"user","content":"Weather?"},
			{"role":"assistant","`+reasoning+`":"I ask.","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"7 degrees"}],"tools"`+tools+`}`)
		if res.StatusCode != http.StatusOK || !strings.Contains(body, "The answer is: 7 degrees") {
			t.Errorf("%d %s", res.StatusCode, body)
		}
	}
}

func TestErrorsNameTheirMember(t *testing.T) {
	d := serve(t)
	for _, test := range []struct {
		body, param, code, kind string
		status                  int
	}{
		{`{"model":"replay"}`, "messages", "", "invalid_request_error", 400},
		{`{"model":"replay","messages":[{"role":"user","content":7}]}`, "messages[0].content", "", "invalid_request_error", 400},
		{`{"model":"nothing",` + greeting + `}`, "model", "model_not_found", "invalid_request_error", 404},
		{`{"model":"replay","temperature":"hot",` + greeting + `}`, "temperature", "", "invalid_request_error", 400},
		{`{"model":"replay","stream_options":{"include_usage":true},` + greeting + `}`, "stream_options", "", "invalid_request_error", 400},
		{`{"model":"replay","stream":true,"tool_choice":"required",` + greeting + `}`, "tool_choice", "", "invalid_request_error", 400},
		{`{"model":"breaking",` + greeting + `}`, "", "unavailable", "server_error", 503},
		{`{`, "", "", "invalid_request_error", 400},
	} {
		res, body := d.post(t, test.body)
		var got errorObject
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%s: %s", test.body, body)
		}
		text := func(s *string) string {
			if s == nil {
				return ""
			}
			return *s
		}
		if e := got.Error; res.StatusCode != test.status || text(e.Param) != test.param || text(e.Code) != test.code || e.Type != test.kind || e.Message == "" {
			t.Errorf("%s: %d %s", test.body, res.StatusCode, body)
		}
	}
}

func TestAFailureWithinAStreamIsAnEvent(t *testing.T) {
	_, body := serve(t).post(t, `{"model":"breaking","stream":true,`+greeting+`}`)
	all, done := chunks(t, body)
	if last := all[len(all)-1]; done || len(all) < 2 || last.Error == nil || !strings.Contains(last.Error.Message, "the engine is gone") {
		t.Errorf("%s", body)
	}
}

func TestAClientThatLeavesEndsItsEngine(t *testing.T) {
	d := serve(t)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL+chatPath, strings.NewReader(`{"model":"endless","stream":true,`+greeting+`}`))
	if err != nil {
		t.Fatal(err)
	}
	res, err := d.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, "data: ") {
		t.Errorf("%q %v", line, err)
	}
	leave()
	<-d.engine.ended
}

func TestMoreChoicesThanOutputsAreRefused(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Limits.Sessions = 2 })
	if res, body := d.post(t, `{"model":"replay","n":3,`+greeting+`}`); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "limits.sessions") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, body := d.post(t, `{"model":"replay","n":2,`+greeting+`}`); res.StatusCode != http.StatusOK {
		t.Errorf("after the refusal: %d %s", res.StatusCode, body)
	}
}

func TestModelsAreListed(t *testing.T) {
	d := serve(t)
	for path, want := range map[string][]string{
		modelsPath: {`"object":"list"`, `"id":"breaking"`, `"id":"replay"`}, modelsPath + "/replay": {`{"id":"replay","object":"model"`},
		modelsPath + "/org/nothing": {`"error"`, `no such model`},
	} {
		res, err := d.Client().Get(d.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if slices.ContainsFunc(want, func(part string) bool { return !strings.Contains(string(body), part) }) || err != nil || res.Body.Close() != nil {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// BenchmarkStream measures what a piece of a stream costs besides the engine.
func BenchmarkStream(b *testing.B) {
	player, err := replay.New(replay.Options{})
	if err != nil {
		b.Fatal(err)
	}
	h, err := host.New(b.Context(), host.Options{Config: config.Default(), Static: true})
	if err != nil {
		b.Fatal(err)
	}
	g := gateway.New(b.Context(), gateway.Options{Host: h, Servers: []gateway.Server{{Name: "e", Find: func(context.Context) (engine.Engine, error) { return player, nil }}}})
	defer g.Close()
	server := api.New(h, api.Options{Endpoints: Endpoints(g)})
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost"+chatPath, strings.NewReader(fmt.Sprintf(`{"model":"replay","stream":true,%s}`, greeting))))
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
