package workbench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

const weather = `{"messages": [{"role": "user", "content": "Weather in Oslo?"}], "tools": [{"type": "function", "function":
	{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]}`

const thought = "I look.\n</think>\n\nOne moment.<tool_call>\n" + `{"name": "get_weather", "arguments": {"city": "Oslo"}}` + "\n</tool_call>"

// post asks the page's API, and reads the answer.
func post[A any](t *testing.T, d daemon, name string, question any) (answer A) {
	t.Helper()
	body, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	res, text := d.ask(t, http.MethodPost, apiPath+name, string(body), "Content-Type", "application/json")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d: %s", name, res.StatusCode, text)
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// ones are the lengths of chunks of one byte.
func ones(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

func TestAnOutputIsShownChunkByChunk(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	ask := func(chunks []int) outputView {
		return post[outputView](t, d, "output", outputQuestion{Template: subject{Name: "chatml-reasoning"}, Request: weather, Output: []byte(thought), Chunks: chunks})
	}
	whole, bytes := ask(nil), ask(ones(len(thought)))
	if n, m := len(whole.Steps), len(bytes.Steps); n != 3 || m != len(thought)+2 {
		t.Fatalf("%d and %d steps", n, m)
	}
	if a, b := fmt.Sprint(whole.Message.ToolCalls, whole.Claims, whole.Report.Spans), fmt.Sprint(bytes.Message.ToolCalls, bytes.Claims, bytes.Report.Spans); a != b {
		t.Errorf("chunks change it:\n%s\n%s", a, b)
	}
	if whole.Message.ReasoningContent != "I look." || whole.FinishReason != chat.FinishToolCalls || !whole.HasProgram || whole.Handler != "autoparser" {
		t.Errorf("%+v", whole)
	}
	text, held, at := whole.GenerationPrompt+thought, 0, map[string]int{}
	for i, s := range bytes.Steps {
		held = max(held, s.Held)
		for _, e := range s.Events {
			if e.Kind == "content" && at["content"] == 0 {
				at["content"] = i
			}
		}
		if len(s.Rules) > 0 && at["rule"] == 0 {
			at["rule"] = i
		}
	}
	if begin := strings.Index(thought, "<tool_call>"); at["content"] == 0 || at["content"] >= at["rule"] || at["rule"] <= begin || held == 0 {
		t.Errorf("at most %d bytes are held, and things come at %v", held, at)
	}
	for api, member := range map[string]string{"chat": "content", "responses": "delta", "messages": "text"} {
		texts := textsOf(t, bytes, api, member)
		if !strings.Contains("|"+strings.Join(texts, "|"), "|O|n|e| m|o|m|e|n|t|.") {
			t.Errorf("%s: the text comes as %q", api, texts)
		}
	}
	readBy := map[string]string{}
	for _, c := range bytes.Claims {
		who := bytes.Readers[c[0]]
		readBy[text[c[1]:c[2]]] = who.Rule + " " + who.Node
	}
	if readBy["get_weather"] == "" || !strings.HasPrefix(readBy["<tool_call>"], "call ") || readBy["\nI look.\n"] == "" {
		t.Errorf("%q", readBy)
	}
}

// textsOf returns the texts of a member, wherever it stands, in what an API says.
func textsOf(t *testing.T, view outputView, api, member string) (texts []string) {
	t.Helper()
	for _, s := range view.Steps {
		for _, d := range s.Deltas[api] {
			if !json.Valid(d) {
				t.Fatalf("%s: %s", api, d)
			}
			if m := regexp.MustCompile(`"` + member + `":"([^"]*)"`).FindSubmatch(d); m != nil {
				texts = append(texts, string(m[1]))
			}
		}
	}
	return texts
}

// TestADraftReadsAnOutputLikeATemplateInForce looks at an output under a template that is not in force.
func TestADraftReadsAnOutputLikeATemplateInForce(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../templates/chatml-reasoning.jinja")
	if err != nil {
		t.Fatal(err)
	}
	d := serveBench(t, nil)
	view := post[outputView](t, d, "output", outputQuestion{Template: subject{Source: string(source), EOSToken: "<|im_end|>"}, Request: weather, Output: []byte(thought)})
	if len(view.Message.ToolCalls) != 1 || view.Report.Status != chat.Complete {
		t.Errorf("%+v", view)
	}
	if n := len(d.host.Running()); n != 0 {
		t.Errorf("%d outputs are still under way", n)
	}
}

// TestWhatOutputsMayBe asks about outputs that are too large, and about one that was cut off.
func TestWhatOutputsMayBe(t *testing.T) {
	t.Parallel()
	d := serveBench(t, nil)
	for want, q := range map[string]outputQuestion{
		"413 output: it has 1048577 bytes":           {Output: make([]byte, maxOutput+1)},
		"413 chunks: 10001 chunks":                   {Chunks: make([]int, maxChunks+1)},
		"400 chunks[1]: expected a length up to the": {Output: []byte("abc"), Chunks: []int{2, 2}},
		"400 chunks[0]: expected a length":           {Output: []byte("abc"), Chunks: []int{-1}},
		"400 special[1]: expected two offsets":       {Output: []byte("abc"), Special: [][2]int{{1, 2}, {1, 3}}},
		"404 nothing: ":                              {Template: subject{Name: "nothing"}},
	} {
		if q.Template.Name == "" {
			q.Template.Name = "chatml-json"
		}
		q.Request = weather
		body, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		res, text := d.ask(t, http.MethodPost, apiPath+"output", string(body), "Content-Type", "application/json")
		var answer struct {
			Error struct{ Place, Message string }
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d %s: %s", res.StatusCode, answer.Error.Place, answer.Error.Message); !strings.HasPrefix(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	prose := outputQuestion{Template: subject{Name: "chatml-reasoning"}, Request: weather, Output: []byte("a</think>b")}
	if view := post[outputView](t, d, "output", prose); view.Message.ReasoningContent != "a" {
		t.Errorf("%+v", view.Message)
	}
	prose.Output, prose.Limited = []byte("a"), true
	if view := post[outputView](t, d, "output", prose); view.FinishReason != chat.FinishLength || view.Report.Status != chat.Truncated {
		t.Errorf("%+v", view)
	}
}

func TestSpecialTokensAreCutWithTheirChunks(t *testing.T) {
	all := (&outputQuestion{Special: [][2]int{{1, 4}, {4, 5}, {8, 9}}}).special()
	if got := fmt.Sprint(within(all, 3, 8)); got != "[{0 1} {1 2}]" {
		t.Error(got)
	}
	if within(all, 5, 8) == nil || within(nil, 0, 8) != nil {
		t.Error("chunks without special tokens are confused with those of which nothing is known")
	}
}
