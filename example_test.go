package dragoman_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/plugins/gptoss"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// request is a request with a tool, as clients send it.
const request = `{"messages": [{"role": "user", "content": "Weather in Oslo?"}], "tools": [{"type": "function", "function":
	{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]}`

// generate stands for an engine: it completes the prompt of a plan, and yields what the model writes, cut anywhere.
func generate(*dragoman.Plan) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for _, chunk := range []string{"They ask for the wea", "ther.\n</thi", "nk>\n\n<tool_call>\n{\"name\": \"get_wea", `ther", "arguments": {"city": "Os`, "lo\"}}\n</tool_call>"} {
			if !yield([]byte(chunk)) {
				return
			}
		}
	}
}

// send stands for a client: it prints deltas as they go into a chat.completion.chunk, without the random ids of calls.
func send(deltas []chat.Delta) {
	for _, d := range deltas {
		for i := range d.ToolCalls {
			d.ToolCalls[i].ID = ""
		}
		text, _ := json.Marshal(d)
		fmt.Println(string(text))
	}
}

// A tool call, streamed. The README shows the lines up to the last.
func Example() {
	ctx, request := context.Background(), []byte(request)

	m, _ := dragoman.Open("templates/chatml-reasoning.jinja", dragoman.Options{}) // or a model's folder, or a .gguf file
	plan, _ := m.PlanJSON(ctx, request)                                           // the prompt, the constraint and the stops
	s := plan.Session(ctx, dragoman.SessionOptions{})
	for chunk := range generate(plan) { // your engine
		deltas, _ := s.Feed(chunk) // what this chunk decided; it is never revised
		send(deltas)
	}
	result, _ := s.Finish(false) // the message, the finish reason and the report

	fmt.Println(result.FinishReason, result.Message.ToolCalls[0].Name, result.Message.ToolCalls[0].Arguments)
	// Output:
	// {"role":"assistant"}
	// {"reasoning_content":"They ask for the wea"}
	// {"reasoning_content":"ther."}
	// {"tool_calls":[{"index":0,"type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Os"}}]}
	// {"tool_calls":[{"index":0,"function":{"arguments":"lo\"}"}}]}
	// tool_calls get_weather {"city": "Oslo"}
}

// A whole output is parsed at once. Behind a prompt that has opened reasoning, an output begins inside it.
func ExampleModel_PlanJSON() {
	m, err := dragoman.Open("templates/chatml-reasoning.jinja", dragoman.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := m.PlanJSON(context.Background(), []byte(`{"messages": [{"role": "user", "content": "Hello!"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", plan.Prompt)
	result, err := plan.Parse(context.Background(), []byte("A greeting.\n</think>\n\nHi!"), false, dragoman.SessionOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Message.ReasoningContent, result.Message.Content.Join(""), result.Report.Status)
	// Output:
	// "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n<think>\n"
	// A greeting. Hi! complete
}

// A model's folder, as published on model hubs.
func ExampleOpen() {
	dir := filepath.Join(os.TempDir(), "small-model")
	defer os.RemoveAll(dir)
	_ = os.MkdirAll(dir, 0o700)
	_ = os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), []byte(`{"bos_token": "<s>", "eos_token": "</s>",
		"chat_template": "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"}`), 0o600)

	m, err := dragoman.Open(dir, dragoman.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := m.PlanJSON(context.Background(), []byte(`{"messages": [{"role": "user", "content": "Hello!"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name(), plan.Prompt)
	// Output:
	// small-model <s>[user]Hello!</s>[assistant]
}

// harmony is a template of a format that comparing renderings cannot learn, and harmonyCall an output in it.
const (
	harmony = `{% for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endfor %}
		{#- thoughts are <|channel|>analysis<|message|> -#}{% if add_generation_prompt %}<|start|>assistant{% endif %}`
	harmonyCall = "<|channel|>analysis<|message|>Let me look.<|end|>" +
		"<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{\"city\":\"Oslo\"}<|call|>"
)

// The handlers of a shipped plugin claim the templates of their format, and run in process.
func ExampleOptions_handlers() {
	m, err := dragoman.OpenSource("my-model", harmony, dragoman.Options{Handlers: gptoss.Handlers()})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := m.PlanJSON(context.Background(), []byte(request))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := plan.Parse(context.Background(), []byte(harmonyCall), false, dragoman.SessionOptions{NoIDs: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Handler, result.Message.ReasoningContent, result.Message.ToolCalls[0].Name, result.Message.ToolCalls[0].Arguments)
	// Output:
	// gptoss Let me look. get_weather {"city":"Oslo"}
}

// A rule of one's own, in addition to the embedded ones: the model plans in a tag of which its template says nothing.
func ExampleOptions_workarounds() {
	rules := []byte(`
version: 1
workarounds:
  - name: plans
    because: the model plans in <plan>, of which its template says nothing
    when: name == "chatml-json"
    set:
      reasoning: {mode: tag_based, start: "<plan>", end: "</plan>"}
`)
	m, err := dragoman.Open("templates/chatml-json.jinja", dragoman.Options{Workarounds: [][]byte{dragoman.Workarounds, rules}})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := m.PlanJSON(context.Background(), []byte(`{"messages": [{"role": "user", "content": "Hello!"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := plan.Parse(context.Background(), []byte("<plan>Say hello.</plan>Hi!"), false, dragoman.SessionOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Message.ReasoningContent, result.Message.Content.Join(""))
	// Output:
	// Say hello. Hi!
}
