package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is an engine that writes given pieces, and keeps its requests.
type scripted struct {
	engine.Description
	models   []engine.Model
	pieces   []engine.Piece
	then     [][]engine.Piece // of the completions after the first; nil: pieces again
	failures []error          // of the first completions
	down     error            // of Models
	requests []*engine.Request
	closed   int
}

func (e *scripted) Describe() engine.Description { return e.Description }

func (e *scripted) Models(context.Context) ([]engine.Model, error) {
	if e.models == nil {
		return []engine.Model{{Name: "m", Known: "chatml-json"}}, e.down
	}
	return e.models, e.down
}

func (e *scripted) Complete(_ context.Context, r *engine.Request) (engine.Stream, error) {
	e.requests = append(e.requests, r)
	if n := len(e.requests); n <= len(e.failures) && e.failures[n-1] != nil {
		return nil, e.failures[n-1]
	}
	if n := len(e.requests) - len(e.failures) - 1; n > 0 && n <= len(e.then) {
		return &script{engine: e, left: e.then[n-1]}, nil
	}
	return &script{engine: e, left: e.pieces}, nil
}

type script struct {
	engine *scripted
	left   []engine.Piece
}

func (s *script) Next() (engine.Piece, error) {
	if len(s.left) == 0 {
		return engine.Piece{}, io.EOF
	}
	p := s.left[0]
	s.left = s.left[1:]
	return p, nil
}

func (s *script) Close() error {
	s.engine.closed++
	return nil
}

// front returns a gateway in front of engines, named e0, e1, ….
func front(t *testing.T, engines ...engine.Engine) *Gateway {
	t.Helper()
	cfg := config.Default()
	h, err := host.New(t.Context(), host.Options{Config: cfg, Static: true})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Host: h}
	for i, e := range engines {
		o.Servers = append(o.Servers, Server{Name: fmt.Sprintf("e%d", i), Find: func(context.Context) (engine.Engine, error) { return e, nil }})
	}
	g := New(t.Context(), o)
	t.Cleanup(func() {
		g.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return g
}

// answered is what a client receives of one output.
type answered struct {
	deltas  []chat.Delta // merged
	message string
	reason  chat.FinishReason
	err     error
}

// answer answers a request whole.
func answer(t *testing.T, g *Gateway, request string) (out answered, o *Output) {
	t.Helper()
	a, err := g.Plan(t.Context(), []byte(request))
	if err != nil {
		return answered{err: err}, nil
	}
	var waited time.Duration
	if o, err = a.Begin(t.Context(), "id", &waited); err != nil {
		return answered{err: err}, nil
	}
	defer o.Close()
	for {
		pieces, err := o.Next(nil)
		out.deltas = merge(out.deltas, chat.Deltas(pieces))
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			out.err = err
			return out, o
		}
	}
	text, err := o.Result().Message.MarshalJSON()
	out.message, out.reason, out.err = string(text), o.Result().FinishReason, err
	return out, o
}

// merge appends deltas of the same part to one.
func merge(to, more []chat.Delta) []chat.Delta {
	for _, d := range more {
		if n := len(to); n > 0 && d.Role == "" && len(d.ToolCalls) == 0 && len(to[n-1].ToolCalls) == 0 && (d.Content != "" && to[n-1].Content != "" || d.ReasoningContent != "" && to[n-1].ReasoningContent != "") {
			to[n-1].Content += d.Content
			to[n-1].ReasoningContent += d.ReasoningContent
			continue
		}
		to = append(to, d)
	}
	return to
}

// inPieces cuts an output into pieces of n bytes.
func inPieces(output string, n int, finish engine.Finish) (out []engine.Piece) {
	for ; len(output) > n; output = output[n:] {
		out = append(out, engine.Piece{Text: []byte(output[:n])})
	}
	return append(out, engine.Piece{Text: []byte(output), Finish: finish})
}

const hello = `{"model":"m","messages":[{"role":"user","content":"Hi"}]%s}`

