package gateway

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// thinkers are templates of which one begins reasoning in the prompt, and the other leaves that to the model.
var thinkers = []engine.Model{{Name: "open", Known: "chatml-reasoning"}, {Name: "idle", EOSToken: "<|im_end|>", Template: `{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.reasoning_content %}<think>
{{ m.reasoning_content }}
</think>

{% endif %}{{ m.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`}}

// TestThinkingEndsAtItsBudgetHoweverItIsCut has the engine think too long, in pieces of any size, each of which counts as a token.
func TestThinkingEndsAtItsBudgetHoweverItIsCut(t *testing.T) {
	const budget, long = 3, "Grüße… </thi 世界 </think not yet, and I think, and I think, and I think, and I think, and I think of it"
	for _, m := range thinkers {
		t.Run(m.Name, func(t *testing.T) {
			output := long
			if m.Name == "idle" {
				output = "<think>\n" + long
			}
			e := &scripted{models: thinkers}
			g := front(t, e)
			for size := 1; size <= len(output)/(budget+1); size++ {
				for rest := 1; rest <= len("\n\nHello!"); rest++ {
					e.pieces, e.then, e.requests, e.closed = inPieces(output, size, engine.Stopped), [][]engine.Piece{inPieces("\n\nHello!<|im_end|>", rest, engine.Stopped)}, nil, 0
					got, o := answer(t, g, `{"model":"`+m.Name+`","messages":[{"role":"user","content":"Hi"}],"thinking_budget":3}`)
					if got.err != nil || len(e.requests) != 2 || e.closed != 2 {
						t.Fatalf("%d requests, %d closed: %v", len(e.requests), e.closed, got.err)
					}
					end := size * budget
					if m.Name == "idle" {
						end = max(end, (len("<think>")+size-1)/size*size+(budget-1)*size)
					}
					for !utf8.ValidString(output[:end]) {
						end += size
					}
					written := strings.TrimPrefix(e.requests[1].Prompt, e.requests[0].Prompt+output[:end])
					begun := len("</think>") - 1
					for !strings.HasSuffix(output[:end], "</think>"[:begun]) {
						begun--
					}
					if written != "</think>"[begun:] {
						t.Fatalf("in pieces of %d the prompt ends in %q, expected what was written until %q", size, e.requests[1].Prompt, output[:end])
					}
					whole, err := o.answer.planned.Parse(t.Context(), []byte(output[:end]+written+"\n\nHello!"), false, session.Options{})
					if err != nil || fmt.Sprint(merge(nil, whole.Deltas)) != fmt.Sprint(got.deltas) || got.deltas[len(got.deltas)-1].Content != "Hello!" {
						t.Fatalf("in pieces of %d: %v, %v", size, got.deltas, err)
					}
					if notes := o.Result().Report.Notes; len(notes) == 0 || !strings.Contains(notes[len(notes)-1], "ended the thinking after") {
						t.Errorf("%q", notes)
					}
				}
			}
		})
	}
}

func TestABudgetOfThinkingChangesNothingUntilItIsSpent(t *testing.T) {
	const output = "Hm.</think>\n\nHello! One more <think> is prose, and so are the words behind it.<|im_end|>"
	e := &scripted{models: thinkers}
	g := front(t, e)
	for _, more := range []string{`"thinking_budget":30`, `"enable_thinking":true`, `"reasoning":{"effort":"low"}`} {
		for size := 1; size <= len(output); size++ {
			e.pieces, e.requests = inPieces(output, size, engine.Stopped), nil
			got, o := answer(t, g, `{"model":"open","messages":[{"role":"user","content":"Hi"}],`+more+`}`)
			if got.err != nil || len(e.requests) != 1 || o.Result().Message.ReasoningContent != "Hm." || len(o.Result().Report.Notes) > 0 {
				t.Fatalf("%s in pieces of %d: %+v", more, size, got)
			}
		}
	}
}

