package match_test

import (
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// TestGivenTexts parses calls whose name and key are given by the program rather than written in the output.
func TestGivenTexts(t *testing.T) {
	var b peg.Builder
	code := b.Tag(peg.Call, b.Lit("!"), b.Given(peg.CallName, "run"), b.Given(peg.Key, "code"), b.Tag(peg.String, b.Until(";")), b.Lit(";"))
	p := b.Build(b.Seq(b.Tag(peg.Content, b.Until("!")), b.Star(code), b.End()))
	for text, want := range map[string]string{
		`a!x="1";`:  `content "a" | call | run | {"code":"x=\"1\""} | end`,
		`!1;!2;`:    `call | run | {"code":"1"} | end | call | run | {"code":"2"} | end`,
		`!;`:        `call | run | {"code":""} | end`,
		`no call`:   `content "no call"`,
		`!cut off`:  `call | run | {"code":"cut off | open`,
		`!1;broken`: `call | run | {"code":"1"} | end | recovered "broken"`,
	} {
		got, _ := everySplit(t, compile(t, p), output{text: text})
		if got.String() != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
	if got, want := p.String(), `key="code"(`; !strings.Contains(got, want) {
		t.Errorf("printed without %s:\n%s", want, got)
	}
}
