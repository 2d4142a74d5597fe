package grammar_test

import "testing"

func TestMultiplesAreEnforcedIfFewOrDeterminedByTheirLastDigits(t *testing.T) {
	holds(t, []schemaCase{
		{"few of them", `{"type": "integer", "multipleOf": 15, "minimum": 0, "exclusiveMaximum": 60}`, []string{"0", "15", "45"}, []string{"60", "5", "-15"}},
		{"few fractions", `{"type": "number", "multipleOf": 0.75, "minimum": -1, "maximum": 2}`, []string{"-0.75", "0", "0.75", "1.5"}, []string{"1", "2.25", "-1.5"}},
		{"integers that end alike", `{"type": "integer", "multipleOf": 25}`, []string{"0", "25", "-75", "100", "1025"}, []string{"5", "30", "110", "025", "1"}},
		{"integers of a fraction", `{"type": "integer", "multipleOf": 2.5}`, []string{"0", "5", "15"}, []string{"2", "2.5"}},
		{"all integers", `{"type": "integer", "multipleOf": 1}`, []string{"0", "-7", "120"}, []string{"1.5"}},
		{"numbers without a fraction", `{"type": "number", "multipleOf": 10}`, []string{"0", "10", "-120"}, []string{"5", "10.5"}},
		{"cents", `{"type": "number", "multipleOf": 0.01}`, []string{"0", "1.5", "-2.25", "10.10"}, []string{"1.005", "1.", ".5"}},
		{"quarters", `{"type": "number", "multipleOf": 0.25}`, []string{"0", "1.5", "2.50", "3.75", "4.0"}, []string{"1.3", "1.255"}},
		{"many of them, within bounds", `{"type": "integer", "multipleOf": 10, "minimum": 50, "maximum": 99999}`, []string{"50", "60", "99990"}, []string{"40", "55", "100000"}},
		{"cents within bounds", `{"type": "number", "multipleOf": 0.01, "exclusiveMinimum": 0, "maximum": 1000}`, []string{"0.01", "12.5", "1000"}, []string{"0", "0.00", "0.001", "1000.01", "-1"}},
		{"or null", `{"type": ["integer", "null"], "multipleOf": 5}`, []string{"5", "null"}, []string{"3"}},
	})
}

func TestUniqueItemsOfFewValuesAreEnforced(t *testing.T) {
	holds(t, []schemaCase{
		{"constants", `{"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "uniqueItems": true}`,
			[]string{"[]", `["b"]`, `["c","a"]`, `["b", "a", "c"]`}, []string{`["a","a"]`, `["a","b","a"]`, `["d"]`, `["a",]`}},
		{"a number of them", `{"type": "array", "items": {"$ref": "#/$defs/v"}, "uniqueItems": true, "minItems": 1, "maxItems": 2, "$defs": {"v": {"enum": [1, "1", null]}}}`,
			[]string{`[1]`, `["1",1]`, `[null, 1]`}, []string{"[]", `[1,"1",null]`, "[1,1]"}},
		{"booleans", `{"type": "array", "items": {"type": "boolean"}, "uniqueItems": true}`, []string{"[]", "[true]", "[false,true]"}, []string{"[true,true]"}},
		{"one alone", `{"type": "array", "items": {"type": "string"}, "uniqueItems": true, "maxItems": 1}`, []string{"[]", `["a"]`}, []string{`["a","b"]`}},
	})
}

func TestOptionalMembersAreCounted(t *testing.T) {
	const abc = `"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}`
	holds(t, []schemaCase{
		{"at least two", `{` + abc + `, "minProperties": 2}`, []string{`{"a":null,"b":null}`, `{"b":null,"c":null}`, `{"a":null, "b":null, "c":null}`}, []string{`{}`, `{"b":null}`}},
		{"at most one", `{` + abc + `, "maxProperties": 1}`, []string{`{}`, `{"a":null}`, `{"c":null}`}, []string{`{"a":null,"b":null}`}},
		{"as many, one of them required", `{` + abc + `, "required": ["b"], "minProperties": 2, "maxProperties": 2}`, []string{`{"b":null,"a":null}`, `{"b":null,"c":null}`}, []string{`{"b":null}`, `{"b":null,"a":null,"c":null}`}},
		{"others among them", `{` + abc + `, "additionalProperties": {"type": "integer"}, "minProperties": 2, "maxProperties": 3}`,
			[]string{`{"a":null,"x":1}`, `{"x":1,"y":2,"z":3}`, `{"a":null,"b":null,"x":1}`}, []string{`{"x":1}`, `{"a":null,"b":null,"x":1,"y":1}`, `{}`}},
	})
}
