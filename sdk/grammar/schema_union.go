package grammar

import (
	"slices"
	"strconv"
)

// union is one of the subschemas under key.
func (c *converter) union(s *value, key, path, name string) (*expr, error) {
	parts, err := c.alternatives(s, key, path)
	if err != nil {
		return nil, err
	}
	var kids []*expr
	var ruledOut error
	for _, one := range parts {
		e, err := c.visit(one.schema, one.path, name+"-"+strconv.Itoa(one.number))
		switch {
		case one.merged && isContradiction(err) && (key == conditioned || pathOf(err) == one.path):
			ruledOut = err
			continue
		case err != nil:
			return nil, err
		}
		kids = append(kids, e)
	}
	if len(kids) == 0 {
		return nil, ruledOut
	}
	return alt(objectsLast(kids)...), nil
}

// objectsLast are kids with those that are objects as one, whose brace and the white space behind it all share, if one of them
// begins with a member that may be missing. Otherwise a lexer that takes the longest text would go on into the first member of
// another, and miss those of that one.
func objectsLast(kids []*expr) []*expr {
	var out, insides []*expr
	var before []*expr
	loose := false
	for _, k := range kids {
		body := k
		if k.op == call && k.rule.body != nil {
			body = k.rule.body
		}
		if body.op != sequence || body.kids[0].op != literal || body.kids[0].text != "{" || body.kids[1].op != call {
			out = append(out, k)
			continue
		}
		before, insides = body.kids[:2], append(insides, seq(body.kids[2:]...))
		loose = loose || body.kids[2].op != call
	}
	if len(insides) < 2 || !loose {
		return kids
	}
	return append(out, seq(before[0], before[1], alt(insides...)))
}

// alternative is a subschema of anyOf or oneOf, together with what stands beside those.
type alternative struct {
	schema *value
	path   string
	number int
	merged bool // something stood beside
}

// alternatives are the subschemas under key; what stands beside key holds for each of them. Those that it rules out are
// left out, unless it rules out all.
func (c *converter) alternatives(s *value, key, path string) ([]alternative, error) {
	var out []alternative
	var ruledOut error
	for i, one := range s.get(key).items {
		where := at(path, key, i)
		if key == conditioned {
			where = path
		}
		merged, err := c.besides(s.but(key), one, where)
		switch {
		case isContradiction(err):
			ruledOut = err
			continue
		case err != nil:
			return nil, err
		}
		out = append(out, alternative{merged, where, i, merged != one})
	}
	if len(out) == 0 {
		return nil, ruledOut
	}
	if key == "oneOf" {
		c.exclusive(out, path)
	}
	return out, nil
}

// besides is one together with what stands beside it.
func (c *converter) besides(beside, one *value, path string) (*value, error) {
	beside = c.constraints(beside)
	if beside == nil || c.implies(one, beside) {
		return one, nil
	}
	merged, err := c.merge(beside.but(unevaluated...), one, path)
	if err != nil {
		return nil, err
	}
	return merged.with(beside, unevaluated...), nil
}

// implies says whether beside adds nothing to s: types, and s has no others.
func (c *converter) implies(s, beside *value) bool {
	if len(beside.keys) > 1 || !beside.has("type") {
		return false
	}
	return c.kinds(s)&^namedKinds(beside.get("type")) == 0
}

// maxExclusive bounds the alternatives that are compared with each other.
const maxExclusive = 64

// exclusive makes alternatives exclude each other, as far as they differ in the members that they require: none allows what
// fits another as it stood. It notes others of which a value may fit several.
func (c *converter) exclusive(parts []alternative, path string) {
	stood := make([]*value, len(parts))
	for i := range parts {
		stood[i] = parts[i].schema
	}
	for i := range parts {
		for j := range parts[:i] {
			if i < maxExclusive && c.separate(&parts[i], &parts[j], stood[i], stood[j]) {
				continue
			}
			c.note(at(path, "oneOf"), "held to like anyOf: a value may fit both alternative %d and alternative %d", parts[j].number, parts[i].number)
			return
		}
	}
}

