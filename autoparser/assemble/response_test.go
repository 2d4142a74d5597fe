package assemble_test

import (
	"testing"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/sdk/cases"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

func schema(text string) func(*chat.Request) {
	return func(r *chat.Request) {
		r.JSONSchema = jsonschema.MustParse(text)
		r.Tools = nil
	}
}

const amount = `{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"],"additionalProperties":false}`

func TestResponsesThatFollowASchema(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		p := newParser(t, s.input(schema(amount)))
		for output, want := range map[string]string{
			`{"amount": 1.5}`:                 `{"amount": 1.5}`,
			"\n{\"amount\": 1.5}\n":           `{"amount": 1.5}`,
			"```json\n{\"amount\": 1.5}\n```": `{"amount": 1.5}`,
			"```\n{\"amount\": 1.5}\n```\n":   `{"amount": 1.5}`,
			`{"amount": 1.5} That is all.`:    `{"amount": 1.5} That is all.`,
			"Sorry, no.":                      "Sorry, no.",
			"true story":                      "true story",
			"":                                "",
			s.Content.Start + `{"amount": 1.5}` + s.Content.End + s.EndOfTurn: `{"amount": 1.5}`,
		} {
			p.check(t, output, cases.Message{Content: want})
		}
		if s.Reasoning.Mode != "" {
			p.check(t, s.Reasoning.Start+"Hm"+s.Reasoning.End+`{"amount": 2}`, cases.Message{ReasoningContent: "Hm", Content: `{"amount": 2}`})
		}
	})
}

func TestResponsesAreConstrained(t *testing.T) {
	everywhere(t, func(t *testing.T, s sample) {
		in := s.input(schema(amount))
		g := constraint(t, in)
		for output, want := range map[string]grammar.Status{
			`{"amount": 1.5}`:                 grammar.Accepted,
			"```json\n{\"amount\": 1.5}\n```": grammar.Accepted,
			`{"amount": "much"}`:              grammar.Refused,
			`{}`:                              grammar.Refused,
			"Sorry":                           grammar.Refused,
			`{"amount": 1.5} and`:             grammar.Refused,
		} {
			if got := g.Match(output); got.Status != want {
				t.Errorf("%q: expected %s, found %s", output, want, got.Status)
			}
		}
	})
}

// constraint returns the grammar of a request.
func constraint(t testing.TB, in assemble.Input) *grammar.Grammar {
	t.Helper()
	a := assemble.Assemble(in)
	c, err := grammar.Build(a.Program, grammar.Options{Mode: a.Grammar, Prompt: in.GenerationPrompt})
	if err != nil {
		t.Fatal(err)
	}
	g, err := grammar.Parse(c.Grammar)
	if err != nil {
		t.Fatalf("%v\n%s", err, c.Grammar)
	}
	return g
}
