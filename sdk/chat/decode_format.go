package chat

import (
	"fmt"

	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// format is the format that a request prescribes for its answer, and the field that prescribes it. The names that different
// engines have for the same thing are all accepted.
type format struct {
	path    string
	schema  jsonschema.Schema
	strict  bool // of the schema
	grammar Grammar
}

// formatReaders returns readers of the fields that prescribe the format of the content: json_schema and grammar (llama.cpp),
// response_format (OpenAI, and other engines with their own types), structured_outputs and guided_… (vLLM), regex and ebnf
// (SGLang).
func (in *wireRequest) formatReaders() map[string]func(value) error {
	readers := map[string]func(value) error{"response_format": in.format(readResponseFormat), "structured_outputs": in.format(readStructured)}
	for name, read := range map[string]func(value) (format, error){
		"json_schema": readSchemaFormat, "guided_json": readSchemaFormat,
		"grammar": grammarFormat(GrammarGBNF), "guided_grammar": grammarFormat(GrammarGBNF), "ebnf": grammarFormat(GrammarGBNF),
		"regex": grammarFormat(GrammarRegex), "guided_regex": grammarFormat(GrammarRegex),
		"guided_choice": readChoices,
	} {
		readers[name] = in.format(read)
	}
	return readers
}

// format returns a reader that collects what read returns, unless that is empty.
func (in *wireRequest) format(read func(value) (format, error)) func(value) error {
	return func(v value) error {
		f, err := read(v)
		if err == nil && (!f.schema.IsZero() || f.grammar.Kind != GrammarNone) {
			f.path = v.Path()
			in.formats = append(in.formats, f)
		}
		return err
	}
}

// settleFormat sets the format of the content, which only one field may prescribe.
func (in *wireRequest) settleFormat(r *Request) error {
	switch len(in.formats) {
	case 0:
		return nil
	case 1:
		f := in.formats[0]
		r.JSONSchema, r.StrictSchema, r.Grammar = f.schema, f.strict, f.grammar
		return nil
	}
	first, second := in.formats[0], in.formats[1]
	if first.path != "response_format" {
		first, second = second, first
	}
	return fault.Invalid(second.path, fmt.Sprintf("%s prescribes the format of the answer, too; send one of them", first.path))
}

// anyObject is the schema of "json_object".
var anyObject = jsonschema.MustParse(`{"type":"object"}`)

func readSchemaFormat(v value) (format, error) {
	schema, err := readSchema(v)
	return format{schema: schema}, err
}

// grammarFormat returns a reader of a grammar. An empty text is no grammar.
func grammarFormat(kind GrammarKind) func(value) (format, error) {
	return func(v value) (format, error) {
		text, err := v.text()
		if text == "" {
			kind = GrammarNone
		}
		return format{grammar: Grammar{Kind: kind, Text: text, Path: v.Path()}}, err
	}
}

func readChoices(v value) (format, error) {
	texts, err := each(value.text)(v)
	if err == nil && len(texts) == 0 {
		err = v.fault("expected the texts to choose from, found none")
	}
	return format{grammar: Grammar{Kind: GrammarChoice, Choices: texts, Path: v.Path()}}, err
}

// readStructured reads vLLM's structured_outputs, of which one member counts.
func readStructured(v value) (f format, err error) {
	var rest []Field
	object := false
	err = v.fields(map[string]func(value) error{
		"json":        into(&f, readSchemaFormat),
		"regex":       into(&f, grammarFormat(GrammarRegex)),
		"grammar":     into(&f, grammarFormat(GrammarGBNF)),
		"choice":      into(&f, readChoices),
		"json_object": into(&object, value.boolean),
	}, &rest)
	if object && f.schema.IsZero() {
		f.schema = anyObject
	}
	return f, err
}

// responseFormat holds the members of a response_format until its type is known.
type responseFormat struct {
	kind          string
	named, plain  format
	strict        bool
	grammar       format
	regex, choice format
}

// readResponseFormat reads a response_format: OpenAI's types, and the types of other engines for grammars.
func readResponseFormat(v value) (format, error) {
	var in responseFormat
	var rest []Field
	inner := map[string]func(value) error{"schema": into(&in.named, readSchemaFormat), "strict": into(&in.strict, value.boolean)}
	regex := into(&in.regex, grammarFormat(GrammarRegex))
	err := v.fields(map[string]func(value) error{
		"type":        into(&in.kind, value.text),
		"json_schema": func(v value) error { return v.fields(inner, &rest) },
		"schema":      into(&in.plain, readSchemaFormat),
		"grammar":     into(&in.grammar, grammarFormat(GrammarGBNF)),
		"pattern":     regex,
		"regex":       regex,
		"choices":     into(&in.choice, readChoices),
	}, &rest)
	if err != nil {
		return format{}, err
	}
	return in.settled(v)
}

// settled returns the format that the members have, given the type.
func (in *responseFormat) settled(v value) (format, error) {
	schema := in.named.schema
	if schema.IsZero() {
		schema = in.plain.schema
	}
	switch in.kind {
	case "text":
		return format{}, nil
	case "json_object":
		if schema.IsZero() {
			schema = anyObject
		}
		return format{schema: schema}, nil
	case "json_schema":
		if schema.IsZero() {
			return format{}, fault.Invalid("response_format.json_schema.schema", "expected a JSON Schema, found nothing")
		}
		return format{schema: schema, strict: in.strict}, nil
	case "grammar":
		return given(v, in.grammar, "grammar", "a grammar in GBNF")
	case "regex":
		return given(v, in.regex, "pattern", "a regular expression")
	case "choice":
		return given(v, in.choice, "choices", "the texts to choose from")
	}
	return format{}, fault.Invalid(memberPath(v.Path(), "type"), fmt.Sprintf(`expected one of "text", "json_object", "json_schema", "grammar", "regex", "choice", found %q`, in.kind))
}

// given returns f, which must not be empty.
func given(v value, f format, name, what string) (format, error) {
	if f.grammar.Kind == GrammarNone {
		return f, v.missing(what, name)
	}
	return f, nil
}
