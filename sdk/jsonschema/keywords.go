package jsonschema

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

// keyword is what is known of a keyword of JSON Schema.
type keyword struct {
	holds holds
	kinds Kinds // of its value; 0: any
	about Kinds // of the values that it says something of; 0: any

	implies  bool // a schema without a type that has it is meant for values that it is about
	together bool // it is about the properties of an object together, or about those that the object does not name
	note     bool // it says nothing of what is valid
	marks    bool // nor does it, but it says something of the schema itself, to which references may lead
	counts   bool // it is a number of things

	required    Kinds // of its value in the schemas of a request, which are checked more strictly; 0: not checked
	stringItems bool  // the items of its value there are strings
}

// keywords are the keywords of JSON Schema that mean something here. What is not listed is not looked at.
var keywords = map[string]keyword{
	"$ref":  {holds: values, kinds: String, required: String},
	"type":  {holds: values, kinds: String | Array, required: String | Array, stringItems: true},
	"enum":  {holds: values, kinds: Array, required: Array},
	"const": {holds: values},

	"anyOf": {holds: schemas, kinds: Array, required: Array, together: true},
	"oneOf": {holds: schemas, kinds: Array, required: Array, together: true},
	"allOf": {holds: schemas, kinds: Array, required: Array, together: true},
	"not":   {holds: schema, kinds: Bool | Object, required: Bool | Object, together: true},
	"if":    {holds: schema, required: Bool | Object, together: true},
	"then":  {holds: schema, required: Bool | Object},
	"else":  {holds: schema, required: Bool | Object},

	"properties":            {holds: schemasByName, kinds: Object, required: Object, about: Object, implies: true},
	"required":              {holds: values, kinds: Array | Bool, required: Array, stringItems: true, about: Object, implies: true},
	"additionalProperties":  {holds: schema, kinds: Bool | Object, required: Bool | Object, about: Object, implies: true},
	"patternProperties":     {holds: schemasByName, kinds: Object, required: Object, about: Object, together: true},
	"propertyNames":         {holds: schema, kinds: Bool | Object, required: Bool | Object, about: Object, together: true},
	"minProperties":         {holds: values, kinds: Number, required: Number, about: Object, counts: true, together: true},
	"maxProperties":         {holds: values, kinds: Number, required: Number, about: Object, counts: true, together: true},
	"unevaluatedProperties": {holds: schema, kinds: Bool | Object, about: Object, together: true},
	"dependentRequired":     {holds: values, about: Object, together: true},
	"dependentSchemas":      {holds: schemasByName, about: Object, together: true},
	"dependencies":          {holds: schemasByName, about: Object, together: true},

	"items":            {holds: schemaOrList, kinds: Bool | Object | Array, required: Bool | Object | Array, about: Array, implies: true},
	"prefixItems":      {holds: schemas, kinds: Array | Object, required: Array, about: Array, implies: true},
	"additionalItems":  {holds: schema, kinds: Bool | Object, required: Bool | Object, about: Array},
	"unevaluatedItems": {holds: schema, kinds: Bool | Object, about: Array},
	"contains":         {holds: schema, required: Bool | Object, about: Array},
	"minItems":         {holds: values, kinds: Number, required: Number, about: Array, counts: true, implies: true},
	"maxItems":         {holds: values, kinds: Number, required: Number, about: Array, counts: true, implies: true},
	"uniqueItems":      {holds: values, about: Array},

	"pattern":   {holds: values, kinds: String, required: String, about: String, implies: true},
	"format":    {holds: values, kinds: String, about: String, implies: true},
	"minLength": {holds: values, kinds: Number, required: Number, about: String, counts: true, implies: true},
	"maxLength": {holds: values, kinds: Number, required: Number, about: String, counts: true, implies: true},

	"minimum":          {holds: values, kinds: Number, required: Number, about: Number, implies: true},
	"maximum":          {holds: values, kinds: Number, required: Number, about: Number, implies: true},
	"exclusiveMinimum": {holds: values, kinds: Number | Bool, about: Number},
	"exclusiveMaximum": {holds: values, kinds: Number | Bool, about: Number},
	"multipleOf":       {holds: values, about: Number, implies: true},

	"title": {note: true}, "description": {note: true}, "$comment": {note: true}, "deprecated": {note: true},
	"readOnly": {note: true}, "writeOnly": {note: true},
	"default": {holds: values, note: true}, "examples": {holds: values, note: true}, "example": {holds: values, note: true},

	"strict": {marks: true}, "nullable": {marks: true}, "$schema": {marks: true}, "$id": {marks: true}, "id": {marks: true},
	"$anchor": {marks: true}, "$dynamicAnchor": {marks: true}, "$vocabulary": {marks: true},
	"$defs":       {holds: schemasByName, required: Object, marks: true},
	"definitions": {holds: schemasByName, required: Object, marks: true},

	"contentEncoding": {marks: true}, "contentMediaType": {marks: true}, "contentSchema": {marks: true},
}
