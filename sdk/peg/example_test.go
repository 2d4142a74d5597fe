package peg_test

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// A program for a model that thinks between tags and writes calls as <call name>{…}</call>.
func Example() {
	var b peg.Builder
	thinking := b.Optional(b.Lit("<think>"), b.Tag(peg.Reasoning, b.Until("</think>")), b.Lit("</think>"))
	content := b.Tag(peg.Content, b.Until("<call "))
	call := b.Trigger("tool-call", b.Tag(peg.Call,
		b.Atomic(b.Lit("<call "), b.Tag(peg.CallName, b.Until(">")), b.Lit(">")),
		b.Tag(peg.Arguments, b.Value(peg.ObjectValue)),
		b.Lit("</call>")))
	program := b.Build(b.Seq(thinking, content, b.Star(call, content), b.End()))

	if err := program.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(program)

	// Output:
	// program <-
	//     ("<think>" reasoning(until("</think>")) "</think>")?
	//     content(until("<call "))
	//     (tool-call content(until("<call ")))*
	//     end
	// trigger tool-call <-
	//     call(atomic("<call " call-name(until(">")) ">") arguments(value(object)) "</call>")
}

// Validation names every defect, the node and what to do about it.
func ExampleProgram_Validate() {
	var b peg.Builder
	program := b.Build(b.Seq(b.Tag(peg.Key, b.Lit("city")), b.Star(b.Space()), b.End()))
	fmt.Println(program.Validate())

	// Output:
	// node 1, key("city"): key outside of a call: put it into a call
	// node 3, space*: repeats without bound what can be empty: repeat something that cannot be empty
}
