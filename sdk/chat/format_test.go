package chat

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Engines use different names for the same fields.
func TestFormatsAreReadFromTheFieldsOfAllEngines(t *testing.T) {
	gbnf := func(path string) Request {
		return Request{Grammar: Grammar{Kind: GrammarGBNF, Text: `root ::= "a"`, Path: path}}
	}
	regex := func(path string) Request {
		return Request{Grammar: Grammar{Kind: GrammarRegex, Text: `a+`, Path: path}}
	}
	choice := func(path string) Request {
		return Request{Grammar: Grammar{Kind: GrammarChoice, Choices: []string{"a", "b"}, Path: path}}
	}
	schema := func(text string) Request { return Request{JSONSchema: jsonschema.MustParse(text)} }
	strict := schema(`{"type":"null"}`)
	strict.StrictSchema = true
	for members, want := range map[string]Request{
		`"grammar":"root ::= \"a\""`:                                      gbnf("grammar"),
		`"ebnf":"root ::= \"a\""`:                                         gbnf("ebnf"),
		`"guided_grammar":"root ::= \"a\""`:                               gbnf("guided_grammar"),
		`"structured_outputs":{"grammar":"root ::= \"a\""}`:               gbnf("structured_outputs.grammar"),
		`"response_format":{"type":"grammar","grammar":"root ::= \"a\""}`: gbnf("response_format.grammar"),
		`"regex":"a+"`:        regex("regex"),
		`"guided_regex":"a+"`: regex("guided_regex"),
		`"response_format":{"type":"regex","pattern":"a+"}`:                                               regex("response_format.pattern"),
		`"guided_choice":["a","b"]`:                                                                       choice("guided_choice"),
		`"structured_outputs":{"choice":["a","b"],"regex":null}`:                                          choice("structured_outputs.choice"),
		`"guided_json":{"type":"null"}`:                                                                   schema(`{"type":"null"}`),
		`"structured_outputs":{"json":{"type":"null"}}`:                                                   schema(`{"type":"null"}`),
		`"structured_outputs":{"json_object":true}`:                                                       schema(`{"type":"object"}`),
		`"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"null"}}}`:    schema(`{"type":"null"}`),
		`"response_format":{"type":"json_schema","json_schema":{"strict":true,"schema":{"type":"null"}}}`: strict,
		`"response_format":{"type":"text","grammar":"unused"}, "grammar": ""`:                             {},
	} {
		r, err := ParseRequest([]byte(`{"messages":[{"role":"user","content":"Hi"}],` + members + `}`))
		if err != nil {
			t.Errorf("%s: %v", members, err)
			continue
		}
		if got := (Request{JSONSchema: r.JSONSchema, StrictSchema: r.StrictSchema, Grammar: r.Grammar}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", members, got, want)
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseRequest(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		r.Grammar.Path, again.Grammar.Path = "", ""
		if !reflect.DeepEqual(again, r) {
			t.Errorf("%s: after encoding and decoding\n%+v\nwant\n%+v", members, again, r)
		}
	}
}
