package grammar_test

import (
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

func TestConditionsOnObjectsAreEnforced(t *testing.T) {
	const ab = `"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}`
	holds(t, []schemaCase{
		{"a member that requires another", `{` + ab + `, "dependentRequired": {"a": ["b"]}}`, []string{`{}`, `{"a":null,"b":null}`, `{"b":null,"c":null}`, `{"c":null}`}, []string{`{"a":null}`, `{"a":null,"c":null}`}},
		{"members without schemas", `{"dependencies": {"a": ["b"]}}`, []string{`{}`, `{"b":1}`, `{"x":1}`, `{"a":1,"b":2,"x":3}`}, []string{`{"a":1}`, `{"a":1,"x":2}`}},
		{"members that require each other", `{` + ab + `, "dependencies": {"a": ["b"], "b": ["a"]}}`, []string{`{}`, `{"a":null,"b":null,"c":null}`, `{"c":null}`}, []string{`{"a":null}`, `{"b":null,"c":null}`}},
		{"a dependent schema", `{"type": "object", "properties": {"a": {"type": "null"}}, "dependentSchemas": {"a": {"properties": {"b": {"type": "null"}}, "required": ["b"]}}}`,
			[]string{`{}`, `{"a":null,"b":null}`}, []string{`{"a":null}`}},
		{"required members that depend on a constant", `{"type": "object", "properties": {"kind": {"enum": ["file", "url"]}, "path": {"type": "null"}, "url": {"type": "null"}}, "required": ["kind"],
			"if": {"properties": {"kind": {"const": "file"}}}, "then": {"required": ["path"]}, "else": {"required": ["url"]}}`,
			[]string{`{"kind":"file","path":null}`, `{"kind":"url","url":null}`, `{"kind":"file","path":null,"url":null}`}, []string{`{"kind":"file"}`, `{"kind":"file","url":null}`, `{"kind":"url"}`}},
		{"any text but a constant", `{"type": "object", "properties": {"kind": {"type": "string"}, "path": {"type": "null"}}, "required": ["kind"],
			"if": {"properties": {"kind": {"const": "file"}}, "required": ["kind"]}, "then": {"required": ["path"]}}`,
			[]string{`{"kind":"file","path":null}`, `{"kind":"x"}`, `{"kind":"x","path":null}`}, []string{`{"kind":"file"}`, `{"kind":"f\u0069le"}`}},
		{"a switch", `{"type": "object", "properties": {"on": {"type": "boolean"}, "level": {"type": "integer"}}, "required": ["on"],
			"if": {"properties": {"on": {"const": true}}}, "then": {"required": ["level"]}, "else": {"properties": {"level": false}}}`,
			[]string{`{"on":true,"level":3}`, `{"on":false}`}, []string{`{"on":true}`, `{"on":false,"level":3}`}},
		{"a condition for each of several constants", `{"type": "object", "properties": {"of": {"enum": ["x", "y", "z"]}, "v": {"type": "string"}}, "required": ["of", "v"], "allOf": [
			{"if": {"properties": {"of": {"const": "x"}}}, "then": {"properties": {"v": {"pattern": "^x+$"}}}},
			{"if": {"properties": {"of": {"const": "y"}}}, "then": {"properties": {"v": {"pattern": "^y+$"}}}},
			{"if": {"properties": {"of": {"const": "z"}}}, "then": {"properties": {"v": {"pattern": "^z+$"}}}}]}`,
			[]string{`{"of":"x","v":"xx"}`, `{"of":"z","v":"z"}`}, []string{`{"of":"x","v":"y"}`, `{"of":"z","v":"x"}`, `{"of":"x","v":""}`}},
		{"an optional member that is not a constant", `{` + ab + `, "if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}`,
			[]string{`{"a":null,"b":null}`, `{"c":null}`}, []string{`{}`, `{"a":null,"c":null}`, `{"b":null}`}},
		{"members that exclude each other", `{` + ab + `, "not": {"required": ["a", "b"]}}`, []string{`{}`, `{"a":null,"c":null}`, `{"b":null}`}, []string{`{"a":null,"b":null}`}},
		{"members of which none may be there", `{"type": "object", "required": ["c"], "not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}`,
			[]string{`{"c":1}`, `{"c":1,"d":2}`}, []string{`{"c":1,"a":2}`, `{"c":1,"b":2}`}},
		{"an excluded object", `{"type": "object", "properties": {"k": {"enum": ["a", "b"]}}, "required": ["k"], "not": {"properties": {"k": {"const": "a"}}}}`, []string{`{"k":"b"}`}, []string{`{"k":"a"}`}},
		{"beside alternatives", `{"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}},
			"anyOf": [{"required": ["a"]}, {"required": ["c"]}], "dependentRequired": {"a": ["b"]}}`, []string{`{"a":null,"b":null}`, `{"c":null}`}, []string{`{}`, `{"a":null}`, `{"b":null}`}},
		{"beside a reference", `{"$ref": "#/$defs/o", "dependentRequired": {"a": ["b"]}, "$defs": {"o": {` + ab + `}}}`, []string{`{"c":null}`, `{"a":null,"b":null}`}, []string{`{"a":null}`}},
		{"an object or null", `{"type": ["object", "null"], "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "dependentRequired": {"a": ["b"]}}`, []string{"null", "{}", `{"a":null,"b":null}`}, []string{`{"a":null}`}},
	})
}

func TestUnsupportedConditionsAreNoted(t *testing.T) {
	for schema, notes := range map[string][]string{
		`{"type": "object", "properties": {"a": {}}, "if": {"minProperties": 1}, "then": {"required": ["a"]}}`:            {`schema: #: "if" is not enforced`, `schema: #: "then" is not enforced`},
		`{"type": "object", "properties": {"a": {"type": "integer"}}, "not": {"properties": {"a": {"const": 1}}}}`:        {`schema: #/properties/a: "not" is not enforced`},
		`{"type": "string", "dependentRequired": {"a": ["b"]}}`:                                                           nil, // does not concern strings
		`{"type": ["string", "object"], "properties": {"a": {}}, "not": {"required": ["a"]}}`:                             {`schema: #: "not" is not enforced`},
		`{"properties": {"a": {}}, "dependentRequired": {"a": [], "b": [], "c": [], "d": [], "e": [], "f": [], "g": []}}`: {`schema: #: "dependentRequired" is not enforced`},
	} {
		own, err := grammar.FromSchema(jsonschema.MustParse(schema))
		if err != nil || !slices.Equal(own.Notes, notes) {
			t.Errorf("%s:\n got %q, %v\nwant %q", schema, own.Notes, err, notes)
		}
	}
	_, err := grammar.FromSchema(jsonschema.MustParse(`{"type": "object", "required": ["a"], "not": {"required": ["a"]}}`))
	if want := `schema: #: no value follows it`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A longest-match lexer must find the first member of each of several objects (holds runs such a
// lexer).
func TestObjectsThatBeginAlikeAreDistinguished(t *testing.T) {
	const abc = `"type": "object", "properties": {"a": {}, "b": {}, "c": {}}`
	pass, fail := []string{`{"a":1,"b":[]}`, `{"c":{}}`, `{"a":{},"b":2,"c":"x"}`}, []string{`{"a":1,"c":2}`, `{"x":1}`}
	holds(t, []schemaCase{
		{"a member that requires another", `{` + abc + `, "dependentRequired": {"a": ["b"]}}`, pass, fail},
		{"others besides", `{"dependentRequired": {"a": ["b"]}}`, append(pass, `{"x":1,"y":[]}`, `{"a":1,"b":2,"x":3}`), []string{`{"a":1,"x":2}`}},
		{"optional members", `{"anyOf": [{` + abc + `, "required": ["a", "b"]}, {"properties": {"b": {}, "c": {}}}]}`, append(pass, "{}", `{"b":{}}`), fail},
		{"references", `{"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}], "$defs": {"x": {` + abc + `, "required": ["a", "b"]}, "y": {"properties": {"b": {}, "c": {}}}}}`, append(pass, "{}"), fail},
		{"an object of any members", `{"anyOf": [{` + abc + `, "required": ["a"]}, {"type": "object", "minProperties": 1}]}`, append(pass, `{"x":{}}`), []string{"{}", "[]"}},
		{"a number of members", `{` + abc + `, "minProperties": 2}`, []string{`{"a":1,"b":[]}`, `{"b":{},"c":1}`}, []string{`{"a":1}`, "{}"}},
		{"any text but a constant", `{"type": "object", "properties": {"kind": {"type": "string"}, "path": {}}, "required": ["kind"], "if": {"properties": {"kind": {"const": "file"}}}, "then": {"required": ["path"]}}`,
			[]string{`{"kind":"file","path":[]}`, `{"kind":"f"}`, `{"kind":"files","path":1}`}, []string{`{"kind":"file"}`}},
	})
}
