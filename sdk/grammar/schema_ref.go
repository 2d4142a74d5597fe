package grammar

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
)

// target is the rule of what a reference leads to, and where it was first met: within how many objects and arrays.
type target struct {
	rule   *rule
	inside int
}

// reference is the rule of the subschema that $ref points to. Keywords beside it hold too.
func (c *converter) reference(s *value, path string) (*expr, error) {
	ref := s.get("$ref").text
	if !strings.HasPrefix(ref, "#") {
		c.note(at(path, "$ref"), "%q is not in this schema: any value is allowed there", ref)
		return c.b.primitive("value", c.spelling), nil
	}
	to, err := c.resolve(ref, path)
	if err != nil {
		return nil, err
	}
	key, where := ref, ref
	beside := c.constraints(s.but("$ref"))
	if beside != nil && !c.implies(to, beside) {
		key, where = ref+" "+beside.compact(), path
	}
	known, ok := c.refs[key]
	switch {
	case ok && known.rule.body == nil && known.inside == c.inside:
		return nothing, nil // what refers to itself, and to nothing within it, is no more than its other alternatives
	case ok:
		return known.rule.call(), nil
	}
	r := c.b.named(c.b.scope + "-" + strings.TrimLeft(ref[strings.LastIndexByte(ref, '/')+1:], "#"))
	c.refs[key] = target{r, c.inside}
	if to, err = c.besides(s.but("$ref"), to, path); err == nil {
		r.body, err = c.visit(to, where, r.name)
	}
	return r.call(), err
}

// resolve finds what a JSON pointer in a fragment points to.
func (c *converter) resolve(ref, path string) (*value, error) {
	v := c.root
	for _, step := range pointer(ref) {
		if v = v.child(step); v == nil {
			return nil, bad(at(path, "$ref"), "%q points to nothing in this schema", ref)
		}
	}
	if len(ref) > 1 && ref[1] != '/' {
		return nil, bad(at(path, "$ref"), "%q names no anchor of this schema", ref)
	}
	return v, nil
}

// pointer are the steps of a JSON pointer in a fragment.
func pointer(ref string) []string {
	ref = strings.TrimPrefix(ref, "#")
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	steps := strings.Split(ref, "/")[1:]
	for i := range steps {
		steps[i] = pointerUnescape.Replace(steps[i])
	}
	return steps
}

// child is the field or item that a step of a JSON pointer names.
func (v *value) child(step string) *value {
	if v.kind != arrayKind {
		return v.get(step)
	}
	for i, item := range v.items {
		if step == strconv.Itoa(i) {
			return item
		}
	}
	return nil
}

// resolved follows the references that s consists of. One that leads out of the schema stays.
func (c *converter) resolved(s *value, path string) (*value, error) {
	for range maxReferences {
		if !s.has("$ref") || !strings.HasPrefix(s.get("$ref").text, "#") {
			return s, nil
		}
		target, err := c.resolve(s.get("$ref").text, path)
		if err != nil {
			return nil, err
		}
		beside := c.constraints(s.but("$ref"))
		if beside == nil || c.implies(target, beside) {
			s = target
			continue
		}
		return c.merge(beside, target, path)
	}
	return nil, bad(path, "references lead in a circle")
}

// localise rewrites the references of a schema that name its parts by anchors, or by identifiers, to JSON pointers from its
// root. Others stay as they are. Source is the text of the schema.
func localise(root *value, source []byte) {
	if !bytes.Contains(source, []byte(`id"`)) && !bytes.Contains(source, []byte(`nchor"`)) {
		return // it names nothing: neither "$id", "id", "$anchor" nor "$dynamicAnchor"
	}
	l := locations{}
	l.index(root, "", "#")
	if l[""] == "" || len(l) > 1 {
		l.rewrite(root, "")
	}
}

// locations are the parts of a schema by their identifiers: where each stands.
type locations map[string]string

// identifier is what a subschema says of itself by a keyword; empty if nothing.
func (v *value) identifier(keyword string) string {
	if id := v.get(keyword); id.is(stringKind) {
		return id.text
	}
	return ""
}

// base is the identifier that those inside of s are relative to.
func base(s *value, outer string) string {
	for _, keyword := range []string{"$id", "id"} {
		if id := s.identifier(keyword); id != "" && !strings.HasPrefix(id, "#") && !(keyword == "id" && s.has("$id")) {
			return joinReference(outer, id)
		}
	}
	return outer
}

// joinReference is a reference as seen from base, without an empty fragment.
func joinReference(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return strings.TrimSuffix(r.String(), "#")
}

func (l locations) index(s *value, outer, path string) {
	inner := base(s, outer)
	if inner != outer || path == "#" {
		l.add(inner, path)
	}
	for _, name := range []string{s.identifier("$anchor"), s.identifier("$dynamicAnchor")} {
		if name != "" {
			l.add(inner+"#"+name, path)
		}
	}
	for _, keyword := range []string{"$id", "id"} {
		if id := s.identifier(keyword); len(id) > 1 && id[0] == '#' && id[1] != '/' {
			l.add(inner+id, path)
		}
	}
	s.subschemas(path, func(sub *value, where string) { l.index(sub, inner, where) })
}

// add keeps the first place of an identifier.
func (l locations) add(id, path string) {
	if _, ok := l[id]; !ok {
		l[id] = strings.ReplaceAll(path, "%", "%25")
	}
}

func (l locations) rewrite(s *value, outer string) {
	inner := base(s, outer)
	if ref := s.identifier("$ref"); ref != "" {
		if found := l.find(joinReference(inner, ref)); found != "" {
			s.fields["$ref"] = stringValue(found)
		}
	}
	s.subschemas("", func(sub *value, _ string) { l.rewrite(sub, inner) })
}

// find is the JSON pointer to what an absolute reference names; empty if it is not in the schema.
func (l locations) find(ref string) string {
	if at, ok := l[ref]; ok {
		return at
	}
	resource, fragment, _ := strings.Cut(ref, "#")
	if at, ok := l[resource]; ok && strings.HasPrefix(fragment, "/") {
		return at + fragment
	}
	return ""
}

// subschemas calls do for what in s stands where a schema may.
func (v *value) subschemas(path string, do func(sub *value, path string)) {
	if !v.is(objectKind) {
		return
	}
	for _, k := range v.keys {
		field := v.fields[k]
		switch k {
		case "const", "enum", "default", "examples", "example":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			for _, name := range field.keys {
				do(field.fields[name], at(at(path, k), name))
			}
		default:
			if field.is(objectKind) {
				do(field, at(path, k))
			}
			for i, item := range field.items {
				do(item, at(path, k, i))
			}
		}
	}
}
