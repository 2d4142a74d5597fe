package chat

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a piece of a JSON document and the place where it stands. Its text is known to be valid.
type value struct {
	path string
	raw  jsontext.Value
}

// member is a member of a JSON object.
type member struct {
	name string
	value
}

// document checks that data is one JSON value, of UTF-8 and without duplicate names, and returns a copy of it.
func document(data []byte) (value, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	raw, err := dec.ReadValue()
	if err != nil {
		return value{}, malformed(err)
	}
	raw = raw.Clone()
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		at := strconv.FormatInt(dec.InputOffset(), 10)
		return value{}, &RequestError{Message: "not JSON: byte " + at + ": more text after the end of the value"}
	}
	return value{raw: raw}, nil
}

// decoder reads v, whose syntax has been checked before.
func (v value) decoder() *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(v.raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func (v value) kind() jsontext.Kind { return v.raw.Kind() }

func (v value) isNull() bool { return v.kind() == 'n' }

// members lists the members of an object.
func (v value) members() ([]member, error) {
	if v.kind() != '{' {
		return nil, v.expected("an object")
	}
	var list []member
	dec := v.decoder()
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != '}' {
		var m member
		if m, err = v.member(dec); err == nil {
			list = append(list, m)
		}
	}
	if err != nil {
		return nil, malformed(err)
	}
	return list, nil
}

func (v value) member(dec *jsontext.Decoder) (member, error) {
	name, err := dec.ReadToken()
	if err != nil {
		return member{}, err
	}
	m := member{name: name.String()}
	m.path = memberPath(v.path, m.name)
	m.raw, err = readValue(dec)
	return m, err
}

// elements lists the elements of an array.
func (v value) elements() ([]value, error) {
	if v.kind() != '[' {
		return nil, v.expected("an array")
	}
	var list []value
	dec := v.decoder()
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != ']' {
		var raw jsontext.Value
		if raw, err = readValue(dec); err == nil {
			list = append(list, value{path: indexPath(v.path, len(list)), raw: raw})
		}
	}
	if err != nil {
		return nil, malformed(err)
	}
	return list, nil
}

// readValue reads the next value. Decoders over a bytes.Buffer do not copy, so what it returns is part of the document.
func readValue(dec *jsontext.Decoder) (jsontext.Value, error) {
	raw, err := dec.ReadValue()
	return raw[:len(raw):len(raw)], err
}

func (v value) text() (string, error) {
	if v.kind() != '"' {
		return "", v.expected("a string")
	}
	text, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(v.raw))
	if err != nil {
		return "", malformed(err)
	}
	return string(text), nil
}

func (v value) boolean() (bool, error) {
	switch v.kind() {
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return false, v.expected("true or false")
}

// field is v as a member that is kept as it came.
func (m member) field() Field { return Field{Name: m.name, Value: []byte(m.raw)} }

// fault is an error about v.
func (v value) fault(message string) *RequestError {
	return &RequestError{Path: v.path, Message: message}
}

// expected is the error for a value of the wrong kind or with the wrong text. What to do may follow as remedy.
func (v value) expected(what string, remedy ...string) *RequestError {
	message := "expected " + what + ", found " + v.found()
	return v.fault(strings.Join(append([]string{message}, remedy...), "; "))
}

// missing is the error for a member that v should have.
func (v value) missing(name, what string) *RequestError {
	return &RequestError{Path: memberPath(v.path, name), Message: "expected " + what + ", found nothing"}
}

// found names what v is: its kind, or its text when it is short.
func (v value) found() string {
	switch v.kind() {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		if len(v.raw) <= 40 {
			return string(v.raw)
		}
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	default:
		return "an array"
	}
}

// fields hands each member of the object v to the reader of its name, and those without a reader to rest. A null member
// counts as absent.
func (v value) fields(readers map[string]func(value) error, rest *[]Field) error {
	members, err := v.members()
	if err != nil {
		return err
	}
	for _, m := range members {
		read, known := readers[m.name]
		switch {
		case !known:
			*rest = append(*rest, m.field())
		case !m.isNull():
			if err := read(m.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// has says whether the object v has a member of one of the names, null or not.
func (v value) has(names ...string) bool {
	members, _ := v.members()
	return slices.ContainsFunc(members, func(m member) bool { return slices.Contains(names, m.name) })
}

// into makes a reader that stores what read returns.
func into[T any](target *T, read func(value) (T, error)) func(value) error {
	return func(v value) (err error) {
		*target, err = read(v)
		return err
	}
}

// each reads every element of an array.
func each[T any](read func(value) (T, error)) func(value) ([]T, error) {
	return func(v value) ([]T, error) {
		elements, err := v.elements()
		if err != nil {
			return nil, err
		}
		list := make([]T, 0, len(elements))
		for _, e := range elements {
			item, err := read(e)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return list, nil
	}
}

func indexPath(path string, index int) string {
	return path + "[" + strconv.Itoa(index) + "]"
}

// memberPath appends a member's name to a path, quoted where it would be misread.
func memberPath(path, name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, ".[]\" \t\n"):
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// PathTo is the path, as errors write it, to what a JSON pointer leads to from the value at path:
// PathTo("tools[0].function.parameters", "/properties/a") is "tools[0].function.parameters.properties.a".
func PathTo(path string, pointer jsontext.Pointer) string {
	for token := range pointer.Tokens() {
		if index, err := strconv.Atoi(token); err == nil {
			path = indexPath(path, index)
		} else {
			path = memberPath(path, token)
		}
	}
	return path
}
