package turn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/session"
	"github.com/dragoman-project/dragoman/sdk/turn"
)

// brackets builds the plan for models that write reasoning in double parentheses and calls in
// double brackets:
//
//	((They want the weather.))I'll look. [[get_weather {"city": "Paris"}]]<|end|>
func brackets(r *chat.Request) (*handler.Plan, error) {
	t := turn.New(r, turn.Format{
		ThinkStart: "((", ThinkEnd: "))", // reasoning
		Openers:   []string{"[["},      // where calls may begin
		Ends:      []string{"<|end|>"}, // what ends the turn
		Preserved: []string{"<|end|>"}, // special tokens that the engine must not drop
	})
	// The header of a call is atomic and includes the text that closes the name. ByName matches it
	// for each tool of the request and, in the parser only, for any other name.
	header := func(name peg.ID) peg.ID {
		return t.Atomic(t.Lit("[["), t.Tag(peg.CallName, name), t.Lit(" "))
	}
	// Arguments are a JSON object; in grammars, Object enforces the schema of the tool. A model may
	// omit the closing brackets.
	call := t.Tag(peg.Call, t.ByName(header, t.Object), t.Closer("]]"))
	// If calls are optional, the constraint starts at the trigger.
	return t.Plan(t.Trigger("calls", t.Several(call, "")))
}

// A complete format, and an output parsed into a message with reasoning, text and a call.
func Example() {
	request, err := chat.ParseRequest([]byte(`{
		"messages": [{"role": "user", "content": "How is the weather in Paris?"}],
		"tools": [{"type": "function", "function": {"name": "get_weather", "parameters":
			{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]}`))
	if err != nil {
		log.Fatal(err)
	}
	answer, err := brackets(request)
	if err != nil {
		log.Fatal(err)
	}
	answer.Program = answer.Program.Bind("<assistant>") // what the template writes before an answer
	plan, err := session.New(context.Background(), &session.Draft{Plan: *answer, GenerationPrompt: "<assistant>"}, request, session.PlanOptions{})
	if err != nil {
		log.Fatal(err)
	}
	output := `((They want the weather.))I'll look. [[get_weather {"city": "Paris"}]]<|end|>`
	result, err := plan.Parse(context.Background(), []byte(output), false, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m := result.Message
	fmt.Println(m.ReasoningContent)
	fmt.Println(m.Content.Join(""))
	fmt.Println(m.ToolCalls[0].Name, m.ToolCalls[0].Arguments)
	fmt.Println("lazy:", plan.Constraint.Lazy, plan.Constraint.Triggers[0].Value)
	// Output:
	// They want the weather.
	// I'll look.
	// get_weather {"city": "Paris"}
	// lazy: true [[get_weather
}
