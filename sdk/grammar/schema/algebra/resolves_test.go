package algebra

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/dragoman-project/dragoman/internal/shared"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

func TestRecordedSchemasResolveToStringAsRecorded(t *testing.T) {
	f, err := os.Open(shared.Dir(t, "cases", "schema.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type row struct {
		Type, Name string
		Schema     json.RawMessage
		Expected   bool
	}
	cases := 0
	for rows := json.NewDecoder(f); rows.More(); {
		var c row
		if err := rows.Decode(&c); err != nil {
			t.Fatal(err)
		}
		if c.Type != "resolves_to_string" {
			continue
		}
		if cases++; resolves(c.Schema) != c.Expected {
			t.Errorf("%s: %s: want %v", c.Name, c.Schema, c.Expected)
		}
	}
	if cases == 0 {
		t.Error("no cases are recorded")
	}
}

// resolves reports whether a value that follows a schema is, or may be, a string: by its type or
// one of its types, by keywords for strings only, by a constant, by one of its alternatives, or by
// all parts that must hold together. It is false for an invalid schema.
func resolves(schema json.RawMessage) bool {
	s, err := jsonschema.Parse(schema)
	return err == nil && resolvesToString(s.Value(), s.Value(), 0)
}

func resolvesToString(root, s *jsonschema.Value, depth int) bool {
	if !s.Is(jsonschema.Object) || depth > maxReferences {
		return false
	}
	resolves := func(v *jsonschema.Value) bool { return resolvesToString(root, v, depth+1) }
	switch {
	case s.Get("$ref").Is(jsonschema.String):
		target, err := (&Document{root: root}).Resolve(s.Get("$ref").Text, "#")
		return err == nil && resolves(target)
	case s.Has("type"):
		return namedKinds(s.Get("type"))&StringType != 0
	case s.Has("const"):
		return s.Get("const").Is(jsonschema.String)
	case s.Get("enum").Is(jsonschema.Array):
		return len(s.Get("enum").Strings()) > 0
	case s.Get("anyOf").Is(jsonschema.Array):
		return slices.ContainsFunc(s.Get("anyOf").Items, resolves)
	case s.Get("oneOf").Is(jsonschema.Array):
		return slices.ContainsFunc(s.Get("oneOf").Items, resolves)
	case s.Get("allOf").Is(jsonschema.Array):
		return len(s.Get("allOf").Items) > 0 && !slices.ContainsFunc(s.Get("allOf").Items, func(v *jsonschema.Value) bool { return !resolves(v) })
	}
	return s.HasAny("minLength", "maxLength", "pattern") || knownFormat(s.Get("format"))
}
