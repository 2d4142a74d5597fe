package value

import (
	"bytes"
	"net/url"
	"strings"
)

// Localise rewrites the references of a schema that name its parts by anchors, or by identifiers, to JSON pointers from its
// root. Others stay as they are. Source is the text of the schema.
func Localise(root *Value, source []byte) {
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
func (v *Value) identifier(keyword string) string {
	if id := v.Get(keyword); id.Is(String) {
		return id.Text
	}
	return ""
}

// base is the identifier that those inside of s are relative to.
func base(s *Value, outer string) string {
	for _, keyword := range []string{"$id", "id"} {
		if id := s.identifier(keyword); id != "" && !strings.HasPrefix(id, "#") && !(keyword == "id" && s.Has("$id")) {
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

func (l locations) index(s *Value, outer, path string) {
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
	s.subschemas(path, func(sub *Value, where string) { l.index(sub, inner, where) })
}

// add keeps the first place of an identifier.
func (l locations) add(id, path string) {
	if _, ok := l[id]; !ok {
		l[id] = strings.ReplaceAll(path, "%", "%25")
	}
}

func (l locations) rewrite(s *Value, outer string) {
	inner := base(s, outer)
	if ref := s.identifier("$ref"); ref != "" {
		if found := l.find(joinReference(inner, ref)); found != "" {
			s.Fields["$ref"] = NewString(found)
		}
	}
	s.subschemas("", func(sub *Value, _ string) { l.rewrite(sub, inner) })
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
func (v *Value) subschemas(path string, do func(sub *Value, path string)) {
	if !v.Is(Object) {
		return
	}
	for _, k := range v.Keys {
		field := v.Fields[k]
		switch k {
		case "const", "enum", "default", "examples", "example":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
			for _, name := range field.Keys {
				do(field.Fields[name], At(At(path, k), name))
			}
		default:
			if field.Is(Object) {
				do(field, At(path, k))
			}
			for i, item := range field.Items {
				do(item, At(path, k, i))
			}
		}
	}
}

// Moved is a schema for use at another place, to which its references lead.
func (v *Value) Moved(to string) *Value {
	out := *v
	out.Items, out.Fields = nil, nil
	for _, item := range v.Items {
		out.Items = append(out.Items, item.Moved(to))
	}
	if v.Kind != Object {
		return &out
	}
	out.Fields = make(map[string]*Value, len(v.Fields))
	for k, field := range v.Fields {
		if k == "$ref" && field.Kind == String && strings.HasPrefix(field.Text, "#") {
			out.Fields[k] = NewString("#" + to + field.Text[1:])
			continue
		}
		out.Fields[k] = field.Moved(to)
	}
	return &out
}
