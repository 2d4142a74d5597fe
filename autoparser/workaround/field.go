package workaround

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/dialect"
)

// field is a field of a dialect.
type field struct {
	path  string // as rules write it, such as tools.function.close
	index []int  // for package reflect
	typ   reflect.Type
}

// assignment is a field and the value to set it to.
type assignment struct {
	field field
	value reflect.Value
}

func (f field) in(d *dialect.Dialect) reflect.Value {
	return reflect.ValueOf(d).Elem().FieldByIndex(f.index)
}

// isText reports whether the field may be any string.
func (f field) isText() bool { return f.typ.Kind() == reflect.String && choices(f.typ) == nil }

// fields returns the fields that rules can set, in the order of the types.
func fields() []field {
	var out []field
	var visit func(t reflect.Type, path string, index []int)
	visit = func(t reflect.Type, path string, index []int) {
		for i := range t.NumField() {
			sf := t.Field(i)
			at := field{path + sf.Tag.Get("yaml"), append(slices.Clip(index), i), sf.Type}
			if sf.Type.Kind() == reflect.Struct {
				visit(sf.Type, at.path+".", at.index)
			} else {
				out = append(out, at)
			}
		}
	}
	visit(reflect.TypeFor[dialect.Dialect](), "", nil)
	return out
}

func fieldAt(path string) (field, bool) {
	all := fields()
	i := slices.IndexFunc(all, func(f field) bool { return f.path == path })
	if i < 0 {
		return field{}, false
	}
	return all[i], true
}

// below returns the names that may follow path: the fields of a struct, or the top-level fields if path is empty.
func below(path string) []string {
	var names []string
	for _, f := range fields() {
		if rest, ok := strings.CutPrefix(f.path, path); ok {
			if name, _, _ := strings.Cut(rest, "."); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// choices returns the values of an enumerated type; nil for other types.
func choices(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[dialect.ReasoningMode]():
		return texts(dialect.ReasoningNone, dialect.ReasoningTagBased, dialect.ReasoningToolsOnly)
	case reflect.TypeFor[dialect.ContentMode]():
		return texts(dialect.ContentPlain, dialect.ContentAlwaysWrapped, dialect.ContentWrappedWithReasoning)
	case reflect.TypeFor[dialect.ToolFormat]():
		return texts(dialect.ToolsNone, dialect.JSONNative, dialect.TagWithJSON, dialect.TagWithTagged)
	case reflect.TypeFor[dialect.CallIDPosition]():
		return texts(dialect.CallIDNone, dialect.CallIDBeforeName, dialect.CallIDBetweenNameAndArgs, dialect.CallIDAfterArgs)
	}
	return nil
}

func texts[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// show returns a value as YAML writes it on one line.
func show(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		if choices(v.Type()) != nil {
			return v.String()
		}
		return fmt.Sprintf("%q", v.String())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = show(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}
