package match_test

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// A program for models that write calls as [name: key=value …], run over an output in three chunks.
func Example() {
	var b peg.Builder
	word := func() peg.ID { return b.Chars(1, 64, peg.Range{Lo: 'a', Hi: 'z'}) }
	argument := b.Seq(b.Atomic(b.Tag(peg.Key, word()), b.Lit("=")), b.Tag(peg.Scalar, b.Value(peg.AnyJSON)))
	call := b.Trigger("call", b.Tag(peg.Call,
		b.Atomic(b.Lit("["), b.Tag(peg.CallName, word()), b.Lit(":")),
		b.Star(b.Space(), argument), b.Space(), b.Lit("]")))
	text := b.Tag(peg.Content, b.Until("["))
	program := b.Build(b.Seq(text, b.Star(call, text), b.End()))

	code, err := match.Compile(program, match.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := match.New(code, func(e chat.Event) { fmt.Printf("%v %q\n", e.Kind, e.Text) })
	for _, chunk := range []string{"Let me see. [look", `up: term="x`, `" limit=10]`} {
		m.Feed([]byte(chunk))
	}
	fmt.Println(m.Finish(false).Status)

	// Output:
	// content "Let me see. "
	// call begin ""
	// call name "lookup"
	// call arguments "{\"term\":"
	// call arguments "\"x"
	// call arguments "\""
	// call arguments ",\"limit\":"
	// call arguments "10"
	// call arguments "}"
	// call end ""
	// complete
}
