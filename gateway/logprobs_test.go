package gateway

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-project/dragoman/gateway/engine"
)

// TestLogprobsAreThoseOfTheContent has an engine tell the tokens of an output, whose content has several of them, in pieces that are not
// tokens: the tokens come with the first byte of their text.
func TestLogprobsAreThoseOfTheContent(t *testing.T) {
	tokens := []string{"Hm", " Gr", "\xc3", "\xbc", "\xc3\x9fe", ".", "</think>", "\n\n", "Hi", " Gr", "\xc3", "\xbc", "\xc3\x9f", " STO", "P", "!", "<|im_end|>"}
	whole := strings.Join(tokens, "")
	for _, test := range []struct {
		name, more, want string
	}{
		{"all", "", "Hi| Gr|\xc3|\xbc|\xc3\x9f| STO|P|!"},
		{"until a stop", `,"stop":" STOP"`, "Hi| Gr|\xc3|\xbc|\xc3\x9f"},
		{"until a stop that is not there", `,"stop":"!?"`, "Hi| Gr|\xc3|\xbc|\xc3\x9f| STO|P|!"},
		{"after a budget of thinking", `,"thinking_budget":1000`, "Hi| Gr|\xc3|\xbc|\xc3\x9f| STO|P|!"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := &scripted{models: thinkers, Description: engine.Description{Logprobs: true}}
			g := front(t, e)
			for size := 1; size <= len(whole); size++ {
				e.pieces = inPieces(whole, size, engine.Stopped)
				from, next := 0, 0
				for i := range e.pieces {
					for to := from + len(e.pieces[i].Text); next < len(tokens) && len(strings.Join(tokens[:next], "")) < to; next++ {
						e.pieces[i].Tokens = append(e.pieces[i].Tokens, engine.Token{Text: []byte(tokens[next]), Logprob: -float64(next)})
					}
					from += len(e.pieces[i].Text)
				}
				a, err := g.Plan(t.Context(), []byte(`{"model":"open","messages":[{"role":"user","content":"Hi"}],"logprobs":true,"top_logprobs":2`+test.more+`}`))
				if err != nil {
					t.Fatal(err)
				}
				o, err := a.Begin(t.Context(), "id", new(time.Duration))
				if err != nil {
					t.Fatal(err)
				}
				got := []string(nil)
				for err == nil {
					_, err = o.Next(nil)
					for _, token := range o.Logprobs() {
						got = append(got, string(token.Text))
						if text := tokens[int(-token.Logprob)]; text != string(token.Text) {
							t.Errorf("%q has the probability of %q", token.Text, text)
						}
					}
				}
				if all := strings.Join(got, "|"); all != test.want {
					t.Fatalf("in pieces of %d: %q, %v", size, all, o.Result().Report)
				}
				if r := e.requests[0]; r.Logprobs == nil || *r.Logprobs != 2 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// TestTokensWithoutAPlaceAreLeftOut has an engine tell tokens that are not in its text.
func TestTokensWithoutAPlaceAreLeftOut(t *testing.T) {
	var l likely
	for _, p := range []engine.Piece{
		{Text: []byte("a"), Tokens: []engine.Token{{Text: []byte("a")}}},
		{Text: []byte("\xc3\xbc"), Tokens: []engine.Token{{Text: []byte("\uFFFD")}}},
		{Text: []byte("b"), Tokens: []engine.Token{{Text: []byte("b")}}},
		{Tokens: []engine.Token{{Text: []byte("<dropped>")}}},
		{Text: []byte("c"), Tokens: []engine.Token{{Text: []byte("c")}}},
		{Text: []byte("d"), Tokens: []engine.Token{{Text: []byte("d")}}},
	} {
		l.wrote(p)
	}
	got := ""
	for _, p := range l.placed {
		got += fmt.Sprintf("%s@%d ", p.Text, p.from)
	}
	if got != "a@0 b@3 d@5 " {
		t.Error(got)
	}
}
