package grammar_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

func FuzzParse(f *testing.F) {
	f.Add("root ::= a (\"x\" | [^y-z\\]]+){0,3} # c\na ::= .? | root2\nroot2 ::= \"\\x41\\u00e9\"*", "xA")
	f.Add("root ::= ((\"a\"{3})*)+ |\n", "aaa")
	f.Add("root ::= root | <[1]>", "")
	f.Fuzz(func(t *testing.T, source, text string) {
		if len(source) > 1000 || len(text) > 200 {
			return
		}
		g, err := grammar.Parse(source)
		if err != nil {
			return
		}
		again, err := grammar.Parse(g.String())
		if err != nil {
			t.Fatalf("its own print does not parse: %v\n%s", err, g)
		}
		if a, b := g.Match(text), again.Match(text); a.Status != b.Status || a.Offset != b.Offset {
			t.Fatalf("%v at %d, printed and parsed again %v at %d\n%s", a.Status, a.Offset, b.Status, b.Offset, g)
		}
		if a, b := g.Match(text), byBytes(g, text); a.Status != b.Status || a.Offset != b.Offset {
			t.Fatalf("%v at %d, byte by byte %v at %d", a.Status, a.Offset, b.Status, b.Offset)
		}
	})
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{
		`{"type": "object", "properties": {"a": {"type": ["string", "null"], "pattern": "^[a-z]\\d*$"}, "": {"$ref": "#"}}, "additionalProperties": {"type": "integer", "minimum": -3.5, "maximum": 1e2}, "required": ["a", "z"]}`,
		`{"allOf": [{"anyOf": [{"$ref": "#/x"}, {"enum": [1, "a", {"b": null}]}]}, {"type": "number", "exclusiveMaximum": 7}], "x": {"format": "date-time"}}`,
		`{"prefixItems": [true, {"const": "é\n"}], "items": {"oneOf": [{}, false]}, "minItems": 1, "maxItems": 3000, "nullable": true}`,
		`{"pattern": "^(a?|(b*c?)+)*(?:(d|)e?){2,}$", "minLength": 3}`,
		`{"$ref": "#/allOf/0", "allOf": [{"$ref": "#"}]}`,
		`{"patternProperties": {"^a|b$": {"not": {"type": "null"}}}, "propertyNames": {"maxLength": 3}, "minProperties": 1, "unevaluatedProperties": {"$ref": "#n"}, "$defs": {"x": {"$anchor": "n", "$id": "u:v"}}}`,
		`{"oneOf": [{"required": ["k"], "properties": {"k": {"const": 1}}}, {"enum": [{"k": 1}, [2]], "items": [{"format": "uri"}, {}], "additionalItems": false}], "unevaluatedItems": false, "maxItems": 2}`,
		`{"properties": {"a": {"type": "boolean"}, "b": {"multipleOf": 0.5, "type": "number", "minimum": 0}, "c": {}}, "required": ["a"], "if": {"properties": {"a": {"const": true}}}, "then": {"required": ["b"]}, "else": {"not": {"required": ["c"]}}, "minProperties": 2}`,
		`{"type": "object", "dependentSchemas": {"x": {"allOf": [{"pattern": "^(?=.a)(?!b$)c?"}, {"pattern": "d"}]}}, "dependencies": {"y": ["x"]}, "maxProperties": 3}`,
		`{"items": {"enum": [1, "a", null]}, "uniqueItems": true, "minItems": 1, "contains": {"const": 1}, "anyOf": [{"maxItems": 2}, {"type": "string", "not": {"enum": ["", "x"]}, "format": "date", "pattern": "^2"}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		schema, err := jsonschema.Parse(text)
		if err != nil || len(text) > 2000 {
			return
		}
		c, err := grammar.FromSchema(schema)
		if err != nil {
			return
		}
		g := mustParse(t, c.Grammar)
		s := g.Sampler(rand.New(rand.NewPCG(1, 2)))
		for range 3 {
			if text, ok := s.Text(50); !ok || !json.Valid([]byte(text)) {
				t.Fatalf("sampled %q (%v)\n%s", text, ok, c.Grammar)
			}
		}
		var b peg.Builder
		p := b.Build(b.Seq(b.RawSchema(schema, b.Until("<")), b.Lit("<")))
		if c, err := grammar.Build(p, grammar.Options{Mode: grammar.Strict}); err == nil {
			mustParse(t, c.Grammar)
		}
	})
}

// program decodes any bytes as a program, a few for each node.
func program(data []byte) *peg.Program {
	p := &peg.Program{}
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b)
	}
	texts := []string{"", "a", "<a>", "\n", "é", "{", "ab", "~t", "~", "\xff"}
	nodes := min(next()%40+1, len(data)+1)
	for range nodes {
		n := peg.Node{Op: peg.Op(next() % (int(peg.Prompt) + 1)), Text: texts[next()%len(texts)], Min: next()%4 - 1, Max: next()%5 - 2,
			Values: peg.Values(next()), Negated: next()%2 == 0, Raw: next()%2 == 0, JSONSchema: jsonschema.MustParse(`{"type":["string","integer"]}`)}
		for range next() % 4 {
			n.Kids = append(n.Kids, peg.ID(next()%(nodes+1)-next()%2))
			n.Delims = append(n.Delims, texts[next()%len(texts)])
			n.Ranges = append(n.Ranges, peg.Range{Lo: rune(next()), Hi: rune(next())})
		}
		p.Nodes = append(p.Nodes, n)
	}
	return p
}

func FuzzBuild(f *testing.F) {
	f.Add([]byte{9, 3, 2, 1, 1, 1, 0, 0, 2, 1, 1, 2, 2, 1, 2, 5, 4, 3, 2}, "a<a>", uint8(1))
	f.Add([]byte("a program of many nodes, all of them made of this text, which is long enough for a few"), "", uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, prompt string, mode uint8) {
		if len(data) > 600 || len(prompt) > 100 {
			return
		}
		c, err := grammar.Build(program(data), grammar.Options{Mode: grammar.Mode(mode % 3), Prompt: prompt})
		if err != nil || c == nil {
			return
		}
		g := mustParse(t, c.Grammar)
		text, ok := g.Sampler(rand.New(rand.NewPCG(1, 2))).Text(30)
		if r := g.Match(text); !ok || r.Status != grammar.Accepted {
			t.Fatalf("%q: %v at %d\n%s", text, r.Status, r.Offset, c.Grammar)
		}
	})
}
