package jsonschema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// of returns the schema of a text; none for an empty one.
func of(text string) jsonschema.Schema {
	if text == "" {
		return jsonschema.Schema{}
	}
	return jsonschema.MustParse(text)
}

func TestKinds(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{``, "object|array|string|number|bool|null"},
		{`{}`, "object|array|string|number|bool|null"},
		{`{"type":"string"}`, "string"},
		{`{"type":["integer","null"]}`, "number|null"},
		{`{"type":"nonsense"}`, "object|array|string|number|bool|null"},
		{`{"enum":["a",1]}`, "string|number"},
		{`{"const":true}`, "bool"},
		{`{"type":"string","enum":["a",null]}`, "string"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, "string|null"},
		{`{"oneOf":[{"type":"array"},{"$ref":"#/$defs/n"}],"$defs":{"n":{"type":"number"}}}`, "array|number"},
		{`{"allOf":[{"type":["string","number"]},{"type":["number","null"]}]}`, "number"},
		{`{"properties":{}}`, "object"},
		{`{"minLength":2}`, "string"},
		{`{"$ref":"#"}`, "object|array|string|number|bool|null"},
		{`{"$ref":"elsewhere.json"}`, "object|array|string|number|bool|null"},
	} {
		if got := of(c.schema).Kinds().String(); got != c.want {
			t.Errorf("%s allows %s, want %s", c.schema, got, c.want)
		}
	}
}

