package chat

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/internal/ordered"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// value is a part of a JSON document, whose errors are the client's. It knows the place where it stands.
type value struct{ *ordered.Value }

// document reads data, one JSON value of UTF-8 without duplicate names, of which it keeps a copy.
func document(data []byte) (value, error) {
	v, err := ordered.Parse(data)
	return value{v}, err
}

func (v value) isNull() bool { return v.Kind() == ordered.Null }

func (v value) get(name string) value { return value{v.Get(name)} }

func (v value) text() (string, error) {
	if v.Kind() != ordered.String {
		return "", v.expected("a string")
	}
	return v.Text(), nil
}

func (v value) boolean() (bool, error) {
	if v.Kind() != ordered.Bool {
		return false, v.expected("true or false")
	}
	return v.IsTrue(), nil
}

// fault returns an error about v.
func (v value) fault(message string) error { return v.Fault(message) }

// expected returns the error for a value of the wrong kind or with the wrong text. What to do may follow as remedy.
func (v value) expected(what string, remedy ...string) error {
	return v.Expected(what, remedy...)
}

// missing returns the error for a member that v should have; the last of path is its name.
func (v value) missing(what string, path ...string) error {
	at := v.Path()
	for _, name := range path {
		at = memberPath(at, name)
	}
	return fault.Invalid(at, "expected "+what+", found nothing")
}

// fields passes each member of the object v to the reader of its name, and those without a reader to rest. A null member
// counts as absent.
func (v value) fields(readers map[string]func(value) error, rest *[]Field) error {
	if v.Kind() != ordered.Object {
		return v.expected("an object")
	}
	for name, m := range v.Members() {
		read, known := readers[name]
		switch {
		case !known:
			*rest = append(*rest, Field{Name: name, Value: m.Raw()})
		case m.Kind() != ordered.Null:
			if err := read(value{m}); err != nil {
				return err
			}
		}
	}
	return nil
}

// has reports whether the object v has a member of one of the names, null or not.
func (v value) has(names ...string) bool {
	for _, name := range names {
		if v.Get(name) != nil {
			return true
		}
	}
	return false
}

// compact returns the text of v without white space between its tokens.
func (v value) compact() string {
	raw := jsontext.Value(v.Raw()).Clone()
	// Formatting fails on invalid JSON only, and v has been checked.
	_ = raw.Compact()
	return string(raw)
}

// into makes a reader that stores what read returns.
func into[T any](target *T, read func(value) (T, error)) func(value) error {
	return func(v value) (err error) {
		*target, err = read(v)
		return err
	}
}

// each reads every item of an array.
func each[T any](read func(value) (T, error)) func(value) ([]T, error) {
	return func(v value) ([]T, error) {
		if v.Kind() != ordered.Array {
			return nil, v.expected("an array")
		}
		list := make([]T, 0, v.Len())
		for _, item := range v.Items() {
			read, err := read(value{item})
			if err != nil {
				return nil, err
			}
			list = append(list, read)
		}
		return list, nil
	}
}

func indexPath(path string, index int) string { return ordered.IndexPath(path, index) }

func memberPath(path, name string) string { return ordered.MemberPath(path, name) }

// PathTo returns the path, as errors write it, of what a JSON pointer leads to from the value at path, which may begin with #:
// PathTo("tools[0].function.parameters", "#/properties/a") is "tools[0].function.parameters.properties.a".
func PathTo(path, pointer string) string {
	return ordered.PointerPath(path, jsontext.Pointer(strings.TrimPrefix(pointer, "#")))
}
