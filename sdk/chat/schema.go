package chat

import "encoding/json"

// maxSchemaDepth is how deep schemas may nest: far more than people write, and little enough for every later stage.
const maxSchemaDepth = 64

// readObjectSchema checks the shape of a JSON Schema that is an object. It says nothing of keywords it does not know;
// whether a schema can be turned into a grammar is decided there.
func readObjectSchema(v value) (json.RawMessage, error) {
	if v.kind() != '{' {
		return nil, v.expected("a JSON Schema, which is an object")
	}
	return json.RawMessage(v.raw), checkSchema(v, 0)
}

// checkSchema finds keywords whose values are of the wrong kind.
func checkSchema(v value, depth int) error {
	switch {
	case depth > maxSchemaDepth:
		return v.fault("the schema nests too deep; flatten it, or use $defs and $ref")
	case v.kind() == 't' || v.kind() == 'f':
		return nil
	case v.kind() != '{':
		return v.expected("a JSON Schema: an object, true or false")
	}
	members, err := v.members()
	for _, m := range members {
		if err == nil && !m.isNull() {
			err = checkKeyword(m, depth+1)
		}
	}
	return err
}

// checkKeyword checks the value of one keyword, which is not null: some clients write null for "not set".
func checkKeyword(m member, depth int) error {
	switch m.name {
	case "type":
		return checkType(m.value)
	case "required":
		return checkStrings(m.value, "the required properties are named in the object that has them")
	case "properties", "patternProperties", "$defs", "definitions":
		return checkSchemaMap(m.value, depth)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		return checkSchemaList(m.value, depth)
	case "items":
		if m.kind() == '[' {
			return checkSchemaList(m.value, depth)
		}
		return checkSchema(m.value, depth)
	case "additionalProperties", "additionalItems", "not", "contains", "propertyNames", "if", "then", "else":
		return checkSchema(m.value, depth)
	case "enum":
		_, err := m.elements()
		return err
	case "$ref", "pattern":
		_, err := m.text()
		return err
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum":
		return checkNumber(m.value)
	}
	return nil
}

func checkType(v value) error {
	if v.kind() == '"' {
		return nil
	}
	if v.kind() != '[' {
		return v.expected("a type such as \"string\", or a list of types")
	}
	return checkStrings(v, "")
}

func checkStrings(v value, remedy string) error {
	if v.kind() == '[' {
		_, err := each(value.text)(v)
		return err
	}
	return v.expected("a list of strings", remedy)
}

func checkNumber(v value) error {
	if v.kind() != '0' {
		return v.expected("a number")
	}
	return nil
}

func checkSchemaMap(v value, depth int) error {
	members, err := v.members()
	for _, m := range members {
		if err == nil {
			err = checkSchema(m.value, depth)
		}
	}
	return err
}

func checkSchemaList(v value, depth int) error {
	elements, err := v.elements()
	for _, e := range elements {
		if err == nil {
			err = checkSchema(e, depth)
		}
	}
	return err
}
