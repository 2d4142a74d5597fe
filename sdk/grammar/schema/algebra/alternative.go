package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Alternative is a subschema of anyOf or oneOf, merged with the keywords beside these.
type Alternative struct {
	Schema *jsonschema.Value
	Path   string
	Number int
}

// Alternatives returns the subschemas under key, each merged with the keywords beside key. Those
// that contradict these keywords are dropped, unless all do.
func (d *Document) Alternatives(s *jsonschema.Value, key, path string) ([]Alternative, error) {
	var out []Alternative
	var ruledOut error
	for i, one := range s.Get(key).Items {
		where := jsonschema.Pointer(path, key, i)
		if key == Conditioned {
			where = path
		}
		merged, err := d.WithSiblings(s.But(key), one, where)
		switch {
		case IsContradiction(err):
			ruledOut = err
			continue
		case err != nil:
			return nil, err
		}
		out = append(out, Alternative{merged, where, i})
	}
	if len(out) == 0 {
		return nil, ruledOut
	}
	if key == "oneOf" {
		d.exclusive(out, path)
	}
	return out, nil
}

// WithSiblings returns one merged with the keywords beside it.
func (d *Document) WithSiblings(beside, one *jsonschema.Value, path string) (*jsonschema.Value, error) {
	beside = d.WithoutAnnotations(beside)
	if beside == nil || d.Implies(one, beside) {
		return one, nil
	}
	merged, err := d.Merge(beside.But(Unevaluated...), one, path)
	if err != nil {
		return nil, err
	}
	return merged.With(beside, Unevaluated...), nil
}

// Implies reports whether beside adds nothing to s: it only has types, and s has no others.
func (d *Document) Implies(s, beside *jsonschema.Value) bool {
	if len(beside.Keys) > 1 || !beside.Has("type") {
		return false
	}
	return d.Kinds(s)&^namedKinds(beside.Get("type")) == 0
}

// maxExclusive bounds the alternatives that are compared with each other.
const maxExclusive = 64

// exclusive makes alternatives exclude each other, as far as they differ in the members that they
// require: none accepts what matched another one before. It notes the others if a value may match
// several.
func (d *Document) exclusive(parts []Alternative, path string) {
	stood := make([]*jsonschema.Value, len(parts))
	for i := range parts {
		stood[i] = parts[i].Schema
	}
	for i := range parts {
		for j := range parts[:i] {
			if i < maxExclusive && d.separate(&parts[i], &parts[j], stood[i], stood[j]) {
				continue
			}
			d.Note(jsonschema.Pointer(path, "oneOf"), "treated as anyOf: a value may match both alternative %d and alternative %d", parts[j].Number, parts[i].Number)
			return
		}
	}
}

// separate makes two alternatives exclude each other if possible. One whose values all match the
// other is left empty.
func (d *Document) separate(a, b *Alternative, aStood, bStood *jsonschema.Value) bool {
	x, y := a.Schema, b.Schema
	if d.excludes(x, bStood, 0) && d.excludes(y, aStood, 0) {
		return true
	}
	x, y = without(x, bStood), without(y, aStood)
	if covers(bStood, aStood) {
		x = jsonschema.NewBool(false)
	}
	if covers(aStood, bStood) {
		y = jsonschema.NewBool(false)
	}
	if !d.excludes(x, bStood, 0) || !d.excludes(y, aStood, 0) {
		return false
	}
	a.Schema, b.Schema = x, y
	return true
}

// covers reports whether a differs from b only in requiring fewer members.
func covers(a, b *jsonschema.Value) bool {
	if !a.Is(jsonschema.Object) || !b.Is(jsonschema.Object) || !a.But("required").Equal(b.But("required")) {
		return false
	}
	own := b.Get("required").Strings()
	return !slices.ContainsFunc(a.Get("required").Strings(), func(name string) bool { return !slices.Contains(own, name) })
}

// without returns a with the first member forbidden that b requires and a does not; a itself if
// there is none, or if a restricts more than which members there are.
func without(a, b *jsonschema.Value) *jsonschema.Value {
	if a.HasAny(inPlace...) || a.HasAny("const", "enum", "patternProperties") || ImpliedType(a) != "object" {
		return a
	}
	own := a.Get("required").Strings()
	for _, name := range b.Get("required").Strings() {
		if slices.Contains(own, name) {
			continue
		}
		properties := jsonschema.NewObject()
		if a.Has("properties") {
			properties = a.Get("properties").But()
		} else if !a.Has("additionalProperties") {
			a = a.But()
			a.Set("additionalProperties", jsonschema.NewBool(true))
		}
		properties.Set(name, jsonschema.NewBool(false))
		a = a.But()
		a.Set("properties", properties)
		return a
	}
	return a
}
