package grammar_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dragoman-project/dragoman/internal/llamacpp"
	"github.com/dragoman-project/dragoman/sdk/grammar"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

type schemaCase struct {
	name, schema string
	pass, fail   []string
}

// held returns the grammar of a schema, which must need no notes and be accepted by llama.cpp.
func held(t *testing.T, c schemaCase) (*grammar.Grammar, *grammar.Constraint) {
	t.Helper()
	own, err := grammar.FromSchema(jsonschema.MustParse(c.schema))
	if err != nil {
		t.Fatal(err)
	}
	if len(own.Notes) > 0 {
		t.Errorf("notes: %q", own.Notes)
	}
	if err := llamacpp.CheckGrammar(own.Grammar); err != nil {
		t.Errorf("llama.cpp: %v", err)
	}
	g := mustParse(t, own.Grammar)
	decides(t, g, c.pass, c.fail)
	if t.Failed() {
		t.Log(own.Grammar)
	}
	return g, own
}

// holds checks that schemas are enforced without notes, in GBNF and in Lark.
func holds(t *testing.T, cases []schemaCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g, own := held(t, c)
			content, lost, err := own.In(grammar.TargetLark)
			if err != nil || len(lost) > 0 {
				t.Fatalf("in Lark: %v, lost %q", err, lost)
			}
			agrees(t, readLark(t, content), g, &grammar.Constraint{Content: content})
		})
	}
}

func TestConstantsSatisfyTheKeywordsBesideThem(t *testing.T) {
	holds(t, []schemaCase{
		{"a type that one has", `{"type": ["string", "null"], "enum": ["a", null, 1]}`, []string{`"a"`, "null"}, []string{"1"}},
		{"an integer is no fraction", `{"type": "integer", "enum": [1, 1.5]}`, []string{"1"}, []string{"1.5"}},
		{"a length and a pattern", `{"enum": ["a", "ab", "cd", "abc"], "minLength": 2, "maxLength": 2, "pattern": "^a"}`, []string{`"ab"`}, []string{`"a"`, `"cd"`, `"abc"`}},
		{"bounds", `{"enum": [1, 2, 3, 4], "minimum": 2, "exclusiveMaximum": 4}`, []string{"2", "3"}, []string{"1", "4"}},
		{"a multiple", `{"enum": [1, 2.5, 5], "multipleOf": 2.5}`, []string{"2.5", "5"}, []string{"1"}},
		{"members", `{"enum": [{"a": 1}, {"a": 1, "b": 2}, {"a": "x"}], "properties": {"a": {"type": "integer"}}, "additionalProperties": false}`,
			[]string{`{"a":1}`, `{"a": 1}`}, []string{`{"a":1,"b":2}`, `{"a":"x"}`}},
		{"items", `{"enum": [[1], [1, 2], ["x"]], "items": {"type": "integer"}, "minItems": 2}`, []string{`[1,2]`, `[1, 2]`}, []string{`[1]`, `["x"]`}},
		{"what they must not be", `{"enum": ["a", "b"], "not": {"const": "a"}}`, []string{`"b"`}, []string{`"a"`}},
		{"one of two", `{"const": 5, "oneOf": [{"minimum": 3}, {"type": "string"}]}`, []string{"5"}, []string{"4"}},
		{"a reference", `{"enum": [1, "a"], "$ref": "#/$defs/s", "$defs": {"s": {"type": "string"}}}`, []string{`"a"`}, []string{"1"}},
		{"a constant that several name", `{"allOf": [{"const": {"a": 1.0}}, {"enum": [2, {"a": 1}]}]}`, []string{`{"a":1.0}`}, []string{"2"}},
		{"null beside an enumeration that is nullable", `{"type": "string", "enum": ["a"], "nullable": true}`, []string{`"a"`, "null"}, []string{`"b"`}},
	})
}

