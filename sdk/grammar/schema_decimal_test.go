package grammar_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// rational parses a decimal number.
func rational(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is not a number", s)
	}
	return r
}

func TestBoundsOfNumbersAreEnforcedDigitByDigit(t *testing.T) {
	bounds := []string{"-1.25", "-1", "-0.07", "0", "0.05", "0.5", "0.59", "0.9", "1", "1.009", "12.5"}
	numbers := append([]string{"-13", "-2", "-1.3", "-1.251", "-0.0700", "-0.06", "0.049", "0.051", "0.589", "0.5901", "0.95", "0.09", "0.001", "1.0", "1.00", "1.01",
		"1.0089", "1.0091", "2", "11.99", "12", "12.49", "12.51", "13", "100"}, bounds...)
	for _, lo := range bounds {
		for _, hi := range bounds {
			for _, keys := range [][2]string{{"minimum", "maximum"}, {"minimum", "exclusiveMaximum"}, {"exclusiveMinimum", "maximum"}, {"exclusiveMinimum", "exclusiveMaximum"}} {
				if rational(t, lo).Cmp(rational(t, hi)) >= 0 {
					continue
				}
				schema := fmt.Sprintf(`{"type": "number", %q: %s, %q: %s}`, keys[0], lo, keys[1], hi)
				c, err := grammar.FromSchema(jsonschema.MustParse(schema))
				if err != nil {
					t.Fatal(err)
				}
				g := mustParse(t, c.Grammar)
				for _, n := range numbers {
					low, high := rational(t, n).Cmp(rational(t, lo)), rational(t, n).Cmp(rational(t, hi))
					want := (low > 0 || low == 0 && keys[0] == "minimum") && (high < 0 || high == 0 && keys[1] == "maximum")
					if got := g.Match(n).Status == grammar.Accepted; got != want {
						t.Errorf("%s: accepts %s: %v", schema, n, got)
					}
				}
			}
		}
	}
}
