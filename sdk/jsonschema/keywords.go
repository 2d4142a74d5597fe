package jsonschema

import "slices"

// holds is what the value of a keyword contains.
type holds uint8

const (
	unknown       holds = iota // perhaps schemas: the keyword is not in the table
	values                     // values that are not schemas
	schema                     // a schema
	schemas                    // a list of schemas
	schemasByName              // an object of schemas
	schemaOrList               // a schema, or a list of schemas
)

// Keyword describes a keyword of JSON Schema. The zero value describes unknown keywords.
type Keyword struct {
	Kinds   Kinds // of its value; 0 for any
	About   Kinds // the kinds of values that it constrains; 0 for any
	Implies bool  // in a schema without a type, it implies that values are of these kinds
	Counts  bool  // its value is a count

	holds    holds
	together bool // it constrains several properties of an object together, or properties that the object does not name
	note     bool // it is an annotation for people
	marks    bool // it constrains nothing, but describes the schema itself, such as its name

	required    Kinds // of its value in requests, which are checked more strictly; 0 for not checked
	stringItems bool  // the items of its value in requests are strings
}

// Annotation reports whether the keyword constrains nothing.
func (k Keyword) Annotation() bool { return k.note || k.marks }

// KeywordOf returns the description of a keyword.
func KeywordOf(name string) Keyword { return keywords[name] }

// Keywords returns the names of the keywords that restrict the kinds of their values, in alphabetical order.
func Keywords() (names []string) {
	for name, k := range keywords {
		if k.Kinds != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// keywords is the table of the known keywords. Others are ignored.
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
