package grammar_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

func TestSchemasAreEnforced(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		pass, fail   []string
	}{
		{"true", `true`, []string{"1", "{}", `"a"`}, []string{"", "x"}},
		{"an empty schema is an object", `{}`, []string{"{}", `{"a": 1}`}, []string{"1"}},
		{"nullable", `{"type": "integer", "nullable": true}`, []string{"1", "null"}, []string{"true"}},
		{"a list of types", `{"type": ["boolean", "integer", "null"]}`, []string{"true", "3", "null"}, []string{`"a"`, "1.5"}},
		{"constants of the wrong type are left out", `{"type": "string", "enum": ["a", 1]}`, []string{`"a"`}, []string{"1"}},
		{"a constant object", `{"const": {"a": [1, "é\n"]}}`, []string{`{"a":[1,"é\n"]}`, `{"a": [1, "é\n"]}`}, []string{`{ "a":[1,"é\n"]}`, `{"a":[1]}`}},
		{"required members come first, in the order of the properties", `{"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}, "required": ["c", "b"]}`,
			[]string{`{"b":null,"c":null}`, `{"b": null, "c": null, "a": null}`}, []string{`{"a":null,"b":null,"c":null}`, `{"c":null,"b":null}`, `{"b":null}`}},
		{"required members that no property declares", `{"type": "object", "required": ["a"]}`,
			[]string{`{"a":1}`, `{"a":[],"b":2}`}, []string{`{}`, `{"b":2}`, `{"a":1,"a":2}`}},
		{"other members", `{"properties": {"ab": {"type": "null"}}, "additionalProperties": {"type": "integer"}}`,
			[]string{`{"ab":null,"abc":1}`, `{"b":1}`, `{"":1}`, `{"\n":1}`, `{"aé":1}`}, []string{`{"ab":1}`, `{"b":null}`, `{"b":1,"ab":null}`}},
		{"names that must be escaped", `{"properties": {"a\"b": {"type": "null"}}, "required": ["a\"b"], "additionalProperties": false}`,
			[]string{`{"a\"b":null}`}, []string{`{"a"b":null}`, `{}`}},
		{"nothing but a closed object", `{"type": "object", "additionalProperties": false}`, []string{"{}", "{ }"}, []string{`{"a":1}`}},
		{"an array of anything", `{"type": "array", "minItems": 1}`, []string{`[1, "a"]`}, []string{"[]"}},
		{"a fixed beginning and more", `{"prefixItems": [{"type": "null"}, {"type": "boolean"}], "items": {"type": "integer"}, "maxItems": 3}`,
			[]string{"[null,true]", "[null, true, 1]"}, []string{"[null]", "[null,true,1,2]", "[null,true,false]"}},
		{"a fixed array", `{"prefixItems": [{"type": "null"}], "items": false}`, []string{"[null]"}, []string{"[]", "[null,1]"}},
		{"at most some items", `{"items": {"type": "null"}, "maxItems": 2}`, []string{"[]", "[null]", "[null,null]"}, []string{"[null,null,null]"}},
		{"a range across zero", `{"type": "integer", "minimum": -12, "maximum": 207}`, []string{"-12", "0", "9", "99", "207"}, []string{"-13", "208", "007", "1000"}},
		{"a range below zero", `{"type": "integer", "maximum": -5}`, []string{"-5", "-9", "-10", "-123456"}, []string{"-4", "-05", "5", "-0"}},
		{"exclusive bounds", `{"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 4}`, []string{"2", "3"}, []string{"1", "4"}},
		{"exclusive bounds of draft 4", `{"type": "integer", "minimum": 1, "exclusiveMinimum": true, "maximum": 3}`, []string{"2", "3"}, []string{"1"}},
		{"bounds with a fraction", `{"type": "integer", "minimum": 1.5, "maximum": 3.9}`, []string{"2", "3"}, []string{"1", "4"}},
		{"bounds of more than 16 digits", `{"type": "integer", "minimum": 12345678901234567890}`, []string{"12345678901234567890", "99999999999999999999"}, []string{"12345678901234567889", "9"}},
		{"a number with an exponent", `{"type": "number"}`, []string{"1e-07", "1E+16", "2.5e-299", "1e0"}, []string{"1e", "1e999", "01e1"}},
		{"a day", `{"type": "string", "format": "date"}`, []string{`"2025-02-28"`, `"2024-02-29"`, `"2000-02-29"`, `"1999-11-30"`, `"2026-12-31"`}, []string{`"2025-02-29"`, `"1900-02-29"`, `"2024-02-30"`, `"1999-11-31"`, `"2026-13-01"`, `"2026-01-00"`}},
		{"no property declared", `{"type": "object", "properties": {}}`, []string{"{}", "{ }"}, []string{`{"a": 1}`}},
		{"nothing declared", `{"type": "object"}`, []string{"{}", `{"a": 1}`}, nil},
		{"an optional member without a value", `{"properties": {"a": {"type": "integer", "minimum": 2, "maximum": 1}, "b": {"type": "null"}}}`, []string{"{}", `{"b": null}`}, []string{`{"a": 1}`, `{"a": 2}`}},
		{"items without a value", `{"items": {"minLength": 2, "maxLength": 1}}`, []string{"[]"}, []string{`[""]`}},
		{"an alternative without a value", `{"anyOf": [{"type": "integer", "minimum": 2, "maximum": 1}, {"type": "null"}]}`, []string{"null"}, []string{"1", "2"}},
		{"a member named as a reference", `{"properties": {"$ref": {"type": "string"}, "properties": {"type": "null"}}, "required": ["$ref"]}`, []string{`{"$ref": "#/a"}`, `{"$ref": "", "properties": null}`}, []string{"{}"}},
		{"a bounded number", `{"type": "number", "minimum": 0, "maximum": 10}`, []string{"0", "0.5", "9.99", "10", "10.0"}, []string{"-1", "10.5", "11", "-0.5"}},
		{"a number above a bound", `{"type": "number", "exclusiveMinimum": 0}`, []string{"0.001", "1", "12.5"}, []string{"0", "-1", "0.0"}},
		{"a number below a bound", `{"type": "number", "exclusiveMaximum": -2}`, []string{"-2.5", "-3", "-10.25"}, []string{"-2", "-1.5", "2", "0"}},
		{"a number on both sides of zero", `{"type": "number", "minimum": -1, "exclusiveMaximum": 1}`, []string{"-1", "-0.5", "0", "0.99"}, []string{"1", "-1.5"}},
		{"a length", `{"type": "string", "minLength": 2, "maxLength": 3}`, []string{`"ab"`, `"é\n\u00e9"`}, []string{`"a"`, `"abcd"`}},
		{"a length implies a string", `{"minLength": 1}`, []string{`"a"`}, []string{`""`, "1"}},
		{"a date", `{"format": "date"}`, []string{`"2026-11-21"`}, []string{`"2026-13-01"`, `"x"`}},
		{"a pattern between anchors", `{"pattern": "^a+(?:b|c){2}$"}`, []string{`"abc"`, `"aabb"`}, []string{`"ab"`, `"xabc"`}},
		{"a pattern of a certain length", `{"pattern": "^[a-z]+é?$", "minLength": 2, "maxLength": 3}`, []string{`"ab"`, `"abc"`, `"abé"`}, []string{`"a"`, `"abcd"`, `"abcé"`}},
		{"a pattern of characters that are escaped, of a certain length", `{"pattern": "\"", "maxLength": 2}`, []string{`"\""`, `"a\""`, `"\"\u0041"`}, []string{`"ab\""`, `"ab"`}},
		{"a pattern anywhere", `{"pattern": "[0-9]"}`, []string{`"a1b"`, `"1"`}, []string{`"ab"`}},
		{"a pattern at the beginning", `{"pattern": "^\\d\\s"}`, []string{`"1 x"`, `"2\t"`}, []string{`"x1 "`}},
		{"a pattern of what must be escaped", `{"pattern": "^[\"\\\\\n]\"$"}`, []string{`"\"\""`, `"\\\""`, `"\n\""`}, []string{`"""`, `"a\""`}},
		{"a pattern of any character", `{"pattern": "^.{2}$"}`, []string{`"a\""`, `"é\\"`}, []string{`"a"`, `"a\n"`, `"a""`}},
		{"a pattern that ignores case", `{"pattern": "^(?i)ab$"}`, []string{`"aB"`, `"AB"`}, []string{`"ac"`}},
		{"a pattern with an escape of JavaScript", `{"pattern": "^\\u00e9$"}`, []string{`"é"`}, []string{`"e"`}},
		{"a reference", `{"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}`, []string{"null"}, []string{"1"}},
		{"a reference with escapes", `{"$ref": "#/$defs/a~1b~0c", "$defs": {"a/b~c": {"type": "null"}}}`, []string{"null"}, []string{"1"}},
		{"a reference to itself", `{"properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": ["next"]}`,
			[]string{`{"next":null}`, `{"next":{"next":null}}`}, []string{`{}`, `{"next":{}}`}},
		{"a reference and more", `{"$ref": "#/$defs/a", "required": ["x"], "$defs": {"a": {"properties": {"x": {"type": "null"}, "y": {"type": "null"}}}}}`,
			[]string{`{"x":null}`, `{"x":null,"y":null}`}, []string{`{}`, `{"y":null}`}},
		{"alternatives that require one of two", `{"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`,
			[]string{`{"a":null}`, `{"b":null}`, `{"a":null,"b":null}`}, []string{`{}`}},
		{"one schema in allOf is that schema", `{"allOf": [{"properties": {"a": {"type": "null"}}}]}`, []string{`{}`, `{"a":null}`}, []string{`{"b":1}`}},
		{"bounds that hold together", `{"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 5}, {"minimum": 4}]}`, []string{"4", "5"}, []string{"3", "6"}},
		{"properties that hold together", `{"allOf": [{"properties": {"a": {"minimum": 3}}, "required": ["a"]}, {"properties": {"a": {"type": "integer"}, "b": {"type": "null"}}}]}`,
			[]string{`{"a":3}`, `{"a":4,"b":null}`}, []string{`{"a":2}`, `{}`}},
		{"false is no alternative", `{"anyOf": [false, {"type": "null"}]}`, []string{"null"}, []string{"1", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			own, err := grammar.FromSchema(jsonschema.MustParse(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			if len(own.Notes) > 0 {
				t.Errorf("notes: %q", own.Notes)
			}
			g := mustParse(t, own.Grammar)
			decides(t, g, c.pass, c.fail)
			s := g.Sampler(rand.New(rand.NewPCG(1, 2)))
			for range 50 {
				if text, _ := s.Text(60); !json.Valid([]byte(text)) {
					t.Fatalf("%q is not JSON", text)
				}
			}
			if t.Failed() {
				t.Log(own.Grammar)
			}
		})
	}
}

// manyProperties are forty properties.
var manyProperties = func() string {
	var out []string
	for i := range 40 {
		out = append(out, fmt.Sprintf(`"p%d": {"type": "null"}`, i))
	}
	return strings.Join(out, ", ")
}()

func TestWhatAGrammarDoesNotEnforceIsNoted(t *testing.T) {
	for _, c := range []struct {
		schema string
		notes  []string
	}{
		{`{"type": "array", "items": {"type": "integer", "multipleOf": 7}, "uniqueItems": true}`,
			[]string{`schema: #: "uniqueItems" is not enforced`, `schema: #/items: "multipleOf" is not enforced`}},
		{`{"not": {"minimum": 1}, "if": true, "then": {"minimum": 2}, "uniqueItems": false}`,
			[]string{`schema: #: "not" is not enforced`, `schema: #: "if" is not enforced`, `schema: #: "then" is not enforced`}},
		{`{"properties": {"a": {"type": "string", "format": "iri"}}}`, []string{`schema: #/properties/a/format: "iri" is not enforced`}},
		{`{"type": "string", "pattern": "^a", "minLength": 1000}`, []string{`schema: #/minLength: not enforced beside "pattern"`}},
		{`{"pattern": "^a(?=b)"}`, []string{"schema: #/pattern: not enforced: unsupported regular expression: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"}},
		{`{"pattern": "^(?=a)b|c"}`, []string{"schema: #/pattern: not enforced: a lookahead in some of the alternatives is not supported"}},
		{`{"pattern": "^(?!.{200})[a-z]*$"}`, []string{"schema: #/pattern: its lookahead is not enforced: it takes too many rules"}},
		{`{"pattern": "a{200}", "format": "iri", "not": {"const": "b"}}`, []string{
			`schema: #/format: "iri" is not enforced`, `schema: #/not: not enforced beside "pattern"`}},
		{`{"type": "string", "not": {"pattern": "a{200}"}, "maxLength": 300}`, []string{`schema: #: "not" is not enforced`}},
		{`{"pattern": "\\bword"}`, []string{"schema: #/pattern: not enforced: word boundaries are not supported"}},
		{`{"type": "string", "maxLength": 5000}`, []string{"at most 5000 repetitions cannot be enforced: the limit of llama.cpp is 1999"}},
		{`{"$ref": "https://example.com/a"}`, []string{`schema: #/$ref: "https://example.com/a" is not in this schema: any value is allowed there`}},
		{`{"type": "number", "minimum": 0.5}`, nil},
		{`{"type": "string", "minLength": -1, "maxLength": 2.5}`, []string{
			`schema: #/minLength: ignored: expected a whole number from 0 on, found -1`,
			`schema: #/maxLength: ignored: expected a whole number from 0 on, found 2.5`}},
		{`{"contains": false}`, []string{`schema: #: "contains" is not enforced`}},
		{`{"type": "string", "required": true}`, []string{`schema: #/required: not enforced: it is a list of names beside properties`}},
		{`{"properties": [], "required": null, "type": "object"}`, []string{
			`schema: #/properties: ignored: expected an object, found []`,
			`schema: #/required: ignored: expected a boolean or an array, found null`}},
		{`{"type": "string", "enum": [1, 2]}`, []string{`schema: #/type: not enforced: no constant has this type`}},
		{`{"enum": [[1], 2], "uniqueItems": true}`, []string{`schema: #/uniqueItems: not enforced beside constants`}},
		{`{"properties": {}, "required": ["a"], "additionalProperties": false}`, []string{`schema: #/additionalProperties: not enforced for "a", which is required`}},
		{`{"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}, "required": ["b"], "additionalProperties": false}]}`,
			[]string{`schema: #/allOf/1/additionalProperties: not enforced for the members of other schemas that must hold, too`}},
		{`{"allOf": [{"unevaluatedProperties": false, "anyOf": [{"properties": {"a": {}}}]}, {"required": ["b"]}]}`,
			[]string{`schema: #/allOf/0/unevaluatedProperties: not enforced together with other schemas`}},
		{`{"oneOf": [{"type": "integer"}, {"type": "null"}, {"minimum": 2}]}`, []string{`schema: #/oneOf: treated as anyOf: a value may match both alternative 0 and alternative 2`}},
		{`{"patternProperties": {"^a": {"type": "null"}, "b$": {"type": "boolean"}}}`, []string{`schema: #/patternProperties/b$: enforced alone: a name may also match the pattern "^a"`}},
		{`{"patternProperties": {"(?=a)": true}}`, []string{"schema: #/patternProperties/(?=a): the pattern of member names is not enforced: " +
			"unsupported regular expression: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"}},
		{`{"properties": {` + manyProperties + `}, "minProperties": 30, "maxProperties": 31}`, []string{
			`schema: #/maxProperties: not enforced`, `schema: #/minProperties: at least 30 members are enforced only up to 1`}},
		{`{"allOf": [{"pattern": "^a"}, {"pattern": "^b(?!c)"}]}`, []string{`schema: #/allOf/1/pattern: of two values that must both hold, only the first is enforced: "^a" and "^b(?!c)"`}},
		{`{"allOf": [{"format": "date"}, {"format": "time"}]}`, []string{`schema: #/allOf/1/format: of two values that must both hold, only the first is enforced: "date" and "time"`}},
	} {
		own, err := grammar.FromSchema(jsonschema.MustParse(c.schema))
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		if !slices.Equal(own.Notes, c.notes) {
			t.Errorf("%s:\n got %q\nwant %q", c.schema, own.Notes, c.notes)
		}
	}
}

func TestInvalidSchemasAreErrors(t *testing.T) {
	for schema, message := range map[string]string{
		`[]`:                                      `#: expected an object or a boolean, found an array`,
		`{"type": 1}`:                             `#/type: expected a string or an array, found a number`,
		`{"type": []}`:                            `#/type: expected the names of types`,
		`{"enum": []}`:                            `#/enum: an empty list matches no value`,
		`{"properties": {"a": 1}}`:                `#/properties/a: expected an object or a boolean, found a number`,
		`{"items": {"items": "x"}}`:               `#/items/items: expected a boolean or an object or an array, found a string`,
		`{"$ref": "#/$defs/x"}`:                   `#/$ref: "#/$defs/x" refers to nothing in this schema`,
		`{"$ref": "#x"}`:                          `#/$ref: "#x" names no anchor of this schema`,
		`{"type": ""}`:                            `#/type: unknown type "": there are object, array, string, number, integer, boolean and null`,
		`{"items": {"type": ["int"]}}`:            `#/items/type: unknown type "int": there are object, array, string, number, integer, boolean and null`,
		`{"enum": ["a"], "maxLength": 0}`:         `#: no constant satisfies the other keywords`,
		`{"allOf": [{"const": 1}, {"const": 2}]}`: `#/allOf/1/const: no value is both 1 and 2`,
		`{"prefixItems": [true], "items": false, "minItems": 2}`:                           `#: at least 2 and at most 1 items cannot both hold`,
		`{"properties": {"a": {}}, "minProperties": 2}`:                                    `#: no number of members is between these bounds`,
		`{"required": ["a"], "propertyNames": {"pattern": "^b"}}`:                          `#/propertyNames: it does not allow "a", which is required`,
		`{"type": "number", "minimum": 1e500}`:                                             `#/minimum: 1e500 is too large a number`,
		`{"type": "number", "minimum": 1e100}`:                                             `#: numbers of more than 64 digits are not supported`,
		`{"type": "number", "minimum": 1e-70, "exclusiveMaximum": 2e-70}`:                  `#: no number of at most 64 digits behind the point is between these bounds`,
		`{"type": "integer", "anyOf": [{"type": "string"}, {"minimum": 3, "maximum": 2}]}`: `#/anyOf/1: no number is between these bounds`,
		`{"minItems": 2, "maxItems": 1}`:                                                   `#: at least 2 and at most 1 items cannot both hold`,
		`{"minLength": 2, "maxLength": 1}`:                                                 `#: at least 2 and at most 1 characters cannot both hold`,
		`{"minimum": 2, "maximum": 1}`:                                                     `#: no number is between these bounds`,
		`{"type":"integer","minimum":1.1,"maximum":1.9}`:                                   `#: no integer is between these bounds`,
		`{"allOf": [{"type": "null"}, {"type": "string"}]}`:                                `#/allOf/1/type: no value has both the type "null" and the type "string"`,
		`{"allOf": [{"enum": [1]}, {"enum": [2]}]}`:                                        `#/allOf/1/enum: no value is in both lists`,
		`{"allOf": [{"$ref": "#"}], "required": ["a"]}`:                                    `#/allOf/0: circular reference among schemas that must hold together`,
	} {
		_, err := grammar.FromSchema(jsonschema.MustParse(schema))
		if err == nil || err.Error() != "program: node 1: schema: "+message {
			t.Errorf("%.80s:\n got %v\nwant %s", schema, err, message)
		}
	}
}

// raw returns the grammar of a value between tags, without quotes.
func raw(t *testing.T, schema string) (*grammar.Grammar, *grammar.Constraint) {
	t.Helper()
	var b peg.Builder
	p := b.Build(b.Seq(b.RawSchema(jsonschema.MustParse(schema), b.Until("</p>")), b.Lit("</p>")))
	return build(t, p, grammar.Options{Mode: grammar.Strict})
}

func TestRawValuesHaveNoQuotes(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		pass, fail   []string
		notes        int
	}{
		{"a string is any text", `{"type": "string"}`, []string{"</p>", "a\"<b></p>"}, []string{"a", "</p></p>"}, 0},
		{"a nullable string too", `{"type": ["string", "null"]}`, []string{"null</p>", "x</p>"}, []string{"</p>x"}, 0},
		{"constants", `{"enum": ["a b", "c", 1, null, true]}`, []string{"a b</p>", "c</p>", "1</p>", "null</p>", "true</p>"}, []string{`"c"</p>`, "d</p>"}, 0},
		{"a constant with the delimiter in it", `{"enum": ["a</p>", "b"]}`, []string{"b</p>"}, []string{"a</p></p>"}, 1},
		{"a format", `{"type": "string", "format": "date"}`, []string{"2026-01-01</p>"}, []string{"x</p>"}, 0},
		{"a pattern", `{"type": "string", "pattern": "^[A-Z]{3}-\\d+\"$"}`, []string{`ABC-12"</p>`}, []string{"AB-1</p>", `ABC-12\"</p>`, "b</p>"}, 0},
		{"a length", `{"type": "string", "minLength": 2, "maxLength": 4}`, []string{"ab</p>", "<<<<</p>"[1:], "</</</p>"[2:], "é<b></p>"}, []string{"a</p>", "abcde</p>", "</p></p>"}, 0},
		{"a length that needs many rules", `{"type": "string", "maxLength": 500}`, []string{"ab</p>"}, nil, 1},
		{"a pattern and a length", `{"type": "string", "pattern": "^a+$", "minLength": 2}`, []string{"aa</p>", "aaaa</p>"}, []string{"a</p>", "b</p>"}, 0},
		{"a pattern of what a marker begins with", `{"type": "string", "pattern": "^[^a]{1,4}$"}`, []string{"b</p>", "<x</p>", "</p</p>"}, []string{"a</p>", "</p></p>"}, 0},
		{"a pattern anywhere", `{"type": "string", "pattern": "a"}`, []string{"a</p>", "<b>a<</p>"}, []string{"b</p>", "</p>a</p>"}, 0},
		{"a pattern that only the delimiter matches", `{"anyOf": [{"type": "string", "pattern": "^</p>$"}, {"type": "null"}]}`, []string{"null</p>"}, []string{"</p></p>"}, 0},
		{"alternatives", `{"anyOf": [{"const": "x"}, {"type": "integer"}, {"$ref": "#/$defs/y"}], "$defs": {"y": {"const": "y"}}}`,
			[]string{"x</p>", "12</p>", "y</p>"}, []string{"z</p>"}, 0},
		{"an alternative that is any text", `{"oneOf": [{"type": "integer"}, {"type": "string"}]}`, []string{"x</p>", "1</p>"}, nil, 0},
		{"anything", `{"description": "?"}`, []string{"x</p>", "{</p>"}, nil, 0},
		{"an object is JSON", `{"type": "object", "properties": {"a": {"type": "string"}}}`, []string{`{"a": "b"}</p>`}, []string{"{a: b}</p>"}, 0},
		{"a reference that leads nowhere else", `{"$ref": "#"}`, nil, nil, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.notes < 0 {
				var b peg.Builder
				p := b.Build(b.RawSchema(jsonschema.MustParse(c.schema), b.Until("</p>")))
				if _, err := grammar.Build(p, grammar.Options{Mode: grammar.Strict}); err == nil {
					t.Error("want an error")
				}
				return
			}
			g, own := raw(t, c.schema)
			decides(t, g, c.pass, c.fail)
			if len(own.Notes) != c.notes {
				t.Errorf("notes: %q", own.Notes)
			}
		})
	}
}

