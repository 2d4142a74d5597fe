package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
)

// Constants are the values of s that const or enum lists, as far as they fit what stands beside. If none has the type
// that stands there, it is not held to: lists of numbers beside the type of strings, and the like, are meant as they stand.
func (c *Document) Constants(s *value.Value, path string) ([]*value.Value, error) {
	listed, beside := s.Get("enum").List(), c.Constraints(s.But("enum"))
	if s.Has("const") {
		listed, beside = []*value.Value{s.Get("const")}, c.Constraints(s.But("const"))
	}
	if beside == nil {
		return listed, nil
	}
	if values := c.fitting(listed, beside, path); len(values) > 0 {
		return values, nil
	}
	if values := c.fitting(listed, beside.But("type"), path); len(values) > 0 && beside.Has("type") {
		c.Note(value.At(path, "type"), "not held to: no constant has it")
		return values, nil
	}
	return nil, Contradiction(path, "no constant fits what must hold besides")
}

// fitting are the values that fit s. Keywords of which that is not known are noted.
func (c *Document) fitting(values []*value.Value, s *value.Value, path string) []*value.Value {
	var out []*value.Value
	for _, v := range values {
		fits := Yes
		for _, k := range s.Keys {
			one := c.keywordFits(v, k, s, 0)
			if fits = fits.and(one); one == unknown {
				c.Note(value.At(path, k), "not held to beside constants")
			}
		}
		if fits != No {
			out = append(out, v)
		}
	}
	return out
}

// Equal says whether two values are the same to JSON Schema: numbers by what they mean, objects whatever their order.
func Equal(a, b *value.Value) bool {
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == value.Number:
		x, y := a.Rational(), b.Rational()
		return a.Text == b.Text || x != nil && y != nil && x.Cmp(y) == 0
	case a.Kind == value.Object:
		return len(a.Keys) == len(b.Keys) && !slices.ContainsFunc(a.Keys, func(k string) bool {
			return !b.Has(k) || !Equal(a.Fields[k], b.Fields[k])
		})
	}
	return a.Text == b.Text && a.Bool == b.Bool && slices.EqualFunc(a.Items, b.Items, Equal)
}

// StringsAmong are those of values that are strings.
func StringsAmong(values []*value.Value) []string { return (&value.Value{Items: values}).Strings() }

// ConstantNames are the names that a schema of names lists; nil if it lists none.
func ConstantNames(s *value.Value) []*value.Value {
	if s.HasAny("const", "enum") {
		return ConstantsIn(s)
	}
	return nil
}

func ConstantsIn(s *value.Value) []*value.Value {
	if s.Has("const") {
		return []*value.Value{s.Get("const")}
	}
	return s.Get("enum").Items
}