func TestWhichSchemasAllowNoNumbersButIntegers(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"integer"}`:                                                true,
		`{"type":["string","integer"]}`:                                     true,
		`{"anyOf":[{"type":"string"},{"type":"integer"}]}`:                  true,
		`{"oneOf":[{"$ref":"#/$defs/n"}],"$defs":{"n":{"type":"integer"}}}`: true,
		`{"type":["integer","number"]}`:                                     false,
		`{"anyOf":[{"type":"number"},{"type":"integer"}]}`:                  false,
		`{"anyOf":[{},{"type":"integer"}]}`:                                 false,
		`{"type":"string"}`:                                                 false,
		`{"$ref":"#"}`:                                                      false,
		`{}`:                                                                false,
		``:                                                                  false,
	} {
		if got := of(schema).Whole(); got != want {
			t.Errorf("%s: %t", schema, got)
		}
	}
}

func TestPropertiesAndRequired(t *testing.T) {
	for _, c := range []struct{ name, schema, properties, required string }{
		{"its own order", `{"properties":{"b":{},"a":{}},"required":["a"]}`, "b a", "a"},
		{"nothing said", ``, "", ""},
		{"put together", `{"allOf":[{"properties":{"a":{}},"required":["a"]},{"$ref":"#/$defs/x"}],"$defs":{"x":{"properties":{"b":{},"a":{}},"required":["b"]}}}`, "a b", "a b"},
		{"one branch is an object", `{"anyOf":[{"type":"object","properties":{"a":{}},"required":["a"]},{"type":"null"}]}`, "a", "a"},
		{"several branches are", `{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, "", ""},
		{"no object", `{"properties":[1],"required":"a"}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := of(c.schema)
			var names []string
			for _, p := range s.Properties() {
				names = append(names, p.Name)
			}
			if got := strings.Join(names, " "); got != c.properties {
				t.Errorf("the properties are %q, want %q", got, c.properties)
			}
			if got := strings.Join(s.Required(), " "); got != c.required {
				t.Errorf("required are %q, want %q", got, c.required)
			}
		})
	}
}

func TestUnread(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{``, ""},
		{`{"properties":{"if":{"anyOf":[{"minProperties":1},{"type":"null"}]}},"required":["if"]}`, ""},
		{`{"allOf":[{"properties":{"a":{}}}],"anyOf":[{"type":"object"},{"type":"null"}]}`, ""},
		{`{"required":["a"],"minProperties":1,"patternProperties":{}}`, ""},
		{`{"required":["a"],"minProperties":2}`, "minProperties"},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["c"]}}`, "not oneOf"},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"maxProperties":1}}}`, "maxProperties"},
		{`{"allOf":[{"if":{},"then":{}},{"if":{"required":["a"]},"then":{}},{"allOf":[{}]}]}`, "allOf if"},
	} {
		if got := strings.Join(of(c.schema).Unread(), " "); got != c.want {
			t.Errorf("%s leaves %q, want %q", c.schema, got, c.want)
		}
	}
}

func TestAdditional(t *testing.T) {
	for _, c := range []struct {
		schema string
		want   bool
		kinds  jsonschema.Kinds
	}{
		{``, true, jsonschema.Any},
		{`{"type":"object"}`, true, jsonschema.Any},
		{`{"properties":{"a":{}}}`, false, 0},
		{`{"properties":{"a":{}},"additionalProperties":true}`, true, jsonschema.Any},
		{`{"additionalProperties":{"type":"number"}}`, true, jsonschema.Number},
		{`{"additionalProperties":false}`, false, 0},
	} {
		s, got := of(c.schema).Additional()
		if got != c.want || got && s.Kinds() != c.kinds {
			t.Errorf("%s: %t %s, want %t %s", c.schema, got, s.Kinds(), c.want, c.kinds)
		}
	}
}

func TestOnly(t *testing.T) {
	const scalars = jsonschema.Number | jsonschema.Bool | jsonschema.Null
	for _, c := range []struct {
		schema string
		kinds  jsonschema.Kinds
		want   string
	}{
		{`{"type":"string","maxLength":3}`, jsonschema.String, `{"type":"string","maxLength":3}`},
		{`{"type":["string","null"],"maxLength":3}`, jsonschema.String, `{"type":"string","maxLength":3}`},
		{`{"enum":["a",1,"b"]}`, jsonschema.String, `{"type":"string","enum":["a","b"]}`},
		{`{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}`, jsonschema.String,
			`{"type":"string","anyOf":[{"type":"string","format":"date"}]}`},
		{`{"type":["string","integer","null"],"minimum":1}`, scalars, `{"type":["integer","null"],"minimum":1}`},
		{`{"enum":["a",1,true]}`, scalars, `{"type":["number","boolean"],"enum":[1,true]}`},
		{`{"type":"integer","minimum":1}`, scalars, `{"type":"integer","minimum":1}`},
	} {
		if got := of(c.schema).Only(c.kinds).String(); got != c.want {
			t.Errorf("%s for %s: got %s, want %s", c.schema, c.kinds, got, c.want)
		}
	}
	if got := (jsonschema.Schema{}).Only(jsonschema.String); !got.IsZero() {
		t.Errorf("of nothing remains %s", got)
	}
}

func TestOnlyBringsDefinitionsAlong(t *testing.T) {
	document := `{"$defs":{"c":{"enum":["x"]}},"properties":{"a":{"$ref":"#/properties/b"},"b":{"items":{"$ref":"#/$defs/c"}},"d":{"$ref":"#/$defs/c"}}}`
	p := of(document).Properties()
	if got, want := p[0].Schema.Only(jsonschema.Array).String(), `{"items":{"$ref":"#/$defs/c"},"$defs":{"c":{"enum":["x"]}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := p[2].Schema.Only(jsonschema.String).String(), `{"enum":["x"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, c := range []struct{ of, want string }{
		{`"items":{"$ref":"#/properties/x"}`, `{"items":{"$ref":"#/$defs/x"},"$defs":{"x":{"maximum":3}}}`},
		{`"items":{"anyOf":[{"$ref":"#/properties/x"},{"$ref":"#/$defs/x"}]}`,
			`{"items":{"anyOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x-"}]},"$defs":{"x":{"maximum":3},"x-":{"minLength":1}}}`},
		{`"items":{"$ref":"#/properties/a"}`, `{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}`}, // for ever
		{`"items":{"$ref":"#/nowhere"}`, `{"items":{"$ref":"#/$defs/nowhere"},"$defs":{"nowhere":true}}`},
		{`"items":{"$ref":"#/$defs/a~1b"}`, `{"items":{"$ref":"#/$defs/a~1b"},"$defs":{"a/b":{"type":"null"}}}`},
		{`"items":{"$ref":"other.json#/a"}`, `{"items":{"$ref":"other.json#/a"}}`},
	} {
		document := `{"$defs":{"x":{"minLength":1},"a/b":{"type":"null"}},"properties":{"a":{` + c.of + `},"x":{"maximum":3}}}`
		if got := of(document).Properties()[0].Schema.Only(jsonschema.Array).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.of, got, c.want)
		}
	}
	if got, want := p[0].Schema.Items().Kinds(), jsonschema.String; got != want {
		t.Errorf("the items are %s, want %s", got, want)
	}
}

func TestBareSchemasDifferOnlyInMeaning(t *testing.T) {
	p := of(`{"properties":{"a":{"title":"A","type":"string"},"b":{"type":"string","default":"x"},"c":{"type":"null"}}}`).Properties()
	a, b, c := p[0].Schema.Bare().Key(), p[1].Schema.Bare().Key(), p[2].Schema.Bare().Key()
	if a != b || a == c {
		t.Errorf("keys %s, %s, %s", a, b, c)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:        "expected a JSON value, found nothing",
		`{"type"`: `type: not JSON: byte 7: unexpected EOF`,
		`{} {}`:   "not JSON: byte 4: more text after the end of the value",
		strings.Repeat("[", jsonschema.MaxDepth+1): "byte 128: nested more than 128 levels deep",
	} {
		if _, err := jsonschema.Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.20s: found %v, want %s", text, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{}`, ""},
		{`{"type":null,"x-vendor":[1],"items":[{"type":"string"}],"format":7}`, ""},
		{`[]`, "schema: #: expected a JSON Schema: an object, true or false, found an array"},
		{`{"type":7}`, `schema: #/type: expected a type such as "string", or a list of types, found a number`},
		{`{"type":["string",7]}`, "schema: #/type/1: expected a string, found a number"},
		{`{"properties":{"a/b":{"anyOf":[true,{"pattern":1}]}}}`, "schema: #/properties/a~1b/anyOf/1/pattern: expected a string, found a number"},
		{`{"required":true}`, "schema: #/required: expected a list of strings, found a boolean; the required properties are named in the object that has them"},
		{`{"items":"string"}`, `schema: #/items: expected a JSON Schema: an object, true or false, found "string"`},
		{`{"maxLength":"3"}`, `schema: #/maxLength: expected a number, found "3"`},
	} {
		got := ""
		if err := of(c.schema).Check(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: found %s, want %s", c.schema, got, c.want)
		}
	}
}

