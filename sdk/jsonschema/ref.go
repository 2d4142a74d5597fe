package jsonschema

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
)

// Lookup returns what a reference of the form #/a/b leads to from v, the root of a schema; nil if it leads to nothing.
func (v *Value) Lookup(ref string) *Value {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil
	}
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		if v = v.Child(pointerUnescape.Replace(step)); v == nil {
			return nil
		}
	}
	return v
}

// resolved follows the references of v to a schema that is not one; nil, which allows everything, if they lead nowhere.
func resolved(v, root *Value) *Value {
	for range maxReferences {
		ref := v.Get("$ref")
		if !ref.Is(String) {
			return v
		}
		v = root.Lookup(ref.Text)
	}
	return nil
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer returns the JSON pointer to what steps lead to from path: a member, or a member and the index of an item in it.
func Pointer(path, member string, items ...int) string {
	path += "/" + pointerEscape.Replace(member)
	for _, i := range items {
		path += "/" + strconv.Itoa(i)
	}
	return path
}

// localise rewrites the references of a schema that name its parts by anchors, or by identifiers, to JSON pointers from its
// root. Others stay as they are.
func localise(root *Value) {
	if !bytes.Contains(root.source, []byte(`id"`)) && !bytes.Contains(root.source, []byte(`nchor"`)) {
		return // without "$id", "id", "$anchor" and "$dynamicAnchor" it names nothing
	}
	l := locations{}
	l.index(root, "", "#")
	if l[""] == "" || len(l) > 1 {
		l.rewrite(root, "")
	}
}

// locations are the places of the parts of a schema, by their identifiers.
type locations map[string]string

// identifier returns what a schema calls itself by a keyword; empty if nothing.
func (v *Value) identifier(keyword string) string {
	if id := v.Get(keyword); id.Is(String) {
		return id.Text
	}
	return ""
}

// base returns the identifier that those inside of v are relative to.
func base(v *Value, outer string) string {
	for _, keyword := range []string{"$id", "id"} {
		if id := v.identifier(keyword); id != "" && !strings.HasPrefix(id, "#") && !(keyword == "id" && v.Has("$id")) {
			return joined(outer, id)
		}
	}
	return outer
}

// joined returns a reference as seen from base, without an empty fragment.
func joined(base, ref string) string {
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

func (l locations) index(v *Value, outer, path string) {
	inner := base(v, outer)
	if inner != outer || path == "#" {
		l.add(inner, path)
	}
	for _, name := range []string{v.identifier("$anchor"), v.identifier("$dynamicAnchor")} {
		if name != "" {
			l.add(inner+"#"+name, path)
		}
	}
	for _, keyword := range []string{"$id", "id"} {
		if id := v.identifier(keyword); len(id) > 1 && id[0] == '#' && id[1] != '/' {
			l.add(inner+id, path)
		}
	}
	v.subschemas(path, func(sub *Value, where string) { l.index(sub, inner, where) })
}

// add keeps the first place of an identifier.
func (l locations) add(id, path string) {
	if _, ok := l[id]; !ok {
		l[id] = strings.ReplaceAll(path, "%", "%25")
	}
}

func (l locations) rewrite(v *Value, outer string) {
	inner := base(v, outer)
	if ref := v.identifier("$ref"); ref != "" {
		if found := l.find(joined(inner, ref)); found != "" {
			v.Set("$ref", NewString(found))
		}
	}
	v.subschemas("", func(sub *Value, _ string) { l.rewrite(sub, inner) })
}

// find returns the JSON pointer to what an absolute reference names; empty if it is not in the schema.
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

// subschemas calls do for what in v stands where a schema may: also below keywords that are not known.
func (v *Value) subschemas(path string, do func(sub *Value, path string)) {
	if !v.Is(Object) {
		return
	}
	for name, value := range v.All() {
		switch keywords[name].holds {
		case values:
		case schemasByName:
			for inner, sub := range value.All() {
				do(sub, Pointer(Pointer(path, name), inner))
			}
		default:
			if value.Is(Object) {
				do(value, Pointer(path, name))
			}
			for i, item := range value.List() {
				do(item, Pointer(path, name, i))
			}
		}
	}
}

// Moved returns a schema for use at another place, to which its references lead.
func (v *Value) Moved(to string) *Value {
	if !v.refers {
		return v
	}
	out := &Value{Kind: v.Kind}
	for _, item := range v.Items {
		out.Items = append(out.Items, item.Moved(to))
	}
	for name, value := range v.All() {
		if name == "$ref" && value.Is(String) && strings.HasPrefix(value.Text, "#") {
			value = NewString("#" + to + value.Text[1:])
		}
		out.Set(name, value.Moved(to))
	}
	return out
}
