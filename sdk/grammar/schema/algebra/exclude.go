package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// excludes reports whether it is certain that no value accepted by the grammar of a follows b.
func (d *Document) excludes(a, b *jsonschema.Value, depth int) bool {
	if d.comparisons--; d.comparisons < 0 || depth > maxComparison {
		return false
	}
	d.Work.Spend(stepsOfVisit)
	common := d.Kinds(a) & d.Kinds(b)
	a, aErr := d.Resolved(a, "#")
	b, bErr := d.Resolved(b, "#")
	switch {
	case common == 0:
		return true
	case aErr != nil || bErr != nil || !a.Is(jsonschema.Object) || !b.Is(jsonschema.Object) || a.Has("$ref") || b.Has("$ref"):
		return false
	case a.HasAny("const", "enum"):
		return !slices.ContainsFunc(ConstantsIn(a), func(v *jsonschema.Value) bool { return d.Fits(v, b, 0) != No })
	case b.HasAny("const", "enum"):
		return !slices.ContainsFunc(ConstantsIn(b), func(v *jsonschema.Value) bool { return d.Fits(v, a, 0) != No })
	case a.HasAny("anyOf", "oneOf"):
		return !slices.ContainsFunc(options(a), func(one *jsonschema.Value) bool { return !d.excludes(one, b, depth+1) })
	case b.HasAny("anyOf", "oneOf"):
		return !slices.ContainsFunc(options(b), func(one *jsonschema.Value) bool { return !d.excludes(a, one, depth+1) })
	case a.Has("allOf") || b.Has("allOf"):
		return false
	case common&^(IntegerType|FractionType) == 0:
		return apart(a, b)
	case common == ObjectType:
		return d.objectsExclude(a, b, depth)
	}
	return false
}

// maxComparison bounds the depth of comparisons.
const maxComparison = 8

func options(s *jsonschema.Value) []*jsonschema.Value {
	return append(s.Get("anyOf").List(), s.Get("oneOf").List()...)
}

// apart reports whether the bounds of two schemas of numbers have no number in common.
func apart(a, b *jsonschema.Value) bool {
	below := func(a, b *jsonschema.Value) bool {
		hi, hiOpen, err := bound(a, "", "maximum", "exclusiveMaximum", -1)
		lo, loOpen, err2 := bound(b, "", "minimum", "exclusiveMinimum", 1)
		if err != nil || err2 != nil || hi == nil || lo == nil {
			return false
		}
		d := hi.Cmp(lo)
		return d < 0 || d == 0 && (hiOpen || loOpen)
	}
	return below(a, b) || below(b, a)
}

// objectsExclude reports whether b requires a member that a forbids, or a requires a member with a
// value that b forbids.
func (d *Document) objectsExclude(a, b *jsonschema.Value, depth int) bool {
	props, open := d.Properties(a, "#")
	declared := map[string]Property{}
	for _, p := range props {
		declared[p.Name] = p
	}
	for _, name := range b.Get("required").Strings() {
		p, ok := declared[name]
		if ok && p.Schema.IsFalse() {
			return true
		}
		if !ok && (open == nil || open.IsFalse()) && !a.Has("patternProperties") {
			return true
		}
	}
	return slices.ContainsFunc(props, func(p Property) bool {
		other := b.Get("properties").Get(p.Name)
		if other == nil {
			other = b.Get("additionalProperties")
			if b.Has("patternProperties") {
				other = nil
			}
		}
		return p.Required && other != nil && d.excludes(p.Schema, other, depth+1)
	})
}