// TestNoThinking has a model think that should not, with a template that has no switch for it.
func TestNoThinking(t *testing.T) {
	always := []engine.Model{{Name: "open", Template: thinkers[1].Template[:len(thinkers[1].Template)-len("{% endif %}")] + "<think>\n{% endif %}", EOSToken: "<|im_end|>"}, thinkers[1]}
	for _, m := range always {
		e := &scripted{models: always, then: [][]engine.Piece{inPieces("Hello!<|im_end|>", 4, engine.Stopped)}}
		e.pieces = inPieces("<think>\nHm, let me see", 4, engine.Stopped)
		if m.Name == "open" {
			e.pieces = e.then[0]
		}
		got, o := answer(t, front(t, e), `{"model":"`+m.Name+`","messages":[{"role":"user","content":"Hi"}],"reasoning":{"max_tokens":0}}`)
		if got.err != nil || o.Result().Message.Content.Join("") != "Hello!" || len(o.Result().Message.ReasoningContent) > 4 {
			t.Errorf("%s: %+v", m.Name, got)
		}
		last := e.requests[len(e.requests)-1]
		if !strings.HasSuffix(last.Prompt, "</think>") || (len(e.requests) == 1) != (m.Name == "open") {
			t.Errorf("%s: %d requests, %q", m.Name, len(e.requests), last.Prompt)
		}
	}
}

func TestAnEngineThatIsGoneAfterThinkingIsAnError(t *testing.T) {
	gone := &fault.Error{Code: fault.Unavailable, Message: "the connection was closed", Err: io.EOF}
	e := &scripted{models: thinkers, pieces: inPieces(strings.Repeat("Hm. ", 50), 4, engine.Stopped), failures: []error{nil, gone, gone, gone}}
	got, _ := answer(t, front(t, e), `{"model":"open","messages":[{"role":"user","content":"Hi"}],"reasoning":{"max_tokens":10}}`)
	if fault.CodeOf(got.err) != fault.Unavailable || errors.Is(got.err, io.EOF) {
		t.Errorf("%+v", got)
	}
}

func TestWhatFollowsThinkingKeepsItsLimits(t *testing.T) {
	long := inPieces(strings.Repeat("Hm. ", 50), 4, engine.Stopped)
	for i := range long {
		long[i].Usage = &engine.Usage{Prompt: 100, Completion: i + 1}
	}
	rest := inPieces("{\"a\":1}<|im_end|>", 30, engine.Stopped)
	rest[0].Usage = &engine.Usage{Prompt: 112, Completion: 7, Cached: new(int)}
	e := &scripted{models: thinkers, pieces: long, then: [][]engine.Piece{rest}, Description: engine.Description{Target: grammar.TargetGBNF, Parameters: map[string]string{engine.MaxTokens: "", engine.MinTokens: "", engine.TopP: ""}}}
	got, o := answer(t, front(t, e), `{"model":"open","messages":[{"role":"user","content":"Hi"}],"thinking":{"type":"enabled","budget_tokens":10},"max_tokens":50,"min_tokens":3,"top_p":0.5,
		"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}}`)
	if got.err != nil || o.Result().Message.Content.Join("") != `{"a":1}` {
		t.Fatalf("%+v", got)
	}
	first, second := e.requests[0], e.requests[1]
	if k := second.Constraint; k == nil || k.Lazy || strings.Contains(k.Grammar, "through") || !strings.Contains(first.Constraint.Grammar, "through") {
		t.Errorf("%+v\n%+v", first.Constraint, k)
	}
	want := []engine.Parameter{{Name: engine.MaxTokens, Value: []byte("40")}, {Name: engine.MinTokens, Value: []byte("0")}, {Name: engine.TopP, Value: []byte("0.5")}}
	if fmt.Sprint(second.Parameters) != fmt.Sprint(want) {
		t.Errorf("%s", second.Parameters)
	}
	if u := o.Usage(); u.Prompt != 100 || u.Completion != 17 || *u.Reasoning != 10 {
		t.Errorf("%+v", u)
	}
}