func TestAlternativesAreMergedWithTheKeywordsBesideThem(t *testing.T) {
	holds(t, []schemaCase{
		{"a type rules alternatives out", `{"type": "object", "anyOf": [{"type": "string"}, {"properties": {"a": {"type": "null"}}, "required": ["a"]}]}`,
			[]string{`{"a":null}`}, []string{`"x"`, "{}"}},
		{"so do bounds", `{"type": "integer", "minimum": 5, "anyOf": [{"maximum": 3}, {"maximum": 6}]}`, []string{"5", "6"}, []string{"3", "7"}},
		{"a type beside a reference to another one", `{"$ref": "#/$defs/a", "type": "integer", "$defs": {"a": {"type": ["integer", "string"]}}}`, []string{"1"}, []string{`"a"`}},
		{"a reference to itself with more beside it", `{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n", "required": ["v"]}, "v": {"type": "null"}}}}}`,
			[]string{`{}`, `{"n":{"v":null}}`, `{"n":{"v":null,"n":{"v":null}}}`}, []string{`{"n":{}}`, `{"n":{"v":null,"n":{}}}`}},
		{"two lists of alternatives", `{"anyOf": [{"type": "string"}, {"type": "integer"}], "allOf": [{"anyOf": [{"minimum": 3}, {"type": "null"}]}]}`, []string{"3", `"a"`}, []string{"2", "null"}},
		{"anything may be an alternative", `{"anyOf": [{}, {"type": "null"}]}`, []string{"1", `"a"`, "null"}, nil},
		{"alternatives of different types exclude each other", `{"oneOf": [{"type": "string"}, {"type": ["integer", "null"]}]}`, []string{`"a"`, "1", "null"}, []string{"true"}},
		{"so do constants of one member", `{"oneOf": [
			{"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "null"}}, "required": ["kind"]},
			{"$ref": "#/$defs/b"}], "$defs": {"b": {"properties": {"kind": {"enum": ["b", "c"]}}, "required": ["kind"]}}}`,
			[]string{`{"kind":"a","x":null}`, `{"kind":"c"}`}, []string{`{"kind":"b","x":null}`}},
		{"so do members that only one has", `{"oneOf": [{"properties": {"a": true}, "required": ["a"]}, {"properties": {"b": true}, "required": ["b"]}]}`,
			[]string{`{"a":1}`, `{"b":1}`}, []string{`{}`, `{"a":1,"b":1}`}},
		{"members of which one is required each", `{"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}`,
			[]string{`{"a":null}`, `{"b":null,"c":null}`}, []string{`{"a":null,"b":null}`, `{"c":null}`, "{}"}},
		{"members of an open object", `{"type": "object", "oneOf": [{"required": ["a", "b"]}, {"required": ["a", "c"]}]}`,
			[]string{`{"a":1,"b":1}`, `{"a":1,"c":1,"x":2}`}, []string{`{"a":1,"b":1,"c":1}`, `{"a":1,"c":1,"b":1}`, `{"a":1}`}},
		{"a member that is required anyway", `{"properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "required": ["b"], "oneOf": [{"required": ["b"]}, {"required": ["a"]}]}`,
			[]string{`{"b":null}`}, []string{`{"b":null,"a":null}`, `{"a":null}`}},
		{"three of which one is required each", `{"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]}`,
			[]string{`{"a":null}`, `{"b":null}`, `{"c":null}`}, []string{`{}`, `{"a":null,"b":null}`, `{"b":null,"c":null}`, `{"a":null,"c":null}`, `{"a":null,"b":null,"c":null}`}},
		{"so do bounds", `{"oneOf": [{"type": "integer", "maximum": 3}, {"type": "number", "exclusiveMinimum": 3}]}`, []string{"3", "3.5"}, nil},
	})
}

