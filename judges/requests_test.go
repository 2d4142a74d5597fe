package judges

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dragoman-project/dragoman"
	"github.com/dragoman-project/dragoman/plugins/functionary"
	"github.com/dragoman-project/dragoman/plugins/gemma4"
	"github.com/dragoman-project/dragoman/plugins/gptoss"
	"github.com/dragoman-project/dragoman/plugins/kimi"
	"github.com/dragoman-project/dragoman/plugins/lfm2"
	"github.com/dragoman-project/dragoman/plugins/markup"
)

// request is a request to every model.
type request struct{ name, json string }

// The tools of the requests.
const (
	plainTools = `[
		{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {
			"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}, "days": {"type": "integer"}}, "required": ["city"]}}},
		{"type": "function", "function": {"name": "calc", "parameters": {"type": "object", "properties": {
			"a": {"type": "number"}, "b": {"type": "number"}, "exact": {"type": "boolean"}}, "required": ["a", "b"]}}},
		{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]`
	textTools = `[
		{"type": "function", "function": {"name": "paint", "parameters": {"type": "object", "properties": {
			"color": {"enum": ["red", "green", "dark blue"]}, "kind": {"const": "oil"}, "code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{3}$"},
			"label": {"type": "string", "minLength": 2, "maxLength": 5}, "day": {"type": "string", "format": "date"}},
			"required": ["color", "kind", "code", "label", "day"]}}}]`
	numberTools = `[
		{"type": "function", "function": {"name": "set", "parameters": {"type": "object", "properties": {
			"level": {"type": "integer", "minimum": 1, "maximum": 10}, "ratio": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
			"step": {"type": "integer", "multipleOf": 5}, "id": {"type": ["integer", "null"]}, "mode": {"enum": [1, 2.5, true, null, "auto"]}},
			"required": ["level", "ratio", "id"], "additionalProperties": false}}}]`
	deepTools = `[
		{"type": "function", "function": {"name": "plan_route", "parameters": {"type": "object", "$defs": {
			"point": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"], "additionalProperties": false}},
			"properties": {"stops": {"type": "array", "items": {"$ref": "#/$defs/point"}, "minItems": 2, "maxItems": 3},
			"tags": {"type": "array", "items": {"type": "string", "enum": ["fast", "scenic"]}, "minItems": 1},
			"by": {"anyOf": [{"type": "string", "enum": ["car", "bike"]}, {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]}]},
			"größe": {"type": "object", "properties": {"tief": {"type": "array", "items": {"type": "integer"}, "minItems": 1}}, "required": ["tief"]}},
			"required": ["stops", "tags", "by"]}}}]`
	openTools = `[
		{"type": "function", "function": {"name": "store", "parameters": {"type": "object", "properties": {
			"$ref": {"type": "string", "maxLength": 4}, "properties": {"type": "boolean"}, "never": {"type": "integer", "minimum": 2, "maximum": 1}},
			"required": ["$ref"], "additionalProperties": {"type": "integer"}}}},
		{"type": "function", "function": {"name": "any", "parameters": {"type": "object"}}}]`
	answer = `{"type": "object", "properties": {"name": {"type": "string"}, "size": {"enum": ["S", "M"]}, "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1}}, "required": ["name", "tags"]}`
)

// requests are the requests to every model.
var requests = []request{
	{"plain, required", asking(`"tools": ` + plainTools + `, "tool_choice": "required"`)},
	{"texts, required", asking(`"tools": ` + textTools + `, "tool_choice": "required"`)},
	{"numbers, required", asking(`"tools": ` + numberTools + `, "tool_choice": "required", "parallel_tool_calls": false`)},
	{"deep, required", asking(`"tools": ` + deepTools + `, "tool_choice": "required"`)},
	{"open, required", asking(`"tools": ` + openTools + `, "tool_choice": "required", "parallel_tool_calls": true`)},
	{"plain, free", asking(`"tools": ` + plainTools + `, "parallel_tool_calls": true`)},
	{"texts, free", asking(`"tools": ` + textTools)},
	{"plain, named", asking(`"tools": ` + plainTools + `, "tool_choice": {"type": "function", "function": {"name": "calc"}}`)},
	{"plain, not thinking", asking(`"tools": ` + plainTools + `, "tool_choice": "required", "chat_template_kwargs": {"enable_thinking": false}`)},
	{"answer", asking(answerFormat)},
	{"answer or call", asking(answerFormat + `, "tools": ` + plainTools)},
	{"call, not answer", asking(answerFormat + `, "tools": ` + plainTools + `, "tool_choice": "required"`)},
}

const answerFormat = `"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": ` + answer + `}}`

func asking(members string) string {
	return `{"messages": [{"role": "user", "content": "What now?"}], ` + members + `}`
}

// models returns a model for each of the recorded templates, or for each of the repository's own where those are missing.
func models(t *testing.T) []*dragoman.Model {
	t.Helper()
	paths, err := filepath.Glob(*templates)
	if err == nil && len(paths) == 0 && os.Getenv("CI") != "true" {
		paths, err = filepath.Glob("../autoparser/testdata/unseen/*.txtar")
	}
	if err != nil || len(paths) == 0 {
		t.Fatalf("no templates match %s (%v)", *templates, err)
	}
	handlers := slices.Concat(functionary.Handlers(), gemma4.Handlers(), gptoss.Handlers(), kimi.Handlers(), lfm2.Handlers(), markup.Handlers())
	var all []*dragoman.Model
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(path) == ".txtar" {
			source = txtar.Parse(source).Files[0].Data
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		m, err := dragoman.OpenSource(name, string(source), dragoman.Options{Handlers: handlers})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, m)
	}
	return all
}
