package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/grammar/notes"
	"github.com/dragoman-project/dragoman/sdk/grammar/schema/pattern"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// mergeKeyword merges two values of one keyword.
func (d *Document) mergeKeyword(k string, a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	switch k {
	case "required":
		return unite(a, b), nil
	case "propertyNames":
		return d.Merge(a, b, jsonschema.Pointer(path, k))
	case "type":
		return d.mergeTypes(a, b, path)
	case "enum":
		d.Work.Spend(len(a.Items) * len(b.Items))
		return intersect(a, b, path)
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return larger(a, b, 1), nil
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		return larger(a, b, -1), nil
	case "anyOf", "oneOf":
		if product, err := d.pairs(a, b, jsonschema.Pointer(path, k)); product != nil || err != nil {
			return product, err
		}
	case "pattern":
		d.Work.Spend(pattern.Cost(a.Text) + pattern.Cost(b.Text))
		if both := pattern.Both(a.Text, b.Text); both != "" {
			return jsonschema.NewString(both), nil
		}
	case "not":
		either := jsonschema.NewObject()
		either.Set("anyOf", jsonschema.NewArray(a, b))
		return either, nil
	case "allOf":
		*d.budget -= len(a.Items) + len(b.Items) // repeated doubling would exhaust the budget
		d.Work.Spend(len(a.Items) * len(b.Items))
		both := jsonschema.NewArray(slices.Clone(a.Items)...)
		for _, s := range b.Items {
			if !slices.ContainsFunc(both.Items, func(t *jsonschema.Value) bool { return s.Equal(t) }) {
				both.Items = append(both.Items, s)
			}
		}
		return both, nil
	case "const":
		if !a.Equal(b) {
			return nil, Contradiction(jsonschema.Pointer(path, k), "no value is both %s and %s", notes.Clip(a.Compact()), notes.Clip(b.Compact()))
		}
		return a, nil
	}
	if a.Compact() != b.Compact() {
		d.Note(jsonschema.Pointer(path, k), "of two values that must both hold, only the first is enforced: %s and %s", notes.Clip(a.Compact()), notes.Clip(b.Compact()))
	}
	return a, nil
}

// maxPairs bounds the pairs of alternatives that are merged.
const maxPairs = 64

// pairs merges each alternative of one list with each of another; nil if there are too many pairs.
func (d *Document) pairs(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	if len(a.Items)*len(b.Items) > maxPairs {
		return nil, nil
	}
	out := jsonschema.NewArray()
	for _, x := range a.Items {
		for _, y := range b.Items {
			noted := len(d.notes.Texts)
			both, err := d.Merge(x, y, path)
			switch {
			case err == nil:
				out.Items = append(out.Items, both)
			case IsContradiction(err):
				d.notes.Truncate(noted)
			default:
				return nil, err
			}
		}
	}
	if len(out.Items) == 0 {
		return nil, Contradiction(path, "no alternative is compatible with the others that must hold")
	}
	return out, nil
}

// mergeTypes returns the types in both lists; an integer is a number.
func (d *Document) mergeTypes(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	both := jsonschema.NewArray()
	for _, t := range append(a.Strings(), a.Text) {
		switch {
		case t == "":
		case HasName(b, t), t == "integer" && HasName(b, "number"):
			both.Items = append(both.Items, jsonschema.NewString(t))
		case t == "number" && HasName(b, "integer"):
			both.Items = append(both.Items, jsonschema.NewString("integer"))
		}
	}
	switch len(both.Items) {
	case 0:
		return nil, Contradiction(jsonschema.Pointer(path, "type"), "no value has both the type %s and the type %s", a.Compact(), b.Compact())
	case 1:
		return both.Items[0], nil
	}
	return both, nil
}

func unite(a, b *jsonschema.Value) *jsonschema.Value {
	out := jsonschema.NewArray()
	has := map[string]bool{}
	for _, s := range append(a.Strings(), b.Strings()...) {
		if !has[s] {
			has[s] = true
			out.Items = append(out.Items, jsonschema.NewString(s))
		}
	}
	return out
}

func intersect(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	out := jsonschema.NewArray()
	for _, v := range a.Items {
		if slices.ContainsFunc(b.Items, func(w *jsonschema.Value) bool { return v.Equal(w) }) {
			out.Items = append(out.Items, v)
		}
	}
	if len(out.Items) == 0 {
		return nil, Contradiction(jsonschema.Pointer(path, "enum"), "no value is in both lists")
	}
	return out, nil
}

// larger returns the larger of two numbers, or the smaller if sign is negative.
func larger(a, b *jsonschema.Value, sign int) *jsonschema.Value {
	x, y := a.Rational(), b.Rational()
	if x == nil || y != nil && x.Cmp(y)*sign < 0 {
		return b
	}
	return a
}
