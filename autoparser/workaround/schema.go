package workaround

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
)

// schema is a JSON Schema, with the keywords that a file of rules needs.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // a name, or several
	Const       any                `json:"const,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	AnyOf       []*schema          `json:"anyOf,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	MaxItems    int                `json:"maxItems,omitempty"`
	// Additional points to false if other properties are not allowed.
	Additional *bool `json:"additionalProperties,omitempty"`
}

// JSONSchema returns a JSON Schema, draft 7, of files of rules, with which editors complete and check them. It covers all keys,
// fields and values, but not predicates, which only Parse checks.
func JSONSchema() ([]byte, error) {
	file := object(map[string]*schema{
		"version":     {Const: 1, Description: "the version of the format"},
		"workarounds": {Type: "array", Items: ruleSchema(), MaxItems: MaxRules, Description: "the rules, which run in this order"},
	}, "version")
	file.Schema, file.Title = "http://json-schema.org/draft-07/schema#", "Workarounds"
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(file)
	return out.Bytes(), err
}

func ruleSchema() *schema {
	r := object(map[string]*schema{
		"name":     described(&schema{Type: "string", Pattern: ruleName.String()}, "the name by which reports refer to the rule"),
		"because":  described(text(), "the reason, so that others can tell whether it still holds"),
		"seen-in":  described(list(text()), "templates that need the rule"),
		"when":     described(&schema{Type: []string{"string", "boolean"}}, "the predicate over source, name, dialect and capabilities"),
		"set":      described(fieldsSchema(""), "fields of the dialect and their values"),
		"trim":     described(list(&schema{Enum: trimmable()}), "fields from which outer white space is removed"),
		"preserve": described(list(text()), "tokens that the engine must not drop from the output"),
		"stop":     described(list(text()), "texts that end an answer"),
		"request":  described(list(&schema{Enum: texts(Normalisations()...)}), "normalisations of a request's messages"),
		"vouch":    described(list(&schema{Enum: texts(dialect.Parts()...)}), "parts of the dialect that are served although the self-check cannot prove them"),
	}, "name", "because", "when")
	for _, key := range effects {
		r.AnyOf = append(r.AnyOf, &schema{Required: []string{key}})
	}
	return r
}

// fieldsSchema returns the schema of what may be set below a path, which is empty or a field of the dialect followed by a dot.
func fieldsSchema(path string) *schema {
	properties := map[string]*schema{}
	for _, name := range below(path) {
		if f, ok := fieldAt(path + name); ok {
			properties[name] = fieldSchema(f.typ)
		} else {
			properties[name] = fieldsSchema(path + name + ".")
		}
	}
	return object(properties)
}

func fieldSchema(t reflect.Type) *schema {
	switch t.Kind() {
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Slice:
		return list(text())
	}
	return &schema{Type: "string", Enum: choices(t)}
}

// trimmable returns the paths of the fields that are strings.
func trimmable() (paths []string) {
	for _, f := range fields() {
		if f.isText() {
			paths = append(paths, f.path)
		}
	}
	return paths
}

func object(properties map[string]*schema, required ...string) *schema {
	return &schema{Type: "object", Properties: properties, Required: required, Additional: new(bool)}
}

func list(items *schema) *schema { return &schema{Type: "array", Items: items} }

// text returns the schema of strings that are not blank.
func text() *schema { return &schema{Type: "string", Pattern: `\S`} }

func described(s *schema, description string) *schema {
	s.Description = description
	return s
}
