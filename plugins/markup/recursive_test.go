package markup

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/handler"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

func TestSchemasMayBeRecursive(t *testing.T) {
	r, err := chat.ParseRequest([]byte(`{"messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":
		{"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{
		"name":{"type":"string"},"next":{"$ref":"#/$defs/node"},"all":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := nested{}.Plan(t.Context(), handler.Input{Request: r})
	if err != nil {
		t.Fatal(err)
	}
	program := plan.Program.Bind("]~b]ai\n")
	if _, err := match.Compile(program, match.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := grammar.Build(program, grammar.Options{Mode: plan.Grammar, Prompt: "]~b]ai\n"}); err != nil {
		t.Fatal(err)
	}
}