func TestStopsEndTheContentHoweverItIsCut(t *testing.T) {
	const tools = `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`
	call := "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"STOP\"}}\n</tool_call>"
	for _, test := range []struct {
		name, more, output, content string
		calls                       int
		reason                      chat.FinishReason
		stop                        string
	}{
		{"none", "", "one STOP two<|im_end|>", "one STOP two", 0, chat.FinishStop, ""},
		{"one", `,"stop":"STOP"`, "one STOP two<|im_end|>", "one ", 0, chat.FinishStop, "STOP"},
		{"the first of two", `,"stop":["STOP","ne"]`, "one STOP two<|im_end|>", "o", 0, chat.FinishStop, "ne"},
		{"one that is not there", `,"stop":"STOPS"`, "one STOP two STO<|im_end|>", "one STOP two STO", 0, chat.FinishStop, ""},
		{"one of whole characters", `,"stop":"ß!"`, "Grüß? Grüß! Gott<|im_end|>", "Grüß? Grü", 0, chat.FinishStop, "ß!"},
		{"within a call", `,"stop":"STOP"` + tools, "Look. " + call + "<|im_end|>", "Look.", 1, chat.FinishToolCalls, ""},
		{"before a call", `,"stop":"Look"` + tools, "Look. " + call + "<|im_end|>", "", 0, chat.FinishStop, "Look"},
		{"begun before a call", `,"stop":"k.STOP"` + tools, "Look." + call + "<|im_end|>", "Look.", 1, chat.FinishToolCalls, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := new(scripted)
			g := front(t, e)
			for size := 1; size <= len(test.output); size++ {
				e.pieces, e.closed = inPieces(test.output, size, engine.Stopped), 0
				got, o := answer(t, g, fmt.Sprintf(hello, test.more))
				if got.err != nil {
					t.Fatal(got.err)
				}
				content, calls := "", map[int]bool{}
				for _, d := range got.deltas {
					content += d.Content
					for _, c := range d.ToolCalls {
						calls[c.Index] = true
					}
				}
				r := o.Result()
				if content != test.content || len(calls) != test.calls || len(r.Message.ToolCalls) != test.calls || r.Message.Content.Join("") != test.content || got.reason != test.reason || o.Stop() != test.stop {
					t.Errorf("in pieces of %d: content %q, %d calls, message %s, %s, stopped by %q", size, content, len(calls), got.message, got.reason, o.Stop())
				}
				if e.closed == 0 {
					t.Error("the engine goes on")
				}
			}
		})
	}
}

func TestStopsGoToEnginesThatTellWhichEndedAnOutput(t *testing.T) {
	e := &scripted{pieces: []engine.Piece{{Text: []byte("one "), Finish: engine.Stopped, Stop: "STOP"}}}
	if _, o := answer(t, front(t, e), fmt.Sprintf(hello, `,"stop":"STOP"`)); o.Stop() != "STOP" || len(e.requests[0].Stops) != 0 {
		t.Errorf("stopped by %q, sent %q", o.Stop(), e.requests[0].Stops)
	}
	e.TellsStops = true
	if _, o := answer(t, front(t, e), fmt.Sprintf(hello, `,"stop":"STOP"`)); o.Stop() != "STOP" || !slices.Equal(e.requests[1].Stops, []string{"STOP"}) {
		t.Errorf("stopped by %q, sent %q", o.Stop(), e.requests[1].Stops)
	}
}

func TestEndTokensAreNoTextHoweverTheyAreCut(t *testing.T) {
	template := `{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>`
	models := []engine.Model{{Name: "m", Template: template, BOSToken: "<s>", EOSToken: "</s>"}}
	e := &scripted{models: models}
	g := front(t, e)
	for output, want := range map[string]string{"Hi</s>": "Hi", "Hi": "Hi", "Hi</s": "Hi</s", "</s>": ""} {
		for size := 1; size <= len(output); size++ {
			e.pieces, e.requests = inPieces(output, size, engine.Stopped), nil
			got, o := answer(t, g, fmt.Sprintf(hello, ""))
			if got.err != nil || o.Result().Message.Content.Join("") != want {
				t.Errorf("%q in pieces of %d: %s %v", output, size, got.message, got.err)
			}
			if r := e.requests[0]; r.BOS != "<s>" || !strings.HasPrefix(r.Prompt, "<s><user>Hi") {
				t.Errorf("%+v", r)
			}
		}
	}
}

