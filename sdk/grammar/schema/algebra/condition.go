package algebra

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// Conditions on objects are choices: either the condition holds, and so does what depends on it, or
// it does not. The negation of a condition can be expressed if it is about which members there are
// and what they must be.

// Conditioned is the keyword of these choices. It means the same as anyOf, and occurs in no
// client's schema.
const Conditioned = "\x00anyOf"

// conditions are the keywords of conditions on objects.
var conditions = []string{"if", "dependentRequired", "dependentSchemas", "dependencies", "not"}

// RewriteConditions rewrites the conditions of s as choices, as far as possible and as long as
// these are few. Whole is set if s is not part of what must hold together.
func (d *Document) RewriteConditions(s *jsonschema.Value, path string, whole bool) (*jsonschema.Value, error) {
	if !s.HasAny(conditions...) || d.Kinds(s)&ObjectType == 0 {
		return s, nil
	}
	choices, left, err := d.choices(s, path)
	if err != nil || len(choices) == 0 {
		return s, err
	}
	pairs := max(1, len(s.Get(Conditioned).List()))
	for _, choice := range choices {
		if pairs *= max(1, len(choice)); pairs > maxPairs {
			return s, nil
		}
	}
	if whole {
		left = opened(left)
	}
	for _, choice := range choices {
		if len(choice) == 0 {
			return nil, Contradiction(path, "no object satisfies the conditions")
		}
		one := jsonschema.NewObject()
		one.Set(Conditioned, jsonschema.NewArray(choice...))
		if left, err = d.Merge(left, one, path); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// opened accepts additional members if s restricts members by conditions only.
func opened(s *jsonschema.Value) *jsonschema.Value {
	if kind := ImpliedType(s); kind != "" && kind != "object" || s.HasAny("properties", "additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf") {
		return s
	}
	s = s.But()
	s.Set("additionalProperties", jsonschema.NewBool(true))
	return s
}

// choices returns the conditions of s, each as a list of alternatives of which one must hold, and s
// without them.
func (d *Document) choices(s *jsonschema.Value, path string) (choices [][]*jsonschema.Value, left *jsonschema.Value, err error) {
	left = s
	if others := negated(s.Get("if")); others != nil && s.HasAny("then", "else") {
		choice, err := d.either(s.Get("if"), s.Get("then"), others, s.Get("else"), path)
		if err != nil {
			return nil, nil, err
		}
		choices, left = append(choices, choice), left.But("if", "then", "else")
	}
	if ruledOut := d.ruledOut(s); ruledOut != nil {
		choices, left = append(choices, ruledOut...), left.But("not")
	}
	for _, keyword := range []string{"dependentRequired", "dependentSchemas", "dependencies"} {
		of := s.Get(keyword)
		if !of.Is(jsonschema.Object) {
			continue
		}
		for _, name := range of.Keys {
			choice, err := d.either(requiring(name), dependent(of.Get(name)), []*jsonschema.Value{forbidding(name)}, nil, path)
			if err != nil {
				return nil, nil, err
			}
			choices = append(choices, choice)
		}
		left = left.But(keyword)
	}
	return choices, left, nil
}

// ruledOut returns the choices that remain where "not" excludes objects; nil if they cannot be
// expressed.
func (d *Document) ruledOut(s *jsonschema.Value) [][]*jsonschema.Value {
	not := s.Get("not")
	if d.Kinds(s) != ObjectType || not == nil {
		return nil
	}
	of := []*jsonschema.Value{not}
	if either := d.WithoutAnnotations(not.But("type")); not.Is(jsonschema.Object) && either != nil && len(either.Keys) == 1 && either.Has("anyOf") {
		of = either.Get("anyOf").List()
	}
	var out [][]*jsonschema.Value
	for _, one := range of {
		choice := negated(one)
		if choice == nil {
			return nil
		}
		out = append(out, choice)
	}
	return out
}

// bothConditions returns the alternatives of two choices together. If these are too many, it
// returns those of the first, and notes it.
func (d *Document) bothConditions(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	both, err := d.pairs(a, b, path)
	if both == nil && err == nil {
		d.Note(path, "not all conditions are enforced: together they take more than %d alternatives", maxPairs)
		return a, nil
	}
	return both, err
}

// either returns a condition merged with what follows from it, and each of its negations merged
// with what follows otherwise. Contradictory alternatives are dropped.
func (d *Document) either(condition, then *jsonschema.Value, others []*jsonschema.Value, otherwise *jsonschema.Value, path string) ([]*jsonschema.Value, error) {
	var out []*jsonschema.Value
	add := func(condition, follows *jsonschema.Value) error {
		one, err := d.Both(condition, follows, path)
		if err == nil {
			out = append(out, one)
		}
		if IsContradiction(err) {
			return nil
		}
		return err
	}
	err := add(condition, then)
	for _, other := range others {
		if err == nil {
			err = add(other, otherwise)
		}
	}
	return out, err
}

// negated returns the objects that do not follow s, as alternatives; nil if they cannot be
// expressed.
func negated(s *jsonschema.Value) []*jsonschema.Value {
	if !s.Is(jsonschema.Object) {
		return nil
	}
	var out []*jsonschema.Value
	for _, k := range s.Keys {
		of := s.Get(k)
		switch {
		case keywordOf(k).Annotation(), k == "type" && of.Text == "object":
		case k == "required" && of.Is(jsonschema.Array):
			for _, name := range of.Strings() {
				out = append(out, forbidding(name))
			}
		case k == "properties" && of.Is(jsonschema.Object):
			for _, name := range of.Keys {
				not := jsonschema.NewObject()
				not.Set("not", of.Get(name))
				out = append(out, requiring(name).With(member(name, not), "properties"))
			}
		default:
			return nil
		}
	}
	return out
}

// dependent returns what depends on a member as a schema: required members, or any schema.
func dependent(of *jsonschema.Value) *jsonschema.Value {
	if of.Is(jsonschema.Array) {
		return requiring(of.Strings()...)
	}
	return of
}

// requiringAlso adds required members to each of alternatives.
func requiringAlso(alternatives, names *jsonschema.Value) *jsonschema.Value {
	out := jsonschema.NewArray()
	for _, one := range alternatives.Items {
		if one.Is(jsonschema.Object) {
			one = one.But()
			one.Set("required", unite(one.Get("required"), names))
		}
		out.Items = append(out.Items, one)
	}
	return out
}

// requiring returns a schema of objects with certain members.
func requiring(names ...string) *jsonschema.Value {
	list := jsonschema.NewArray()
	for _, name := range names {
		list.Items = append(list.Items, jsonschema.NewString(name))
	}
	out := jsonschema.NewObject()
	out.Set("required", list)
	return out
}

// forbidding returns a schema of objects without a certain member.
func forbidding(name string) *jsonschema.Value { return member(name, jsonschema.NewBool(false)) }

// member returns a schema of objects whose member of that name, if present, follows s.
func member(name string, s *jsonschema.Value) *jsonschema.Value {
	properties := jsonschema.NewObject()
	properties.Set(name, s)
	out := jsonschema.NewObject()
	out.Set("properties", properties)
	return out
}
