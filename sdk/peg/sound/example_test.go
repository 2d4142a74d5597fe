package sound_test

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/sound"
)

// Both alternatives begin with text, so the first one commits before it is clear which of them it is. Taking the text out of
// the choice mends that.
func ExampleCheck() {
	var b peg.Builder
	text := func() peg.ID { return b.Tag(peg.Content, b.Until("<")) }
	choice := b.Choice(b.Seq(text(), b.Lit("<a>")), b.Seq(text(), b.Lit("<b>")))
	findings, err := sound.Check(b.Build(b.Seq(choice, b.End())))
	fmt.Println(findings[0], err)

	var c peg.Builder
	findings, err = sound.Check(c.Build(c.Seq(c.Tag(peg.Content, c.Until("<")), c.Choice(c.Lit("<a>"), c.Lit("<b>")), c.End())))
	fmt.Println(findings, err)

	// Output:
	// node 8, in program: after "a" speech of node 0 commits while the other alternatives could still match: take what they have in common out of the choice <nil>
	// [] <nil>
}