func TestAnEndTokenIsOneAtTheEndAlone(t *testing.T) {
	special := []match.Range{{Start: 1, End: 5}}
	for _, test := range []struct {
		output string
		finish engine.Finish
		want   string
	}{
		{"a</s>", engine.Stopped, "a"}, {"a </s> b", engine.Stopped, "a </s> b"}, {"a</s></s>", engine.Stopped, "a</s>"},
		{"a</s", engine.Stopped, "a</s"}, {"a</s>", engine.Limited, "a</s>"}, {"<<<</s>", engine.Stopped, "<<<"},
	} {
		for size := 1; size <= len(test.output); size++ {
			var got []byte
			at := tail{end: "</s>"}
			for _, p := range inPieces(test.output, size, test.finish) {
				text, _ := at.add(p)
				got = append(got, text...)
			}
			if string(got) != test.want {
				t.Errorf("%q in pieces of %d: %q", test.output, size, got)
			}
		}
	}
	known := tail{end: "</s>"}
	if text, _ := known.add(engine.Piece{Text: []byte("a</s>"), Special: []match.Range{}, Finish: engine.Stopped}); string(text) != "a</s>" {
		t.Errorf("spelt by the model: %q", text)
	}
	if text, left := known.add(engine.Piece{Text: []byte("a</s>"), Special: special, Finish: engine.Stopped}); string(text) != "a" || len(left) != 0 {
		t.Errorf("a special token: %q %v", text, left)
	}
}

func TestAnOutputThatEndsForLengthIsTruncated(t *testing.T) {
	e := &scripted{pieces: inPieces("<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\"", 3, engine.Limited)}
	got, _ := answer(t, front(t, e), fmt.Sprintf(hello, `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`))
	if got.err != nil || got.reason != chat.FinishLength {
		t.Errorf("%+v", got)
	}
}

func TestEnginesAreAskedAgainBeforeTheFirstPiece(t *testing.T) {
	lost := &fault.Error{Code: fault.Unavailable, Message: "lost"}
	refused := &fault.Error{Code: fault.InvalidArgument, Message: "refused"}
	good := inPieces("Hi<|im_end|>", 2, engine.Stopped)
	for _, test := range []struct {
		name     string
		engines  []*scripted
		requests []int
		err      error
	}{
		{"the same", []*scripted{{pieces: good, failures: []error{lost}}}, []int{2}, nil},
		{"another", []*scripted{{failures: []error{lost, lost, lost}}, {pieces: good}}, []int{1, 1}, nil},
		{"in vain", []*scripted{{failures: []error{lost, lost, lost, lost}}}, []int{3}, lost},
		{"not what is refused", []*scripted{{failures: []error{refused}}, {pieces: good}}, []int{1, 0}, refused},
		{"not after the first piece", []*scripted{{pieces: good[:1]}, {pieces: good}}, []int{1, 0}, brokenOff()},
		{"without any piece", []*scripted{{}, {pieces: good}}, []int{1, 1}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var all []engine.Engine
			for _, e := range test.engines {
				all = append(all, e)
			}
			g := front(t, all...)
			got, _ := answer(t, g, fmt.Sprintf(hello, ""))
			if fmt.Sprint(got.err) != fmt.Sprint(test.err) {
				t.Errorf("%v", got.err)
			}
			for i, e := range test.engines {
				if len(e.requests) != test.requests[i] {
					t.Errorf("engine %d was asked %d times", i, len(e.requests))
				}
				if n := g.servers[i].running.Load(); n != 0 {
					t.Errorf("%d outputs of engine %d are still counted", n, i)
				}
			}
		})
	}
}