func TestSchemasThatMustHoldTogetherAreMerged(t *testing.T) {
	holds(t, []schemaCase{
		{"items at the same place", `{"allOf": [{"prefixItems": [{"minimum": 3}]}], "items": {"type": "integer", "minimum": 5}, "maxItems": 2}`,
			[]string{"[5]", "[5,6]"}, []string{"[3]", "[3,5]", "[5,4]"}},
		{"members and what others must be", `{"allOf": [{"properties": {"a": {"minimum": 2}}}], "additionalProperties": {"type": "integer"}}`,
			[]string{`{"a":2}`, `{"b":1}`}, []string{`{"a":1}`, `{"a":2.5}`, `{"b":null}`}},
		{"a forbidden member", `{"allOf": [{"properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "required": []}, {"properties": {"a": {"type": "integer"}}}]}`,
			[]string{"{}", `{"b":null}`}, []string{`{"a":null}`, `{"a":1}`}},
		{"anything and something", `{"allOf": [{}, true, {"type": "null"}]}`, []string{"null"}, []string{"1"}},
		{"anything", `{"allOf": [true, {}]}`, []string{"1", "{}"}, nil},
		{"what is named nowhere", `{"$ref": "#/$defs/a", "properties": {"b": {"type": "null"}}, "unevaluatedProperties": false, "$defs": {"a": {"properties": {"a": {"type": "null"}}}}}`,
			[]string{`{"b":null,"a":null}`, "{}"}, []string{`{"c":1}`}},
		{"what others must be", `{"allOf": [{"properties": {"a": {"type": "null"}}, "required": []}], "unevaluatedProperties": {"type": "integer"}}`,
			[]string{`{"a":null,"b":1}`}, []string{`{"b":null}`}},
		{"unevaluated items", `{"allOf": [{"prefixItems": [{"type": "null"}]}], "unevaluatedItems": {"type": "integer"}}`, []string{"[null,1]"}, []string{"[null,null]"}},
		{"none of two", `{"allOf": [{"enum": [1, 2, 3], "not": {"const": 1}}, {"not": {"const": 2}}]}`, []string{"3"}, []string{"1", "2"}},
	})
}

func TestTypesMayBeExcluded(t *testing.T) {
	holds(t, []schemaCase{
		{"one", `{"not": {"type": "null"}}`, []string{"1", `"a"`, "{}", "[]", "true", "1.5"}, []string{"null"}},
		{"several", `{"type": ["string", "integer", "null"], "not": {"type": ["string", "null"]}}`, []string{"1"}, []string{`"a"`, "null", "1.5"}},
		{"an impossible member", `{"properties": {"a": {"not": {}}, "b": {"type": "null"}}}`, []string{"{}", `{"b":null}`}, []string{`{"a":1}`}},
		{"nothing", `{"type": "null", "not": false}`, []string{"null"}, []string{"1"}},
	})
}

func TestTuplesHaveAsManyItemsAsTheBoundsAllow(t *testing.T) {
	holds(t, []schemaCase{
		{"all, and no others", `{"prefixItems": [{"type": "null"}, {"type": "boolean"}]}`, []string{"[null,true]"}, []string{"[]", "[null]", "[null,true,1]"}},
		{"fewer", `{"prefixItems": [{"type": "null"}, {"type": "boolean"}, {}], "minItems": 1}`, []string{"[null]", "[null,true]", "[null, true, 1]"}, []string{"[]", "[true]", "[null,true,1,1]"}},
		{"none or all in a row", `{"prefixItems": [{"type": "null"}, {"type": "boolean"}], "minItems": 0}`, []string{"[]", "[null]", "[null,true]"}, []string{"[true]"}},
		{"at most some", `{"prefixItems": [{"type": "null"}, {"type": "boolean"}], "maxItems": 1}`, []string{"[null]"}, []string{"[]", "[null,true]"}},
		{"more than are named", `{"prefixItems": [{"type": "null"}], "minItems": 2, "maxItems": 3}`, []string{"[null,1]", `[null,"a",{}]`}, []string{"[null]", "[null,1,1,1]"}},
		{"up to more than are named", `{"prefixItems": [{"type": "null"}], "maxItems": 2}`, []string{"[null]", "[null,1]"}, []string{"[null,1,2]"}},
		{"an impossible item", `{"prefixItems": [{"type": "null"}, false, true]}`, []string{"[null]"}, []string{"[null,1]", "[]"}},
		{"as drafts up to 7 write it", `{"items": [{"type": "null"}], "additionalItems": {"type": "integer"}}`, []string{"[null]", "[null,1,2]"}, []string{"[]", "[null,null]"}},
		{"no additional ones, in old drafts", `{"items": [{"type": "null"}], "additionalItems": false}`, []string{"[null]"}, []string{"[null,1]"}},
		{"what is not said there of a single schema", `{"items": {"type": "integer"}, "additionalItems": false}`, []string{"[]", "[1,2]"}, []string{"[null]"}},
	})
}

