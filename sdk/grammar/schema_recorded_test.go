package grammar_test

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

type schemaRow struct {
	Type, Name  string
	Schema      json.RawMessage
	Expected    bool
	Grammar     string `json:"actual_grammar"`
	ExpectError bool   `json:"expect_error"`
}

// wrong lists recorded grammars that accept no JSON that the schema describes.
var wrong = map[string]bool{
	"regexp quote":                   true, // a bare quote inside a string
	"optional props with empty name": true, // a rule for the empty name replaced root
}

// Recorded grammars and ours accept the same JSON without escapes. The recorded ones also accept
// texts that are not JSON, such as -012, and do not handle escapes in negated character classes. Their
// exponents may be larger than any reader's numbers, and have no leading zeros, as Python's have; and
// every month of theirs has 31 days.
func TestRecordedSchemasHaveTheRecordedLanguage(t *testing.T) {
	for _, c := range readLines[schemaRow](t, "cases", "schema.jsonl") {
		if c.Type != "schema_to_grammar" || wrong[c.Name] {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			own, err := grammar.FromSchema(jsonschema.MustParse(string(c.Schema)))
			if c.ExpectError {
				if err == nil {
					t.Fatalf("want an error, got\n%s", own.Grammar)
				}
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			ours, recorded := mustParse(t, own.Grammar), mustParse(t, c.Grammar)
			compare(t, "recorded but not ours", recorded, ours)
			compare(t, "ours but not recorded", ours, recorded)
			if t.Failed() {
				t.Logf("ours:\n%s\nnotes: %q\nrecorded:\n%s", own.Grammar, own.Notes, c.Grammar)
			}
		})
	}
}

var (
	numbersDiffer = regexp.MustCompile(`[eE][-+]?(0[0-9]|[0-9]{3})|-02-(29|3)|-(04|06|09|11)-31`)
	escapesDiffer = regexp.MustCompile(`additional-k|dot ::=`)
)

// compare samples from a, with some texts changed in one character, and checks that b decides like
// a.
func compare(t *testing.T, name string, a, b *grammar.Grammar) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 11))
	s := a.Sampler(random)
	escapes := !escapesDiffer.MatchString(a.String() + b.String())
	for range 300 {
		text, ok := s.Text(random.IntN(120))
		if !ok {
			t.Fatalf("%s: the grammar accepts nothing", name)
		}
		for _, text := range []string{text, corrupted(text, random)} {
			if !json.Valid([]byte(text)) || numbersDiffer.MatchString(text) || !escapes && strings.Contains(text, `\`) {
				continue
			}
			if a.Match(text).Status == grammar.Accepted && b.Match(text).Status != grammar.Accepted {
				t.Errorf("%s: %q", name, text)
				return
			}
		}
	}
}

func corrupted(text string, random *rand.Rand) string {
	if text == "" {
		return "x"
	}
	at := random.IntN(len(text))
	return text[:at] + string("0a9 \"{[]},:-\\n"[random.IntN(13)]) + text[at+random.IntN(2):]
}