func TestRawValuesInQuotesAreEscaped(t *testing.T) {
	var b peg.Builder
	p := b.Build(b.Seq(b.Lit(`"`), b.RawSchema(jsonschema.MustParse(`{"enum": ["a\"b", "c"]}`), b.StringContent(`"`)), b.Lit(`"`)))
	g, _ := build(t, p, grammar.Options{Mode: grammar.Strict})
	decides(t, g, []string{`"a\"b"`, `"c"`}, []string{`"a"b"`, `"d"`})
}

func TestValuesAreSpelledAsTheProgramReadsThem(t *testing.T) {
	schema := jsonschema.MustParse(`{"properties": {"a": {"type": "boolean"}, "b": {"enum": ["it's", null]}}}`)
	for _, c := range []struct {
		name       string
		value      func(b *peg.Builder) peg.ID
		pass, fail []string
	}{
		{"JSON", func(b *peg.Builder) peg.ID { return b.Value(peg.AnyJSON) }, []string{`{"a": true, "b": "it's"}`}, []string{`{"a": True}`, `{'a': true}`}},
		{"Python", func(b *peg.Builder) peg.ID { return b.Value(peg.AnyPython) },
			[]string{`{"a": true}`, `{'a': True, 'b': 'it\'s'}`, `{"b": None}`}, []string{`{'b': 'it's'}`, `{"a': true}`}},
		{"Python for tolerance alone", func(b *peg.Builder) peg.ID { return b.Rule("~value", b.Value(peg.AnyPython)) },
			[]string{`{"a": true}`}, []string{`{"a": True}`, `{'a': true}`}},
		{"words of Python among literals", func(b *peg.Builder) peg.ID { return b.Choice(b.Lit("true"), b.Lit("True")) },
			[]string{`{"a": True}`}, []string{`{'a': true}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b peg.Builder
			g, _ := build(t, b.Build(b.Schema(schema, c.value(&b))), grammar.Options{Mode: grammar.Strict})
			decides(t, g, c.pass, c.fail)
		})
	}
}