func TestAnEngineThatEndsThinkingItself(t *testing.T) {
	e := &scripted{models: thinkers, Description: engine.Description{Thinking: true}, pieces: inPieces(strings.Repeat("x", 200), 1, engine.Stopped),
		then: [][]engine.Piece{inPieces("Hello!<|im_end|>", 4, engine.Stopped)}}
	got, _ := answer(t, front(t, e), `{"model":"open","messages":[{"role":"user","content":"Hi"}],"thinking_budget":5}`)
	if got.err != nil || len(e.requests) != 2 || len(got.deltas[1].ReasoningContent) != 5+grace {
		t.Errorf("%d requests: %+v", len(e.requests), got)
	}
	want := engine.Thinking{Budget: 5, Start: "<think>", Ends: []string{"</think>"}, Open: true}
	if limit := e.requests[0].Thinking; limit == nil || fmt.Sprint(*limit) != fmt.Sprint(want) || e.requests[1].Thinking != nil {
		t.Errorf("%+v", limit)
	}
}

func TestAnEngineThatDiesWhenThinkingEnds(t *testing.T) {
	lost := &fault.Error{Code: fault.Unavailable, Message: "lost"}
	e := &scripted{models: thinkers, pieces: inPieces(strings.Repeat("x", 20), 1, engine.Stopped), failures: []error{nil, lost, nil}}
	g := front(t, e)
	got, o := answer(t, g, `{"model":"open","messages":[{"role":"user","content":"Hi"}],"thinking_budget":5}`)
	if got.err != nil || len(e.requests) != 3 || o.Result().Message.Content.Join("") != strings.Repeat("x", 20) {
		t.Errorf("%d requests: %+v", len(e.requests), got)
	}
	e.requests, e.failures = nil, []error{nil, lost, lost, lost}
	got, o = answer(t, g, `{"model":"open","messages":[{"role":"user","content":"Hi"}],"thinking_budget":5}`)
	o.Close()
	if fault.CodeOf(got.err) != fault.Unavailable || g.servers[0].running.Load() != 0 {
		t.Errorf("%v, %d outputs", got.err, g.servers[0].running.Load())
	}
	if at := slices.IndexFunc(got.deltas, func(d chat.Delta) bool { return d.ReasoningContent == "xxxxx" }); at < 0 {
		t.Errorf("what was thought is lost: %v", got.deltas)
	}
}

// TestTheEndOfThinkingIsASpecialToken where the engine tells special tokens from text.
func TestTheEndOfThinkingIsASpecialToken(t *testing.T) {
	e := &scripted{models: thinkers, then: [][]engine.Piece{inPieces("Hello!", 4, engine.Stopped)}}
	e.pieces = inPieces("Hm, I spell </thi and so on", 14, engine.Stopped)
	for i := range e.pieces {
		e.pieces[i].Special = []match.Range{}
	}
	got, o := answer(t, front(t, e), `{"model":"open","messages":[{"role":"user","content":"Hi"}],"thinking_budget":1}`)
	if m := o.Result().Message; got.err != nil || m.Content.Join("") != "Hello!" || m.ReasoningContent != "Hm, I spell </" {
		t.Errorf("%+v", got)
	}
}

func TestCallsOfUnprovenTemplatesAreRefused(t *testing.T) {
	broken := `{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content or '' }}{% for c in m.tool_calls or [] %}<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson | replace('true', 'false') }}}</call>{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`
	e := &scripted{models: []engine.Model{{Name: "m", Template: broken, EOSToken: "<|im_end|>"}}, pieces: inPieces("Hi<|im_end|>", 2, engine.Stopped)}
	g := front(t, e)
	const tools = `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`
	for more, place := range map[string]string{tools: "tools", tools + `,"tool_choice":"required"`: "tool_choice", tools + `,"tool_choice":"none"`: "", "": ""} {
		got, _ := answer(t, g, fmt.Sprintf(hello, more))
		switch {
		case place == "" && got.err != nil:
			t.Errorf("%s: %v", more, got.err)
		case place != "" && (fault.CodeOf(got.err) != fault.InvalidArgument || !strings.HasPrefix(got.err.Error(), place+": ")):
			t.Errorf("%s: %v", more, got.err)
		}
	}
}
