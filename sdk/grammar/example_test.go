package grammar_test

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// A program that reads an answer, which may end with a call of a tool, becomes a lazy grammar: the
// engine samples freely until the model begins a call, and then only what the program can parse.
func ExampleBuild() {
	var b peg.Builder
	arguments := b.Schema(jsonschema.MustParse(`{
		"type": "object",
		"properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 14}},
		"required": ["city"]
	}`), b.Value(peg.ObjectValue))
	call := b.Trigger("call", b.Seq(b.Lit("<call>weather "), arguments, b.Lit("</call>")))
	program := b.Build(b.Seq(b.Tag(peg.Content, b.Until("<call>")), b.Optional(call), b.End()))

	c, err := grammar.Build(program, grammar.Options{Mode: grammar.Lazy})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %q\n", c.Triggers[0].Type, c.Triggers[0].Value)
	fmt.Print(c.Grammar)

	g, err := grammar.Parse(c.Grammar)
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Match(`<call>weather {"city": "Oslo", "days": 3}</call>`).Status)
	fmt.Println(g.Match(`<call>weather {"days": 3}</call>`).Status)
	// Output:
	// word "<call>weather "
	// root ::= call
	// call ::= "<call>weather {" space call-city-kv ("," space call-days-kv)? space "}</call>"
	// space ::= "" | " " | "\n"{1,2} [\t ]{0,20}
	// call-city-kv ::= "\"city\"" space ":" space string
	// string ::= "\"" char* "\""
	// char ::= [^\x00-\x1F"\\\x7F] | escape
	// escape ::= "\\" (["\\bfnrt] | "u" [0-9A-Fa-f]{4})
	// call-days-kv ::= "\"days\"" space ":" space ([1-9] | "1" [0-4])
	// accepted
	// refused
}

// The grammar of a JSON Schema covers one value that follows it.
func ExampleFromSchema() {
	c, err := grammar.FromSchema(jsonschema.MustParse(`{"type": "array", "items": {"enum": ["red", "green"]}, "maxItems": 2, "contains": {"const": "red"}}`))
	if err != nil {
		panic(err)
	}
	fmt.Print(c.Grammar)
	fmt.Println(c.Notes)
	// Output:
	// root ::= "[" space (value-item ("," space value-item)?)? space "]"
	// space ::= "" | " " | "\n"{1,2} [\t ]{0,20}
	// value-item ::= "\"red\"" | "\"green\""
	// [schema: #: "contains" is not enforced]
}
