package autoparser_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dragoman-project/dragoman/autoparser"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// A template of a few lines shows how its model writes reasoning and calls.
func Example() {
	const source = `
{%- if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}
{%- for m in messages %}
{{- '<|' ~ m.role ~ '|>' }}
{%- if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}
{{- m.content or '' }}
{%- for c in m.tool_calls %}<call>{{ c.function | tojson }}</call>{% endfor %}
{{- '<|end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>{% endif %}`

	template, err := autoparser.Open("example.jinja", source, "", "", autoparser.Options{})
	if err != nil {
		log.Fatal(err)
	}
	learned, err := autoparser.Learn(context.Background(), template, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, finding := range learned.Findings() {
		fmt.Printf("%s: %s = %q\n", finding.By, finding.Field, finding.Value)
	}
	request, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "Hello?"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	plan, err := learned.Plan(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Prompt)
	fmt.Println("self-check:", learned.SelfCheck().Score())
	// Output:
	// R1: reasoning.mode = "tag_based"
	// R1: reasoning.start = "<think>"
	// R1: reasoning.end = "</think>"
	// T1: tools.format = "json_native"
	// T2: tools.per_call_start = "<call>"
	// T2: tools.per_call_end = "</call>"
	// T3: tools.json.name_field = "name"
	// A1: tools.json.args_field = "arguments"
	// T1: tools.json.parameter_order = "name, arguments"
	// M1: user_start = "<|user|>"
	// M2: assistant_start = "<|assistant|>"
	// M1: end_of_turn = "<|end|>"
	// <|user|>Hello?<|end|><|assistant|>
	// self-check: 16 of 16
}