func TestReferencesAreResolved(t *testing.T) {
	const document = `{"$id":"https://example.com/a.json","$defs":{"n":{"$anchor":"number","type":"number"},"a b":{"type":"null"},"d":{"$id":"d.json","type":"string"}},
		"properties":{"p":{"$ref":%q}}}`
	for ref, want := range map[string]jsonschema.Kinds{
		"#/$defs/n": jsonschema.Number, "#number": jsonschema.Number, "a.json#number": jsonschema.Number, "d.json": jsonschema.String,
		"#/$defs/a%20b": jsonschema.Null, "#/nowhere": jsonschema.Any, "#nothing": jsonschema.Any, "other.json": jsonschema.Any,
	} {
		p := of(fmt.Sprintf(document, ref)).Properties()[0].Schema
		if got := p.Kinds(); got != want {
			t.Errorf("%s leads to %s, want %s", ref, got, want)
		}
		if got := p.Only(jsonschema.Any).Kinds(); got != want {
			t.Errorf("taken out of its document, %s leads to %s, want %s", ref, got, want)
		}
	}
}

func TestEqual(t *testing.T) {
	a, b := of(`{"type":"string"}`), of(`{"type":"string"}`)
	referring := func(definition string) jsonschema.Schema {
		return of(`{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":` + definition + `}}`).Properties()[0].Schema
	}
	switch {
	case !a.Equal(b), !(jsonschema.Schema{}).Equal(jsonschema.Schema{}), !referring("true").Equal(referring("true")):
		t.Error("equal schemas differ")
	case a.Equal(of(`{"type": "string"}`)), a.Equal(jsonschema.Schema{}), referring("true").Equal(referring("{}")):
		t.Error("different schemas are equal")
	}
}

func TestSchemasAreJSON(t *testing.T) {
	type tool struct {
		Parameters jsonschema.Schema `json:"parameters,omitzero"`
	}
	const text = `{"parameters":{"b":1.0,"a":true}}`
	var in tool
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	if out, err := json.Marshal(in); err != nil || string(out) != text {
		t.Errorf("found %s, %v", out, err)
	}
	if out, err := json.Marshal(tool{}); err != nil || string(out) != `{}` {
		t.Errorf("found %s, %v", out, err)
	}
}

func TestBranchesMayReferToTheWhole(t *testing.T) {
	s := of(`{"anyOf":[{"$ref":"#"},{"type":"integer"}]}`)
	if got := s.Only(jsonschema.String).String(); got != `{"type":"string"}` {
		t.Errorf("found %s", got)
	}
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"string"}]}}}`)
	f.Add(`{"type":["string",1],"enum":[{}],"properties":{"a":null},"items":[]}`)
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, document string) {
		s, err := jsonschema.Parse([]byte(document))
		if err != nil {
			return
		}
		for _, p := range append(s.Properties(), jsonschema.Property{Schema: s}, jsonschema.Property{Schema: s.Items()}) {
			p.Schema.Required()
			if p.Schema.Kinds() == 0 {
				t.Errorf("%s allows nothing", document)
			}
			if only := p.Schema.Only(jsonschema.String); !only.IsZero() && !json.Valid(only.Raw()) {
				t.Errorf("%s became %s", document, only)
			}
		}
	})
}