func TestMembersMayBeNamedByPatterns(t *testing.T) {
	holds(t, []schemaCase{
		{"no others", `{"type": "object", "patternProperties": {"^[a-c]+$": {"type": "integer"}}}`, []string{"{}", `{"a":1,"bc":2}`, `{"a": 1, "a": 2}`}, []string{`{"d":1}`, `{"a":null}`, `{"":1}`}},
		{"several patterns", `{"patternProperties": {"^a": {"type": "integer"}, "^b": {"type": "null"}}, "additionalProperties": false}`, []string{`{"ax":1,"b":null}`}, []string{`{"b":1}`, `{"c":1}`}},
		{"others", `{"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": {"type": "null"}}`, []string{`{"a1":1,"b":null,"":null}`}, []string{`{"a1":null}`, `{"b":1}`}},
		{"members besides", `{"properties": {"ab": {"minimum": 3}, "x": {"type": "null"}}, "patternProperties": {"^a": {"type": "integer"}}}`,
			[]string{`{"ab":3,"x":null,"a":1}`, `{"abc":0}`}, []string{`{"ab":2}`, `{"ab":3.5}`, `{"y":null}`}},
		{"one that is required", `{"patternProperties": {"^a": {"type": "integer"}}, "required": ["ab"]}`, []string{`{"ab":1}`, `{"ab":1,"a":2}`}, []string{`{"a":2}`, `{"ab":null}`}},
		{"names that follow a schema", `{"type": "object", "propertyNames": {"pattern": "^[a-z]{2}$"}, "additionalProperties": {"type": "integer"}}`, []string{`{"ab":1,"cd":2}`, "{}"}, []string{`{"a":1}`, `{"ab":null}`}},
		{"any name is a string", `{"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {"type": "integer"}}`, []string{`{"ä":1}`}, []string{`{"a":null}`}},
		{"names of a certain length", `{"propertyNames": {"maxLength": 2}}`, []string{`{"ab":[]}`}, []string{`{"abc":1}`}},
		{"names that are listed", `{"propertyNames": {"enum": ["a", "b"]}, "additionalProperties": {"type": "null"}, "properties": {"b": {"type": "integer"}}}`,
			[]string{`{"b":1,"a":null}`, `{"a":null}`}, []string{`{"c":null}`, `{"b":null}`}},
		{"a member whose name is not allowed", `{"properties": {"a": true, "bb": true}, "propertyNames": {"minLength": 2}}`, []string{"{}", `{"bb":1}`}, []string{`{"a":1}`}},
		{"no name at all", `{"propertyNames": false}`, []string{"{}"}, []string{`{"a":1}`}},
	})
}

func TestMembersAreCounted(t *testing.T) {
	holds(t, []schemaCase{
		{"any members", `{"type": "object", "minProperties": 1, "maxProperties": 2}`, []string{`{"a":1}`, `{"a":1, "b":2}`}, []string{"{}", `{"a":1,"b":2,"c":3}`}},
		{"members of one kind", `{"additionalProperties": {"type": "integer"}, "minProperties": 2}`, []string{`{"a":1,"b":2}`}, []string{`{"a":1}`}},
		{"others beside those required", `{"properties": {"a": {"type": "null"}}, "required": ["a"], "additionalProperties": {"type": "integer"}, "maxProperties": 2}`,
			[]string{`{"a":null}`, `{"a":null,"b":1}`}, []string{`{"a":null,"b":1,"c":2}`}},
		{"one of those that may be missing", `{"properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "minProperties": 1}`, []string{`{"a":null}`, `{"b":null}`, `{"a":null,"b":null}`}, []string{"{}"}},
		{"one more than those required", `{"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}, "required": ["a"], "minProperties": 2}`, []string{`{"a":null,"c":null}`}, []string{`{"a":null}`}},
		{"all of them", `{"properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "minProperties": 2, "maxProperties": 5}`, []string{`{"a":null,"b":null}`}, []string{`{"a":null}`}},
		{"none", `{"type": "object", "maxProperties": 0}`, []string{"{}"}, []string{`{"a":1}`}},
		{"as many as are required anyway", `{"properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "required": ["a"], "maxProperties": 1}`, []string{`{"a":null}`}, []string{`{"a":null,"b":null}`}},
	})
}

