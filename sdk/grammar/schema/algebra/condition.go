package algebra

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/grammar/schema/value"
)

// What a schema says of objects under a condition is a choice: the condition holds, and so does what is said then, or it does
// not. That a condition does not hold can be said where it is about which members there are and what they must be.

// Conditioned is the keyword of such choices. It is like anyOf, and stands in no schema that a client writes.
const Conditioned = "\x00anyOf"

// conditions are the keywords that say something of objects under a condition.
var conditions = []string{"if", "dependentRequired", "dependentSchemas", "dependencies", "not"}

// Conditional is s with what it says under conditions as choices, as far as they can be said and there are few of them. Whole
// says that s is no part of what must hold together.
func (c *Document) Conditional(s *value.Value, path string, whole bool) (*value.Value, error) {
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
			return nil, Contradiction(path, "no object follows what it says under conditions")
		}
		one := value.NewObject()
		one.Set(Conditioned, &value.Value{Kind: value.Array, Items: choice})
		if left, err = c.Merge(left, one, path); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// opened is s with other members, if it says nothing of members but what they are under conditions.
func opened(s *value.Value) *value.Value {
	if kind := ImpliedType(s); kind != "" && kind != "object" || s.HasAny("properties", "additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf") {
		return s
	}
	s = s.But()
	s.Set("additionalProperties", &value.Value{Kind: value.Bool, Bool: true})
	return s
}

// choices are the conditions of s, each as the alternatives of which one must hold, and s without them.
func (c *Document) choices(s *value.Value, path string) (choices [][]*value.Value, left *value.Value, err error) {
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
		if !of.Is(value.Object) {
			continue
		}
		for _, name := range of.Keys {
			choice, err := c.either(requiring(name), dependent(of.Get(name)), []*value.Value{forbidding(name)}, nil, path)
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
func (c *Document) ruledOut(s *value.Value) [][]*value.Value {
	not := s.Get("not")
	if c.Kinds(s) != ObjectType || not == nil {
		return nil
	}
	of := []*value.Value{not}
	if either := c.Constraints(not.But("type")); not.Is(value.Object) && either != nil && len(either.Keys) == 1 && either.Has("anyOf") {
		of = either.Get("anyOf").List()
	}
	var out [][]*value.Value
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
func (c *Document) bothConditions(a, b *value.Value, path string) (*value.Value, error) {
	both, err := c.pairs(a, b, path)
	if both == nil && err == nil {
		c.Note(path, "of what it says under conditions, not all is held to: that would be more than %d alternatives", maxPairs)
		return a, nil
	}
	return both, err
}

// either is a condition with what follows from it, or one of those in which it does not hold with what follows otherwise.
// Alternatives that contradict themselves are left out.
func (c *Document) either(condition, then *value.Value, others []*value.Value, otherwise *value.Value, path string) ([]*value.Value, error) {
	var out []*value.Value
	add := func(condition, follows *value.Value) error {
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
func negated(s *value.Value) []*value.Value {
	if !s.Is(value.Object) {
		return nil
	}
	var out []*value.Value
	for _, k := range s.Keys {
		of := s.Get(k)
		switch {
		case slices.Contains(annotations, k), k == "type" && of.Text == "object":
		case k == "required" && of.Is(value.Array):
			for _, name := range of.Strings() {
				out = append(out, forbidding(name))
			}
		case k == "properties" && of.Is(value.Object):
			for _, name := range of.Keys {
				not := value.NewObject()
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
func dependent(of *value.Value) *value.Value {
	if of.Is(value.Array) {
		return requiring(of.Strings()...)
	}
	return of
}

// requiringAlso are alternatives that require certain members besides.
func requiringAlso(alternatives, names *value.Value) *value.Value {
	out := &value.Value{Kind: value.Array}
	for _, one := range alternatives.Items {
		if one.Is(value.Object) {
			one = one.But()
			one.Set("required", unite(one.Get("required"), names))
		}
		out.Items = append(out.Items, one)
	}
	return out
}

// requiring are the objects that have certain members.
func requiring(names ...string) *value.Value {
	list := &value.Value{Kind: value.Array}
	for _, name := range names {
		list.Items = append(list.Items, value.NewString(name))
	}
	out := value.NewObject()
	out.Set("required", list)
	return out
}

// forbidding are the objects that have not a certain member.
func forbidding(name string) *value.Value { return member(name, &value.Value{Kind: value.Bool}) }

// member are the objects of which a certain member, if they have it, follows a schema.
func member(name string, s *value.Value) *value.Value {
	properties := value.NewObject()
	properties.Set(name, s)
	out := value.NewObject()
	out.Set("properties", properties)
	return out
}
