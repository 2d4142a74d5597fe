package grammar_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/grammar"
)

// readLines decodes a file of JSON lines of recorded cases.
func readLines[T any](t testing.TB, elem ...string) []T {
	t.Helper()
	f, err := os.Open(shared.Dir(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func mustParse(t testing.TB, source string) *grammar.Grammar {
	t.Helper()
	g, err := grammar.Parse(source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return g
}

func TestRecordedGrammarsAcceptAndRefuseAsRecorded(t *testing.T) {
	type row struct {
		Name, Grammar string
		Schema        json.RawMessage
		Pass, Fail    []json.RawMessage
		ExpectError   bool `json:"expect_error"`
	}
	for _, c := range readLines[row](t, "cases", "gbnf.jsonl") {
		t.Run(c.Name, func(t *testing.T) {
			g, err := grammar.Parse(c.Grammar)
			if c.ExpectError || len(c.Pass) > 0 && c.Pass[0][0] == '{' {
				if err == nil {
					t.Fatal("want an error")
				}
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			check := func(g *grammar.Grammar) {
				for _, p := range c.Pass {
					var s string
					if err := json.Unmarshal(p, &s); err != nil {
						t.Fatal(err)
					}
					if r := g.Match(s); r.Status != grammar.Accepted {
						t.Errorf("%q: %v at byte %d, expected %v", s, r.Status, r.Offset, r.Expected)
					}
				}
				for _, p := range c.Fail {
					var s string
					if err := json.Unmarshal(p, &s); err != nil {
						t.Fatal(err)
					}
					if r := g.Match(s); r.Status == grammar.Accepted {
						t.Errorf("%q: accepted", s)
					}
				}
			}
			check(g)
			check(mustParse(t, g.String()))
			if c.Schema != nil {
				own, err := grammar.FromSchema(c.Schema)
				if err != nil {
					t.Fatal(err)
				}
				check(mustParse(t, own.Grammar))
			}
			s := g.Sampler(rand.New(rand.NewPCG(1, 2)))
			for range 50 {
				text, ok := s.Text(100)
				if r := g.Match(text); !ok || r.Status != grammar.Accepted {
					t.Fatalf("sampled %q: %v at %d", text, r.Status, r.Offset)
				}
			}
		})
	}
}