func TestReferencesResolveAnchorsAndIdentifiers(t *testing.T) {
	holds(t, []schemaCase{
		{"an anchor", `{"$ref": "#n", "$defs": {"a": {"$anchor": "n", "type": "null"}}}`, []string{"null"}, []string{"1"}},
		{"a dynamic anchor", `{"items": {"$ref": "#n"}, "$defs": {"a": {"$dynamicAnchor": "n", "type": "null"}}}`, []string{"[null]"}, []string{"[1]"}},
		{"an anchor as drafts up to 7 write it", `{"$ref": "#n", "definitions": {"a": {"$id": "#n", "type": "null"}}}`, []string{"null"}, []string{"1"}},
		{"the identifier of the whole", `{"$id": "https://a.example/s.json", "$ref": "https://a.example/s.json#/$defs/a", "$defs": {"a": {"type": "null"}}}`, []string{"null"}, []string{"1"}},
		{"a relative identifier", `{"$id": "https://a.example/s.json", "$ref": "t.json", "$defs": {"a": {"$id": "t.json", "type": "null"}}}`, []string{"null"}, []string{"1"}},
		{"a pointer within a part", `{"$id": "urn:a", "$ref": "#/$defs/a", "$defs": {"a": {"$id": "https://b.example/", "$ref": "#/$defs/b", "$defs": {"b": {"type": "null"}}}}}`, []string{"null"}, []string{"1"}},
		{"characters that a URI escapes", `{"$ref": "#/$defs/a%22b%25%20%C3%A9", "$defs": {"a\"b% é": {"type": "null"}}}`, []string{"null"}, []string{"1"}},
		{"a part whose name has a percent sign", `{"$ref": "#n", "$defs": {"a%20b": {"$anchor": "n", "type": "null"}}}`, []string{"null"}, []string{"1"}},
		{"what looks like a reference in a constant", `{"$id": "urn:a", "const": {"$ref": "urn:a"}}`, []string{`{"$ref":"urn:a"}`}, []string{"1"}},
		{"members that are named like keywords", `{"properties": {"$ref": {"type": "null"}, "$id": {"type": "null"}, "enum": {"$ref": "#n"}}, "$defs": {"a": {"$anchor": "n", "type": "null"}}}`,
			[]string{`{"$ref":null,"$id":null,"enum":null}`}, []string{`{"enum":1}`}},
	})
}

func TestPatternsMatchWhereTheirAnchorsAllow(t *testing.T) {
	holds(t, []schemaCase{
		{"alternatives that are each the whole", `{"pattern": "(^a$|^b$)"}`, []string{`"a"`, `"b"`}, []string{`"ab"`, `"xa"`}},
		{"without parentheses", `{"pattern": "^a$|^b$"}`, []string{`"a"`, `"b"`}, []string{`"ab"`, `"xb"`}},
		{"alternatives that are bound differently", `{"pattern": "^a|b"}`, []string{`"ax"`, `"xbx"`}, []string{`"xa"`}},
		{"an optional end", `{"pattern": "^ab?($|c)"}`, []string{`"a"`, `"acx"`, `"ab"`}, []string{`"ax"`, `"xa"`}},
		{"what can never be", `{"anyOf": [{"pattern": "a^b"}, {"type": "null"}]}`, []string{"null"}, []string{`"ab"`}},
		{"anchors of Python", `{"pattern": "\\Aa+\\Z"}`, []string{`"aa"`}, []string{`"aab"`, `"baa"`}},
		{"a dollar sign that is escaped", `{"pattern": "^a\\$"}`, []string{`"a$b"`}, []string{`"ab"`}},
		{"a backslash before the end", `{"pattern": "^a\\\\$"}`, []string{`"a\\"`}, []string{`"a\\b"`}},
		{"characters beyond the first plane", `{"pattern": "^\\ud83d\\ude00\\u{1F601}$"}`, []string{`"😀😁"`}, []string{`"😀"`}},
		{"lazy repetitions", `{"pattern": "^a+?b{1,2}?c*?$"}`, []string{`"aab"`, `"abbcc"`}, []string{`"b"`, `"abbb"`}},
		{"classes", `{"pattern": "^[^\\W_]{2}[\\d.-]\\D$"}`, []string{`"a1-x"`, `"Zz9_"`}, []string{`"_a1x"`, `"ab.1"`}},
		{"groups with names", `{"pattern": "^(?<year>\\d{4})-(?P<month>\\d\\d)$"}`, []string{`"2026-11"`}, []string{`"2026"`}},
	})
}

