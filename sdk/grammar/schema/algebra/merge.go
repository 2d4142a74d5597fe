package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Merge is the schema that holds where both a and b hold, as far as the keywords allow; what it must leave out is noted.
func (c *Document) Merge(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	if *c.room--; *c.room < 0 || c.depth >= MaxDepth {
		return nil, Errorf(path, "circular reference among schemas that must hold together")
	}
	c.depth++
	defer func() { c.depth-- }()
	b, err := c.Resolved(b, path)
	if err != nil {
		return nil, err
	}
	if a, err = c.Resolved(a, path); err != nil {
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
	if a, err = c.WellFormed(a, path); err != nil {
		return nil, err
	}
	if b, err = c.WellFormed(b, path); err != nil {
		return nil, err
	}
	if a, err = c.Conditional(a, path, false); err != nil {
		return nil, err
	}
	if b, err = c.Conditional(b, path, false); err != nil {
		return nil, err
	}
	return c.mergeKeywords(Evaluated(a), Evaluated(b), path)
}

// mergeKeywords goes through what b says, on top of what a says.
func (c *Document) mergeKeywords(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	out, err := c.mergeMembers(a, b, path)
	if err == nil {
		out, err = c.mergeItems(out, a, b, path)
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
			c.Note(jsonschema.Pointer(path, k), "not enforced together with other schemas")
			continue
		case k == Conditioned && out.Has(k):
			if v, err = c.bothConditions(requiringAlso(out.Get(k), unite(a.Get("required"), b.Get("required"))), v, path); err != nil {
				return nil, err
			}
		case out.Has(k):
			if v, err = c.mergeKeyword(k, out.Get(k), v, path); err != nil {
				return nil, err
			}
		}
		out.Set(k, v)
	}
	return out, nil
}

// mergedTogether are the keywords that say what members and items must be; each of them is to be seen with the others.
var mergedTogether = []string{"properties", "patternProperties", "additionalProperties", "prefixItems", "items"}