func TestWhatAnEngineLacksIsSaid(t *testing.T) {
	good := inPieces("Hi<|im_end|>", 2, engine.Stopped)
	const schema = `,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"}}}`
	const tools = `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`
	few := engine.Description{Kind: "few", Parameters: map[string]string{engine.Temperature: "t"}}
	e := &scripted{Description: few, pieces: good}
	g := front(t, e)
	for _, test := range []struct {
		name, more, warning, place string
		target                     grammar.Target
	}{
		{name: "a parameter that tunes", more: `,"top_k":5`, warning: "ignored top_k"},
		{name: "a limit", more: `,"max_completion_tokens":5`, place: "max_tokens"},
		{name: "a member that nothing reads", more: `,"frobnicate":1`, warning: "ignored frobnicate"},
		{name: "tools", more: tools, warning: "not enforced"},
		{name: "a call that must be", more: tools + `,"tool_choice":"required"`, place: "tool_choice"},
		{name: "a format", more: schema, place: "response_format"},
		{name: "a format in JSON Schema", more: schema, target: grammar.TargetJSONSchema},
		{name: "a call in JSON Schema", more: tools + `,"tool_choice":"required"`, target: grammar.TargetJSONSchema, place: "tool_choice"},
		{name: "log probabilities", more: `,"logprobs":true`, place: "logprobs"},
		{name: "an image", more: "", place: "messages[0].content[0].type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e.Target = test.target
			request := fmt.Sprintf(hello, test.more)
			if test.name == "an image" {
				request = `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]}`
			}
			got, o := answer(t, g, request)
			var known *fault.Error
			switch {
			case test.place != "" && (!errors.As(got.err, &known) || known.Place != test.place || known.Code != fault.InvalidArgument):
				t.Errorf("%v", got.err)
			case test.place == "" && got.err != nil:
				t.Error(got.err)
			case test.warning != "" && !strings.Contains(strings.Join(o.Warnings(), "\n"), test.warning):
				t.Errorf("%q", o.Warnings())
			}
		})
	}
}

func TestModelsAreFoundByNameAliasAndTemplate(t *testing.T) {
	g := front(t, &scripted{models: []engine.Model{{Name: "org/chatml-json"}, {Name: "/models/own.gguf", Template: "{% for m in messages %}{{ m.content }}{% endfor %}"}, {Name: "bare"}}})
	g.aliases = map[string]Alias{"short": {Model: "bare", Template: "chatml-tagged"}, "elsewhere": {Model: "bare", Server: "e7"}}
	for name, want := range map[string]string{
		"org/chatml-json": "chatml-json", "/models/own.gguf": "own", "short": "chatml-tagged",
		"bare": "no chat template", "nothing": `no engine serves the model "nothing"`, "elsewhere": "no engine serves",
	} {
		r, err := g.route(name)
		if r.template != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %v", name, r.template, err)
		}
	}
	if _, err := front(t).route("m"); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "--engine") {
		t.Error(err)
	}
}

func TestAConversationStaysWhereItsBeginningWasRead(t *testing.T) {
	good := inPieces("Hi<|im_end|>", 20, engine.Stopped)
	a, b := &scripted{pieces: good}, &scripted{pieces: good}
	g := front(t, a, b)
	ask := func(more string) {
		t.Helper()
		if got, _ := answer(t, g, `{"model":"m","messages":[{"role":"user","content":"`+more+`"}]}`); got.err != nil {
			t.Fatal(got.err)
		}
	}
	g.servers[0].running.Add(1) // so that the first turn goes to the other
	ask(strings.Repeat("x", 600))
	g.servers[0].running.Add(-1)
	g.servers[1].running.Add(patience)
	ask(strings.Repeat("x", 1500))
	if len(a.requests) != 0 || len(b.requests) != 2 {
		t.Errorf("%d and %d requests", len(a.requests), len(b.requests))
	}
	ask("y")
	if len(a.requests) != 1 {
		t.Error("an unknown conversation goes to the engine with more to do")
	}
	g.servers[1].running.Add(1)
	ask(strings.Repeat("x", 1500))
	g.servers[1].running.Add(-patience - 1)
	if len(a.requests) != 2 {
		t.Error("a conversation waits for its engine although another is free")
	}
	ask(strings.Repeat("x", 1600))
	if len(a.requests) != 3 {
		t.Error("a conversation does not stay where it has moved")
	}
}

