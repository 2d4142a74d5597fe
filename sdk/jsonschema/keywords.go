package jsonschema

import "slices"

// holds says what stands in the value of a keyword.
type holds uint8

const (
	unknown       holds = iota // for a keyword that is not in the table: perhaps schemas
	values                     // values, in which no schemas are
	schema                     // a schema
	schemas                    // a list of schemas
	schemasByName              // an object of schemas
	schemaOrList               // a schema, or a list of schemas
)

// Keyword is what is known of a keyword of JSON Schema. The zero value is that of a keyword that means nothing here.
type Keyword struct {
	Kinds   Kinds // of its value; 0: any
	About   Kinds // of the values that it says something of; 0: any
	Implies bool  // a schema without a type that has it is meant for values that it is about
	Counts  bool  // its value is a number of things

	holds    holds
	together bool // it is about the properties of an object together, or about those that the object does not name
	note     bool // it says nothing of what is valid
	marks    bool // nor does it, but something of the schema itself, such as its name

	required    Kinds // of its value in the schemas of a request, which are checked more strictly; 0: not checked
	stringItems bool  // the items of its value there are strings
}

// Annotation reports whether the keyword says nothing of what is valid.
func (k Keyword) Annotation() bool { return k.note || k.marks }

// KeywordOf returns what is known of a keyword.
func KeywordOf(name string) Keyword { return keywords[name] }

// Keywords returns the keywords whose values are of certain kinds, in alphabetical order.
func Keywords() (names []string) {
	for name, k := range keywords {
		if k.Kinds != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// keywords are the keywords of JSON Schema that mean something here. What is not listed is not looked at.
var keywords = map[string]Keyword{
	"$ref":  {holds: values, Kinds: String, required: String},
	"type":  {holds: values, Kinds: String | Array, required: String | Array, stringItems: true},
	"enum":  {holds: values, Kinds: Array, required: Array},
	"const": {holds: values},

	"anyOf": {holds: schemas, Kinds: Array, required: Array, together: true},
	"oneOf": {holds: schemas, Kinds: Array, required: Array, together: true},
	"allOf": {holds: schemas, Kinds: Array, required: Array, together: true},
	"not":   {holds: schema, Kinds: Bool | Object, required: Bool | Object, together: true},
	"if":    {holds: schema, required: Bool | Object, together: true},
	"then":  {holds: schema, required: Bool | Object},
	"else":  {holds: schema, required: Bool | Object},

	"properties":            {holds: schemasByName, Kinds: Object, required: Object, About: Object, Implies: true},
	"required":              {holds: values, Kinds: Array | Bool, required: Array, stringItems: true, About: Object, Implies: true},
	"additionalProperties":  {holds: schema, Kinds: Bool | Object, required: Bool | Object, About: Object, Implies: true},
	"patternProperties":     {holds: schemasByName, Kinds: Object, required: Object, About: Object, Implies: true, together: true},
	"propertyNames":         {holds: schema, Kinds: Bool | Object, required: Bool | Object, About: Object, Implies: true, together: true},
	"minProperties":         {holds: values, Kinds: Number, required: Number, About: Object, Implies: true, Counts: true, together: true},
	"maxProperties":         {holds: values, Kinds: Number, required: Number, About: Object, Implies: true, Counts: true, together: true},
	"unevaluatedProperties": {holds: schema, Kinds: Bool | Object, About: Object, Implies: true, together: true},
	"dependentRequired":     {holds: values, About: Object, together: true},
	"dependentSchemas":      {holds: schemasByName, About: Object, together: true},
	"dependencies":          {holds: schemasByName, About: Object, together: true},

	"items":            {holds: schemaOrList, Kinds: Bool | Object | Array, required: Bool | Object | Array, About: Array, Implies: true},
	"prefixItems":      {holds: schemas, Kinds: Array | Object, required: Array, About: Array, Implies: true},
	"additionalItems":  {holds: schema, Kinds: Bool | Object, required: Bool | Object, About: Array},
	"unevaluatedItems": {holds: schema, Kinds: Bool | Object, About: Array, Implies: true},
	"contains":         {holds: schema, required: Bool | Object, About: Array},
	"minItems":         {holds: values, Kinds: Number, required: Number, About: Array, Counts: true, Implies: true},
	"maxItems":         {holds: values, Kinds: Number, required: Number, About: Array, Counts: true, Implies: true},
	"uniqueItems":      {holds: values, About: Array},

	"pattern":   {holds: values, Kinds: String, required: String, About: String, Implies: true},
	"format":    {holds: values, Kinds: String, About: String, Implies: true},
	"minLength": {holds: values, Kinds: Number, required: Number, About: String, Counts: true, Implies: true},
	"maxLength": {holds: values, Kinds: Number, required: Number, About: String, Counts: true, Implies: true},

	"minimum":          {holds: values, Kinds: Number, required: Number, About: Number, Implies: true},
	"maximum":          {holds: values, Kinds: Number, required: Number, About: Number, Implies: true},
	"exclusiveMinimum": {holds: values, Kinds: Number | Bool, About: Number, Implies: true},
	"exclusiveMaximum": {holds: values, Kinds: Number | Bool, About: Number, Implies: true},
	"multipleOf":       {holds: values, About: Number, Implies: true},

	"title": {note: true}, "description": {note: true}, "$comment": {note: true}, "deprecated": {note: true},
	"readOnly": {note: true}, "writeOnly": {note: true},
	"default": {holds: values, note: true}, "examples": {holds: values, note: true}, "example": {holds: values, note: true},

	"strict": {marks: true}, "nullable": {marks: true}, "$schema": {marks: true}, "$id": {marks: true}, "id": {marks: true},
	"$anchor": {marks: true}, "$dynamicAnchor": {marks: true}, "$vocabulary": {marks: true},
	"$defs":       {holds: schemasByName, required: Object, marks: true},
	"definitions": {holds: schemasByName, required: Object, marks: true},

	"contentEncoding": {marks: true}, "contentMediaType": {marks: true}, "contentSchema": {marks: true},
}
