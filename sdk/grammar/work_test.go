package grammar

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// distinctTools returns a program for calls of n tools that have no names or types in common.
func distinctTools(n, parameters int) *peg.Program {
	var b peg.Builder
	var calls []peg.ID
	for i := range n {
		var properties []string
		for j := range parameters {
			properties = append(properties, fmt.Sprintf(`"p%d_%d": {"enum": ["a%d", "b%d", %d]}`, i, j, i, j, i))
		}
		schema := jsonschema.MustParse(`{"type": "object", "properties": {` + strings.Join(properties, ",") + `}}`)
		calls = append(calls, b.Seq(b.Lit(fmt.Sprintf(`"tool_%d", `, i)), b.Schema(schema, b.Value(peg.ObjectValue))))
	}
	return b.Build(b.Trigger("call", b.Seq(b.Lit("<call>"), b.Choice(calls...))))
}

// Work is measured in allocations: every step that creates or compares names, texts or rules
// allocates.
func TestTheWorkOfBuildingGrowsLinearly(t *testing.T) {
	work := func(tools, parameters int) float64 {
		p := distinctTools(tools, parameters)
		return testing.AllocsPerRun(1, func() {
			if _, err := Build(p, Options{Mode: Lazy}); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, of := range []struct {
		what        string
		once, often float64
	}{
		{"tools", work(10, 8), work(80, 8)},
		{"parameters", work(8, 10), work(8, 80)},
	} {
		if of.often > 9*of.once {
			t.Errorf("8 times as many %s: %.0f allocations instead of about %.0f", of.what, of.often, of.once)
		}
	}
}

// many returns a format n times, with # replaced by 0 to n-1, joined by commas.
func many(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

// TestSchemasCostWhatTheirSizeAllows counts steps: eight times as large a schema costs about eight times as much, or is refused.
func TestSchemasCostWhatTheirSizeAllows(t *testing.T) {
	for name, schema := range map[string]func(n int) string{
		"optional members": func(n int) string { return `{"properties": {` + many(n, `"p#": {"type": "string"}`) + `}}` },
		"members beside others": func(n int) string {
			return `{"properties": {` + many(n, `"p#": {}`) + `}, "additionalProperties": {"type": "null"}}`
		},
		"patterns of names": func(n int) string { return `{"patternProperties": {` + many(n, `"^[a-z]*a#[a-z]*$": {}`) + `}}` },
		"names and patterns": func(n int) string {
			return `{"properties": {"p": {"type": "string"}}, "patternProperties": {` + many(n, `"^q#": {}`) + `}}`
		},
		"first items": func(n int) string { return `{"prefixItems": [` + many(n, `{"const": #}`) + `]}` },
		"constants":   func(n int) string { return `{"enum": [` + many(n, `"#"`) + `]}` },
		"what must hold": func(n int) string {
			return `{"allOf": [` + many(n, `{"properties": {"p#": {"type": "integer"}}}`) + `]}`
		},
		"patterns": func(n int) string { return `{"allOf": [` + many(n, `{"type": "string", "pattern": "a#"}`) + `]}` },
		"bounded numbers": func(n int) string {
			return `{"properties": {` + many(n, `"p#": {"type": "integer", "minimum": -12345, "maximum": 98765}`) + `}}`
		},
		"classes": func(n int) string { return `{"type": "string", "pattern": "` + strings.Repeat(`\\p{L}`, n) + `"}` },
	} {
		t.Run(name, func(t *testing.T) {
			steps := func(n int) int {
				m := NewMeter(t.Context())
				var b peg.Builder
				if _, err := BuildWithin(m, b.Build(b.Schema(jsonschema.MustParse(schema(n)), b.Value(peg.AnyJSON))), Options{Mode: Strict}); err != nil && !m.Exceeded(err) {
					t.Fatal(err)
				}
				return m.Spent()
			}
			if once, often := steps(200), steps(1600); often > 14*once && often <= maxWork {
				t.Errorf("%d steps for 200, and %d for 1600", once, often)
			}
		})
	}
}

var errStopped = errors.New("stopped")

// ending is a context that ends when it is looked at for the n-th time.
type ending struct {
	context.Context
	stop     context.CancelCauseFunc
	n, looks int
}

func (e *ending) Err() error {
	if e.looks++; e.looks == e.n {
		e.stop(errStopped)
	}
	return e.Context.Err()
}

// TestBuildingEndsWithItsContextInAllItsPhases ends the context at any look that is taken at it, of which there is one for every rule that
// is merged: then no other follows, but one for the cause.
func TestBuildingEndsWithItsContextInAllItsPhases(t *testing.T) {
	const members = 100
	var b peg.Builder
	p := b.Build(b.Schema(jsonschema.MustParse(`{"properties": {`+many(members, `"p#": {"type": "string"}`)+`}}`), b.Value(peg.AnyJSON)))
	for _, target := range []Target{TargetGBNF, TargetLark} {
		build := func(n int) (looks int, err error) {
			inner, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			ctx := &ending{Context: inner, stop: stop, n: n}
			_, err = BuildWithin(NewMeter(ctx), p, Options{Mode: Strict, Target: target})
			return ctx.looks, err
		}
		all, err := build(math.MaxInt)
		if err != nil || all < 2*members {
			t.Fatalf("%s: %d looks, error %v", target, all, err)
		}
		for n := 1; n <= all; n += 1 + all/20 {
			if looks, err := build(n); looks > n+1 || !errors.Is(err, errStopped) {
				t.Errorf("%s: %d looks at a context that ends at number %d, error %v", target, looks, n, err)
			}
		}
	}
}

// TestAPatternThatCostsTooMuchIsNotEnforced bounds what one call of the parser of regular expressions takes, which cannot be stopped.
func TestAPatternThatCostsTooMuchIsNotEnforced(t *testing.T) {
	for name, tt := range map[string]struct {
		pattern string
		noted   bool
	}{
		"short":                {"^(abc|x)$", false},
		"long":                 {"^(" + strings.Repeat("abc|", 30_000) + "x)$", true},
		"classes without case": {"(?i)" + strings.Repeat(`[b-\\x{1E943}]`, 100), true},
	} {
		k, err := FromSchema(jsonschema.MustParse(`{"type": "string", "pattern": "` + tt.pattern + `"}`))
		if err != nil || (len(k.Notes) > 0) != tt.noted {
			t.Errorf("%s: notes %.200q, error %v", name, k.Notes, err)
		}
		if _, err := FromPattern(tt.pattern); (err != nil) != tt.noted {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// llguidance's lexer needs to know where each text may end, which must not be found out anew for every beginning of an object.
func TestLarkTakesObjectsWithHundredsOfOptionalMembers(t *testing.T) {
	schema := `{"properties": {` + many(400, `"p#": {"type": "string"}`) + `}}`
	m := NewMeter(t.Context())
	var b peg.Builder
	if _, err := BuildWithin(m, b.Build(b.Schema(jsonschema.MustParse(schema), b.Value(peg.AnyJSON))), Options{Mode: Strict, Target: TargetLark}); err != nil {
		t.Fatal(err)
	}
	if steps := m.Spent(); steps > maxWork/4 {
		t.Errorf("it takes %d steps, want at most a quarter of %d", steps, maxWork)
	}
}

func BenchmarkBuildDistinctTools(b *testing.B) {
	for _, size := range []struct{ tools, parameters int }{{20, 5}, {20, 20}, {100, 20}, {400, 20}} {
		p := distinctTools(size.tools, size.parameters)
		b.Run(fmt.Sprintf("%dx%d", size.tools, size.parameters), func(b *testing.B) {
			for b.Loop() {
				if _, err := Build(p, Options{Mode: Lazy}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size.tools*size.parameters), "ns/parameter")
		})
	}
}
