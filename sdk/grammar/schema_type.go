package grammar

import "encoding/json"

// ResolvesToString says whether a value that follows schema is, or may be, a string: by its type or one of its types, by
// keywords that only strings have, by a constant, by one of its alternatives, or by all the parts that must hold together.
// A schema that cannot be read does not.
func ResolvesToString(schema json.RawMessage) bool {
	root, err := decode(schema)
	return err == nil && resolvesToString(root, root, 0)
}

func resolvesToString(root, s *value, depth int) bool {
	if !s.is(objectKind) || depth > maxReferences {
		return false
	}
	any := func(list []*value) bool {
		for _, v := range list {
			if resolvesToString(root, v, depth+1) {
				return true
			}
		}
		return false
	}
	switch {
	case s.get("$ref").is(stringKind):
		target, err := (&converter{root: root}).resolve(s.get("$ref").text, "#")
		return err == nil && resolvesToString(root, target, depth+1)
	case s.has("type"):
		return hasName(s.get("type"), "string")
	case s.has("const"):
		return s.get("const").is(stringKind)
	case s.get("enum").is(arrayKind):
		return len(s.get("enum").strings()) > 0
	case s.get("anyOf").is(arrayKind):
		return any(s.get("anyOf").items)
	case s.get("oneOf").is(arrayKind):
		return any(s.get("oneOf").items)
	case s.get("allOf").is(arrayKind):
		for _, v := range s.get("allOf").items {
			if !resolvesToString(root, v, depth+1) {
				return false
			}
		}
		return len(s.get("allOf").items) > 0
	}
	return s.hasAny("minLength", "maxLength", "pattern") || knownFormat(s.get("format"))
}
