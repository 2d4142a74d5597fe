package grammar_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/dragoman-project/dragoman/internal/llamacpp"
	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// readLines decodes recorded cases from a file of JSON lines.
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

// mustParse parses a grammar, which llama.cpp must accept, too.
func mustParse(t testing.TB, source string) *grammar.Grammar {
	t.Helper()
	if err := llamacpp.CheckGrammar(source); err != nil {
		t.Fatalf("llama.cpp refuses it: %v\n%s", err, source)
	}
	g, err := grammar.Parse(source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return g
}

func TestRecordedGrammarsAcceptAndRejectAsRecorded(t *testing.T) {
	type row struct {
		Name, Grammar string
		Schema        json.RawMessage
		Pass, Fail    []json.RawMessage
		ExpectError   bool `json:"expect_error"`
	}
	for _, c := range readLines[row](t, "cases", "gbnf.jsonl") {
		t.Run(c.Name, func(t *testing.T) {
			pass, tokens := texts(t, c.Pass)
			fail, _ := texts(t, c.Fail)
			g, err := grammar.Parse(c.Grammar)
			if c.ExpectError || tokens {
				if err == nil {
					t.Fatal("want an error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			decides(t, g, pass, fail)
			decides(t, mustParse(t, g.String()), pass, fail)
			if c.Schema != nil {
				own, err := grammar.FromSchema(jsonschema.MustParse(string(c.Schema)))
				if err != nil {
					t.Fatal(err)
				}
				decides(t, mustParse(t, own.Grammar), pass, fail)
			}
		})
	}
}

// texts decodes recorded texts; tokens is set if they are lists of tokens instead.
func texts(t *testing.T, recorded []json.RawMessage) (out []string, tokens bool) {
	t.Helper()
	for _, r := range recorded {
		if r[0] == '{' {
			return nil, true
		}
		var s string
		if err := json.Unmarshal(r, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out, false
}

// decides checks that g accepts all of pass and none of fail, whole and byte by byte.
func decides(t *testing.T, g *grammar.Grammar, pass, fail []string) {
	t.Helper()
	for _, s := range pass {
		if r := g.Match(s); r.Status != grammar.Accepted {
			t.Errorf("%q: %v at byte %d, expected %v", s, r.Status, r.Offset, r.Expected)
		}
		if r := byBytes(g, s); r.Status != grammar.Accepted {
			t.Errorf("%q, byte by byte: %v at byte %d", s, r.Status, r.Offset)
		}
	}
	for _, s := range fail {
		whole, bytes := g.Match(s), byBytes(g, s)
		if whole.Status == grammar.Accepted {
			t.Errorf("%q: accepted", s)
		}
		if whole.Status != bytes.Status || whole.Offset != bytes.Offset {
			t.Errorf("%q: %v at %d, byte by byte %v at %d", s, whole.Status, whole.Offset, bytes.Status, bytes.Offset)
		}
	}
}

func byBytes(g *grammar.Grammar, s string) grammar.Result {
	m := g.Matcher()
	r := m.Feed("")
	for i := range len(s) {
		r = m.Feed(s[i : i+1])
	}
	return r
}