func TestLengthsThatAPatternImpliesNeedNoRules(t *testing.T) {
	holds(t, []schemaCase{
		{"at least", `{"pattern": "^[a-z]+(-[a-z]{2,})?$", "minLength": 1}`, []string{`"a"`, `"a-bc"`}, []string{`""`}},
		{"at most", `{"pattern": "^(a|bc?){1,3}d*?e{0}$|^$", "minLength": 0}`, []string{`""`, `"abcd"`}, []string{`"d"`}},
		{"both", `{"pattern": "^\\d{3}-(?:\\d{4}|x)$", "minLength": 5, "maxLength": 300}`, []string{`"123-4567"`, `"123-x"`}, []string{`"123-45"`}},
		{"anywhere", `{"pattern": "abc", "minLength": 3}`, []string{`"abc"`, `"xabcx"`}, []string{`"ab"`}},
		{"of a format", `{"format": "date", "minLength": 10, "maxLength": 10}`, []string{`"2026-01-01"`}, []string{`"2026"`}},
		{"of a format with an expression", `{"format": "uri", "minLength": 1}`, []string{`"a:b"`}, []string{`""`}},
		{"less than a format allows", `{"format": "hostname", "maxLength": 3}`, []string{`"a.b"`}, []string{`"ab.c"`}},
	})
}

