package match_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// TestNameWithinID parses formats whose ids contain the name: functions.f:0.
func TestNameWithinID(t *testing.T) {
	var b peg.Builder
	digits := b.Chars(1, 4, peg.Range{Lo: '0', Hi: '9'})
	name := b.Tag(peg.CallName, b.Choice(b.Lit("get_all"), b.Lit("get")))
	id := b.Tag(peg.CallID, b.Lit("functions."), name, b.Lit(":"), digits)
	call := b.Tag(peg.Call, b.Atomic(b.Lit("<call>"), b.Choice(id, name), b.Lit("<args>")), b.Tag(peg.Arguments, b.Value(peg.ObjectValue)))
	code := compile(t, b.Build(b.Seq(b.Tag(peg.Content, b.Until("<call>")), b.Star(call), b.End())))
	for text, want := range map[string]string{
		`a<call>functions.get:0<args>{"a": 1}`:                `content "a" | call | id functions.get:0 | get | {"a": 1} | end`,
		`<call>functions.get:10<args>{}<call>get_all<args>{}`: `call | id functions.get:10 | get | {} | end | call | get_all | {} | end`,
		`<call>functions.get:0`:                               ``,
	} {
		if got, _ := everySplit(t, code, output{text: text}); got.String() != want {
			t.Errorf("%q\n got %v\nwant %v", text, got, want)
		}
	}
}