func TestEnginesAreListedWithTheirState(t *testing.T) {
	up := &scripted{Description: engine.Description{Kind: "vllm"}, pieces: inPieces("Hi", 2, engine.Stopped)}
	g := front(t, up, &scripted{down: errors.New("refused")})
	_, out := answer(t, g, `{"model":"m","messages":[{"role":"user","content":"Hi"}]}`)
	out.Close()
	g.servers[0].running.Add(1)
	all := g.Servers()
	if len(all) != 2 || all[0].Name != "e0" || all[0].Kind != "vllm" || all[0].Running != 1 || all[0].Error != "" || len(all[0].Models) != 1 {
		t.Errorf("%+v", all)
	}
	if all[1].Error != "refused" || all[1].Models == nil {
		t.Errorf("%+v", all)
	}
}

func TestAnEngineThatIsDownIsAskedForAgain(t *testing.T) {
	e := &scripted{down: errors.New("refused"), pieces: inPieces("Hi<|im_end|>", 2, engine.Stopped)}
	g := front(t, e)
	if _, err := g.route("m"); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "e0: refused") {
		t.Error(err)
	}
	e.down = nil
	g.ask(t.Context(), g.servers[0])
	if _, err := g.route("m"); err != nil {
		t.Error(err)
	}
	e.down = errors.New("gone")
	g.ask(t.Context(), g.servers[0])
	if _, err := g.route("m"); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

func TestSettingsAreCheckedByTheirMembers(t *testing.T) {
	g := front(t, &scripted{pieces: inPieces("Hi<|im_end|>", 2, engine.Stopped)})
	for more, want := range map[string]string{
		`,"temperature":"hot"`:                         "temperature: expected a number from 0 to 2, found a string",
		`,"top_p":1.5`:                                 "top_p: expected a number from 0 to 1, found 1.5",
		`,"n":0`:                                       "n: expected a whole number from 1 to 16, found 0",
		`,"seed":1.5`:                                  "seed: expected a whole number",
		`,"stop":[]`:                                   "",
		`,"stop":[1]`:                                  "stop: expected a string",
		`,"stop":""`:                                   "stop: expected a string that is not empty",
		`,"stream":"yes"`:                              "stream: expected true or false, found a string",
		`,"stream_options":true`:                       "stream_options: expected an object, found true",
		`,"stream_options":{"include_usage":1}`:        "stream_options.include_usage: expected true or false, found 1",
		`,"logprobs":1`:                                "logprobs: expected true or false",
		`,"top_logprobs":2`:                            "top_logprobs: only allowed with logprobs: true",
		`,"logprobs":true,"top_logprobs":21`:           "top_logprobs: expected a whole number from 0 to 20",
		`,"logprobs":false,"top_logprobs":0`:           "",
		`,"modalities":["text", "audio"]`:              "modalities: not supported",
		`,"modalities":["text"]`:                       "",
		`,"max_tokens":0`:                              "max_tokens: expected a whole number from 1",
		`,"logit_bias":{"a":1}`:                        "logit_bias.a: expected an object with a number",
		`,"user":"u","store":true,"service_tier":null`: "",
		`,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"$ref":"#/x"}}}}}]`: "tools[0]",
	} {
		_, err := g.Plan(t.Context(), []byte(fmt.Sprintf(hello, more)))
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", more, err)
		}
	}
	if _, err := g.Plan(t.Context(), []byte(`{"messages":[{"role":"user","content":"Hi"}]}`)); err == nil || !strings.HasPrefix(err.Error(), "model: missing") {
		t.Error(err)
	}
}