func TestFormatsAreEnforced(t *testing.T) {
	for format, texts := range map[string]struct{ pass, fail []string }{
		"date":                  {[]string{"2026-11-21"}, []string{"2026-13-01", "2026-1-1", "2026-11-32", ""}},
		"time":                  {[]string{"23:59:59Z", "08:30:06.283+01:00"}, []string{"24:00:00Z", "8:00:00Z", "08:00:00"}},
		"date-time":             {[]string{"2026-11-21T08:30:06Z"}, []string{"2026-11-21", "2026-11-21 08:30:06Z"}},
		"uuid":                  {[]string{"12345678-1234-1234-1234-1234567890ab"}, []string{"123456781234123412341234567890ab", "g2345678-1234-1234-1234-1234567890ab"}},
		"email":                 {[]string{"a.b+c@example.co.uk", "o'neil@x-y.org"}, []string{"a@", "@b", "a.@b", "a b@c", "a@b_c", "a@.b", "a@b.", "a@b"}},
		"hostname":              {[]string{"a", "www.example.com", "x1-y.z"}, []string{"-a", "a-", "a..b", "a_b", "", "a.", strings.Repeat("a", 64)}},
		"ipv4":                  {[]string{"0.0.0.0", "255.10.99.199"}, []string{"256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"}},
		"ipv6":                  {[]string{"::", "::1", "2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "fe80::"}, []string{":", "1:2:3:4:5:6:7", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9"}},
		"uri":                   {[]string{"https://example.com/a?b=c#d", "mailto:a@b", "urn:x:%C3%A9"}, []string{"example.com", "//a/b", "http://a b", "http://a/%zz", "", "a:"}},
		"uri-reference":         {[]string{"", "/a/b?c#d", "../x", "https://a"}, []string{"a b", "%z", "a#b#c", `\`}},
		"json-pointer":          {[]string{"", "/a/b~0~1", "/ä"}, []string{"a", "/~2", "/a~"}},
		"relative-json-pointer": {[]string{"0", "1/a", "2#"}, []string{"", "01", "/a", "1a"}},
		"duration":              {[]string{"P1Y2M3DT4H5M6S", "PT36H", "P4W", "P1D"}, []string{"P", "PT", "1D", "P1D2H", "P1Y1D", "P2D1Y", "P1W1D"}},
		"byte":                  {[]string{"", "QQ==", "QUI=", "QUJD"}, []string{"Q", "QQ=", "QU-D", "QUJDQ"}},
		"password":              {[]string{"", "anything"}, nil},
		"binary":                {[]string{"anything"}, nil},
	} {
		t.Run(format, func(t *testing.T) {
			quoted := func(texts []string) []string {
				var out []string
				for _, text := range texts {
					out = append(out, mustMarshal(t, text))
				}
				return out
			}
			schema := `{"type": "string", "format": "` + format + `"}`
			holds(t, []schemaCase{{"in quotes", schema, quoted(texts.pass), quoted(texts.fail)}})
			g, own := raw(t, schema)
			tagged := func(texts []string) []string {
				var out []string
				for _, text := range texts {
					out = append(out, text+"</p>")
				}
				return out
			}
			decides(t, g, tagged(texts.pass), tagged(texts.fail))
			if len(own.Notes) > 0 {
				t.Errorf("notes: %q", own.Notes)
			}
		})
	}
}

func mustMarshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNestedRepetitionsStayWithinLimits(t *testing.T) {
	for _, c := range []schemaCase{
		{"as many as there may be", `{"type": "array", "maxItems": 1999, "items": {"type": "array", "maxItems": 1999, "items": {"type": "string", "maxLength": 1999}}}`, []string{"[]", `[["a"],[]]`}, []string{"[1]"}},
		{"in fixed items that may be missing", `{"prefixItems": [{"type": "string", "maxLength": 1999}, {"type": "string", "maxLength": 1999}], "minItems": 0}`, []string{"[]", `["a","b"]`}, []string{"[1]"}},
		{"in a pattern", `{"pattern": "^([a-z]{1,1000}-[a-z]{1,999})?([a-z]{1,1000}/[0-9]{1,1000})*$"}`, []string{`""`, `"a-b"`, `"a/1b/2"`}, []string{`"a-"`}},
	} {
		t.Run(c.name, func(t *testing.T) { held(t, c) })
	}
}

func TestADirectSelfReferenceAddsNothing(t *testing.T) {
	holds(t, []schemaCase{
		{"among alternatives", `{"anyOf": [{"$ref": "#"}, {"type": "null"}]}`, []string{"null"}, []string{"1"}},
		{"through another", `{"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}, {"type": "null"}]}, "b": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/a"}]}}}`,
			[]string{"null", "1"}, []string{"true"}},
	})
}

func TestHugeBoundsOfNumbers(t *testing.T) {
	holds(t, []schemaCase{
		{"those of floating point", `{"type": "number", "minimum": -1.7976931348623157e308, "maximum": 1.7976931348623157E+308}`, []string{"0", "-12.5", "1e5"}, []string{"x"}},
		{"those of an integer", `{"type": "integer", "minimum": 0, "maximum": 1.7976931348623157e+308}`, []string{"0", "12"}, []string{"-1"}},
		{"as close to zero as can be", `{"type": "number", "minimum": 5e-324}`, []string{"0.1", "1", "0.0000000001"}, []string{"0", "-1", "0.0"}},
		{"of more digits than are written", `{"type": "number", "maximum": -1e-70}`, []string{"-0.1", "-1"}, []string{"0", "1"}},
		{"many digits of both", `{"type": "number", "exclusiveMinimum": 1.5e-64, "maximum": 1}`, []string{"0.5", "1", "1.0"}, []string{"0", "1.1"}},
	})
}
