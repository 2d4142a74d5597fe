package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Merge returns a schema for values that follow both a and b, as far as the keywords allow. What is
// dropped is noted.
func (d *Document) Merge(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	if *d.budget--; *d.budget < 0 || d.depth >= MaxDepth {
		return nil, Errorf(path, "circular reference among schemas that must hold together")
	}
	d.depth++
	defer func() { d.depth-- }()
	b, err := d.Resolved(b, path)
	if err != nil {
		return nil, err
	}
	if a, err = d.Resolved(a, path); err != nil {
		return nil, err
	}
	switch {
	case a.IsTrue() || b.IsFalse():
		return b, nil
	case b.IsTrue() || a.IsFalse() || a == b:
		return a, nil
	case !a.Is(jsonschema.Object) || !b.Is(jsonschema.Object):
		return nil, Errorf(path, "expected an object or a boolean, found %s", b.Kind.Noun())
	}
	if a, err = d.WellFormed(a, path); err != nil {
		return nil, err
	}
	if b, err = d.WellFormed(b, path); err != nil {
		return nil, err
	}
	if a, err = d.RewriteConditions(a, path, false); err != nil {
		return nil, err
	}
	if b, err = d.RewriteConditions(b, path, false); err != nil {
		return nil, err
	}
	return d.mergeKeywords(Normalized(a), Normalized(b), path)
}

// heft returns the number of keywords, members and items that merging a schema goes through.
func heft(s *jsonschema.Value) int {
	n := len(s.Keys)
	for _, k := range s.Keys {
		v := s.Get(k)
		n += len(v.Keys) + len(v.Items) + len(v.Text)/16
	}
	return n
}

// mergeKeywords merges the keywords of b into a.
func (d *Document) mergeKeywords(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	d.Work.Spend(stepsOfVisit + 4*(heft(a)+heft(b)))
	out, err := d.mergeMembers(a, b, path)
	if err == nil {
		out, err = d.mergeItems(out, a, b, path)
	}
	if err != nil {
		return nil, err
	}
	for _, k := range b.Keys {
		v := b.Get(k)
		switch {
		case keywordOf(k).Annotation() || slices.Contains(mergedTogether, k):
			continue
		case slices.Contains(Unevaluated, k):
			d.Note(jsonschema.Pointer(path, k), "not enforced together with other schemas")
			continue
		case k == Conditioned && out.Has(k):
			if v, err = d.bothConditions(requiringAlso(out.Get(k), unite(a.Get("required"), b.Get("required"))), v, path); err != nil {
				return nil, err
			}
		case out.Has(k):
			if v, err = d.mergeKeyword(k, out.Get(k), v, path); err != nil {
				return nil, err
			}
		}
		out.Set(k, v)
	}
	return out, nil
}

// mergedTogether are the keywords for members and items, each of which depends on the others.
var mergedTogether = []string{"properties", "patternProperties", "additionalProperties", "prefixItems", "items"}
