package grammar

import "slices"

// What a schema says of objects under a condition is a choice: the condition holds, and so does what is said then, or it does
// not. That a condition does not hold can be said where it is about which members there are and what they must be.

// conditioned is the keyword of such choices. It is like anyOf, and stands in no schema that a client writes.
const conditioned = "\x00anyOf"

// conditions are the keywords that say something of objects under a condition.
var conditions = []string{"if", "dependentRequired", "dependentSchemas", "dependencies", "not"}

// conditional is s with what it says under conditions as choices, as far as they can be said and there are few of them. Whole
// says that s is no part of what must hold together.
func (c *converter) conditional(s *value, path string, whole bool) (*value, error) {
	if !s.hasAny(conditions...) || c.kinds(s)&objectType == 0 {
		return s, nil
	}
	choices, left, err := c.choices(s, path)
	if err != nil || len(choices) == 0 {
		return s, err
	}
	pairs := max(1, len(s.get(conditioned).list()))
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
			return nil, contradiction(path, "no object follows what it says under conditions")
		}
		one := newObject()
		one.set(conditioned, &value{kind: arrayKind, items: choice})
		if left, err = c.merge(left, one, path); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// opened is s with other members, if it says nothing of members but what they are under conditions.
func opened(s *value) *value {
	if kind := impliedType(s); kind != "" && kind != "object" || s.hasAny("properties", "additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf") {
		return s
	}
	s = s.but()
	s.set("additionalProperties", &value{kind: boolKind, bool: true})
	return s
}

// choices are the conditions of s, each as the alternatives of which one must hold, and s without them.
func (c *converter) choices(s *value, path string) (choices [][]*value, left *value, err error) {
	left = s
	if others := negated(s.get("if")); others != nil && s.hasAny("then", "else") {
		choice, err := c.either(s.get("if"), s.get("then"), others, s.get("else"), path)
		if err != nil {
			return nil, nil, err
		}
		choices, left = append(choices, choice), left.but("if", "then", "else")
	}
	if ruledOut := c.ruledOut(s); ruledOut != nil {
		choices, left = append(choices, ruledOut...), left.but("not")
	}
	for _, keyword := range []string{"dependentRequired", "dependentSchemas", "dependencies"} {
		of := s.get(keyword)
		if !of.is(objectKind) {
			continue
		}
		for _, name := range of.keys {
			choice, err := c.either(requiring(name), dependent(of.get(name)), []*value{forbidding(name)}, nil, path)
			if err != nil {
				return nil, nil, err
			}
			choices = append(choices, choice)
		}
		left = left.but(keyword)
	}
	return choices, left, nil
}

// ruledOut are the choices that there are where "not" rules out objects; nil if they cannot be said.
func (c *converter) ruledOut(s *value) [][]*value {
	not := s.get("not")
	if c.kinds(s) != objectType || not == nil {
		return nil
	}
	of := []*value{not}
	if either := c.constraints(not.but("type")); not.is(objectKind) && either != nil && len(either.keys) == 1 && either.has("anyOf") {
		of = either.get("anyOf").list()
	}
	var out [][]*value
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
func (c *converter) bothConditions(a, b *value, path string) (*value, error) {
	both, err := c.pairs(a, b, path)
	if both == nil && err == nil {
		c.note(path, "of what it says under conditions, not all is held to: that would be more than %d alternatives", maxPairs)
		return a, nil
	}
	return both, err
}

// either is a condition with what follows from it, or one of those in which it does not hold with what follows otherwise.
// Alternatives that contradict themselves are left out.
func (c *converter) either(condition, then *value, others []*value, otherwise *value, path string) ([]*value, error) {
	var out []*value
	add := func(condition, follows *value) error {
		one, err := c.both(condition, follows, path)
		if err == nil {
			out = append(out, one)
		}
		if isContradiction(err) {
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
func negated(s *value) []*value {
	if !s.is(objectKind) {
		return nil
	}
	var out []*value
	for _, k := range s.keys {
		of := s.get(k)
		switch {
		case slices.Contains(annotations, k), k == "type" && of.text == "object":
		case k == "required" && of.is(arrayKind):
			for _, name := range of.strings() {
				out = append(out, forbidding(name))
			}
		case k == "properties" && of.is(objectKind):
			for _, name := range of.keys {
				not := newObject()
				not.set("not", of.get(name))
				out = append(out, requiring(name).with(member(name, not), "properties"))
			}
		default:
			return nil
		}
	}
	return out
}

// dependent is what a schema wants of objects that have a certain member: others, or more.
func dependent(of *value) *value {
	if of.is(arrayKind) {
		return requiring(of.strings()...)
	}
	return of
}

// requiringAlso are alternatives that require certain members besides.
func requiringAlso(alternatives, names *value) *value {
	out := &value{kind: arrayKind}
	for _, one := range alternatives.items {
		if one.is(objectKind) {
			one = one.but()
			one.set("required", unite(one.get("required"), names))
		}
		out.items = append(out.items, one)
	}
	return out
}

// requiring are the objects that have certain members.
func requiring(names ...string) *value {
	list := &value{kind: arrayKind}
	for _, name := range names {
		list.items = append(list.items, stringValue(name))
	}
	out := newObject()
	out.set("required", list)
	return out
}

// forbidding are the objects that have not a certain member.
func forbidding(name string) *value { return member(name, &value{kind: boolKind}) }

// member are the objects of which a certain member, if they have it, follows a schema.
func member(name string, s *value) *value {
	properties := newObject()
	properties.set(name, s)
	out := newObject()
	out.set("properties", properties)
	return out
}
