package algebra

import (
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
)

// What a schema says of objects under a condition is a choice: the condition holds, and so does what is said then, or it does
// not. That a condition does not hold can be said where it is about which members there are and what they must be.

// Conditioned is the keyword of such choices. It is like anyOf, and stands in no schema that a client writes.
const Conditioned = "\x00anyOf"

// conditions are the keywords that say something of objects under a condition.
var conditions = []string{"if", "dependentRequired", "dependentSchemas", "dependencies", "not"}

// Conditional is s with what it says under conditions as choices, as far as they can be said and there are few of them. Whole
// says that s is no part of what must hold together.
func (c *Document) Conditional(s *jsonschema.Value, path string, whole bool) (*jsonschema.Value, error) {
	if !s.HasAny(conditions...) || c.Kinds(s)&ObjectType == 0 {
		return s, nil
	}
	choices, left, err := c.choices(s, path)
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
		if left, err = c.Merge(left, one, path); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// opened is s with other members, if it says nothing of members but what they are under conditions.
func opened(s *jsonschema.Value) *jsonschema.Value {
	if kind := ImpliedType(s); kind != "" && kind != "object" || s.HasAny("properties", "additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf") {
		return s
	}
	s = s.But()
	s.Set("additionalProperties", jsonschema.NewBool(true))
	return s
}

// choices are the conditions of s, each as the alternatives of which one must hold, and s without them.
func (c *Document) choices(s *jsonschema.Value, path string) (choices [][]*jsonschema.Value, left *jsonschema.Value, err error) {
	left = s
	if others := negated(s.Get("if")); others != nil && s.HasAny("then", "else") {
		choice, err := c.either(s.Get("if"), s.Get("then"), others, s.Get("else"), path)
		if err != nil {
			return nil, nil, err
		}
		choices, left = append(choices, choice), left.But("if", "then", "else")
	}
	if ruledOut := c.ruledOut(s); ruledOut != nil {
		choices, left = append(choices, ruledOut...), left.But("not")
	}
	for _, keyword := range []string{"dependentRequired", "dependentSchemas", "dependencies"} {
		of := s.Get(keyword)
		if !of.Is(jsonschema.Object) {
			continue
		}
		for _, name := range of.Keys {
			choice, err := c.either(requiring(name), dependent(of.Get(name)), []*jsonschema.Value{forbidding(name)}, nil, path)
			if err != nil {
				return nil, nil, err
			}
			choices = append(choices, choice)
		}
		left = left.But(keyword)
	}
	return choices, left, nil
}

// ruledOut are the choices that there are where "not" rules out objects; nil if they cannot be said.
func (c *Document) ruledOut(s *jsonschema.Value) [][]*jsonschema.Value {
	not := s.Get("not")
	if c.Kinds(s) != ObjectType || not == nil {
		return nil
	}
	of := []*jsonschema.Value{not}
	if either := c.Constraints(not.But("type")); not.Is(jsonschema.Object) && either != nil && len(either.Keys) == 1 && either.Has("anyOf") {
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

// bothConditions are the alternatives of two choices together; of the first alone, and a note, where these are too many.
func (c *Document) bothConditions(a, b *jsonschema.Value, path string) (*jsonschema.Value, error) {
	both, err := c.pairs(a, b, path)
	if both == nil && err == nil {
		c.Note(path, "not all conditions are enforced: together they take more than %d alternatives", maxPairs)
		return a, nil
	}
	return both, err
}

// either is a condition with what follows from it, or one of those in which it does not hold with what follows otherwise.
// Alternatives that contradict themselves are left out.
func (c *Document) either(condition, then *jsonschema.Value, others []*jsonschema.Value, otherwise *jsonschema.Value, path string) ([]*jsonschema.Value, error) {
	var out []*jsonschema.Value
	add := func(condition, follows *jsonschema.Value) error {
		one, err := c.Both(condition, follows, path)
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

// negated are the objects that do not follow s, as alternatives; nil if they cannot be said.
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

// dependent is what a schema wants of objects that have a certain member: others, or more.
func dependent(of *jsonschema.Value) *jsonschema.Value {
	if of.Is(jsonschema.Array) {
		return requiring(of.Strings()...)
	}
	return of
}

// requiringAlso are alternatives that require certain members besides.
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

// requiring are the objects that have certain members.
func requiring(names ...string) *jsonschema.Value {
	list := jsonschema.NewArray()
	for _, name := range names {
		list.Items = append(list.Items, jsonschema.NewString(name))
	}
	out := jsonschema.NewObject()
	out.Set("required", list)
	return out
}

// forbidding are the objects that have not a certain member.
func forbidding(name string) *jsonschema.Value { return member(name, jsonschema.NewBool(false)) }

// member are the objects of which a certain member, if they have it, follows a schema.
func member(name string, s *jsonschema.Value) *jsonschema.Value {
	properties := jsonschema.NewObject()
	properties.Set(name, s)
	out := jsonschema.NewObject()
	out.Set("properties", properties)
	return out
}