// separate makes two alternatives exclude each other, if it can. One whose values all fit the other has none of its own.
func (c *converter) separate(a, b *alternative, aStood, bStood *value) bool {
	x, y := a.schema, b.schema
	if c.excludes(x, bStood, 0) && c.excludes(y, aStood, 0) {
		return true
	}
	x, y = without(x, bStood), without(y, aStood)
	if covers(bStood, aStood) {
		x = &value{kind: boolKind}
	}
	if covers(aStood, bStood) {
		y = &value{kind: boolKind}
	}
	if !c.excludes(x, bStood, 0) || !c.excludes(y, aStood, 0) {
		return false
	}
	a.schema, b.schema = x, y
	return true
}

// covers says whether a differs from b in nothing but that it requires less.
func covers(a, b *value) bool {
	if !a.is(objectKind) || !b.is(objectKind) || !equal(a.but("required"), b.but("required")) {
		return false
	}
	own := b.get("required").strings()
	return !slices.ContainsFunc(a.get("required").strings(), func(name string) bool { return !slices.Contains(own, name) })
}

// without is a without the first member that b requires and a does not; a itself if there is none, or a says more than what
// members there are.
func without(a, b *value) *value {
	if a.hasAny(inPlace...) || a.hasAny("const", "enum", "patternProperties") || impliedType(a) != "object" {
		return a
	}
	own := a.get("required").strings()
	for _, name := range b.get("required").strings() {
		if slices.Contains(own, name) {
			continue
		}
		properties := newObject()
		if a.has("properties") {
			properties = a.get("properties").but()
		} else if !a.has("additionalProperties") {
			a = a.but()
			a.set("additionalProperties", &value{kind: boolKind, bool: true})
		}
		properties.set(name, &value{kind: boolKind})
		a = a.but()
		a.set("properties", properties)
		return a
	}
	return a
}

// excludes says for certain that no value which the grammar of a allows fits b.
func (c *converter) excludes(a, b *value, depth int) bool {
	if c.effort--; c.effort < 0 || depth > maxComparison {
		return false
	}
	common := c.kinds(a) & c.kinds(b)
	a, aErr := c.resolved(a, "#")
	b, bErr := c.resolved(b, "#")
	switch {
	case common == 0:
		return true
	case aErr != nil || bErr != nil || !a.is(objectKind) || !b.is(objectKind) || a.has("$ref") || b.has("$ref"):
		return false
	case a.hasAny("const", "enum"):
		return !slices.ContainsFunc(constantsIn(a), func(v *value) bool { return c.fits(v, b, 0) != no })
	case b.hasAny("const", "enum"):
		return !slices.ContainsFunc(constantsIn(b), func(v *value) bool { return c.fits(v, a, 0) != no })
	case a.hasAny("anyOf", "oneOf"):
		return !slices.ContainsFunc(options(a), func(one *value) bool { return !c.excludes(one, b, depth+1) })
	case b.hasAny("anyOf", "oneOf"):
		return !slices.ContainsFunc(options(b), func(one *value) bool { return !c.excludes(a, one, depth+1) })
	case a.has("allOf") || b.has("allOf"):
		return false
	case common&^(integerType|fractionType) == 0:
		return apart(a, b)
	case common == objectType:
		return c.objectsExclude(a, b, depth)
	}
	return false
}

// maxComparison bounds how deep alternatives are compared.
const maxComparison = 8

func constantsIn(s *value) []*value {
	if s.has("const") {
		return []*value{s.get("const")}
	}
	return s.get("enum").items
}

func options(s *value) []*value { return append(s.get("anyOf").list(), s.get("oneOf").list()...) }

// apart says whether the bounds of two schemas of numbers leave no number in common.
func apart(a, b *value) bool {
	below := func(a, b *value) bool {
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

// objectsExclude says whether b wants a member that a does not allow, or one that a always has is nothing for b.
func (c *converter) objectsExclude(a, b *value, depth int) bool {
	props, open := c.properties(a, "#")
	declared := map[string]property{}
	for _, p := range props {
		declared[p.name] = p
	}
	for _, name := range b.get("required").strings() {
		p, ok := declared[name]
		if ok && p.schema.isFalse() {
			return true
		}
		if !ok && (open == nil || open.isFalse()) && !a.has("patternProperties") {
			return true
		}
	}
	return slices.ContainsFunc(props, func(p property) bool {
		other := b.get("properties").get(p.name)
		if other == nil {
			other = b.get("additionalProperties")
			if b.has("patternProperties") {
				other = nil
			}
		}
		return p.required && other != nil && c.excludes(p.schema, other, depth+1)
	})
}
