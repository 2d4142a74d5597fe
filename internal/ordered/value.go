package ordered

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of JSON values. Absent is the kind of a nil *Value.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"}

// String returns the kind as messages name it: "an object".
func (k Kind) String() string { return kindNames[k] }

func kindOf(k jsontext.Kind) Kind {
	switch k {
	case 't', 'f':
		return Bool
	case '0':
		return Number
	case '"':
		return String
	case '[':
		return Array
	case '{':
		return Object
	}
	return Null
}

// Value is a JSON value in the tree that Parse returns. All methods work on a nil *Value, which stands for an absent one.
type Value struct {
	kind  Kind
	raw   []byte
	items []*Value // of an array, or the values of an object's members
	names []string // of an object's members
	up    *Value   // the array or object around this value; nil at the top
	place int      // among the items of up
}

// Parse reads data, which is one JSON value in UTF-8 without duplicate names. Errors are of type *fault.Error.
func Parse(data []byte) (*Value, error) { return ParseWith(data, Options{}) }

// ParseWith is Parse with options. The tree does not refer to data, which may change later.
func ParseWith(data []byte, o Options) (*Value, error) {
	return Build(slices.Clone(data), o, &tree{})
}

// tree builds Values.
type tree struct{ free []Value }

// add returns a new value. Values are allocated in blocks, small texts in one of a matching size.
func (t *tree) add(v Value) *Value {
	const least, most = 8, 256
	if len(t.free) == cap(t.free) {
		t.free = make([]Value, 0, min(max(least, 2*cap(t.free)), most))
	}
	t.free = append(t.free, v)
	return &t.free[len(t.free)-1]
}

func (t *tree) Scalar(kind Kind, raw []byte) *Value { return t.add(Value{kind: kind, raw: raw}) }

func (t *tree) Array(raw []byte, items []*Value) *Value {
	return t.container(Value{kind: Array, raw: raw, items: items})
}

func (t *tree) Object(raw []byte, names []string, values []*Value) *Value {
	return t.container(Value{kind: Object, raw: raw, names: names, items: values})
}

func (t *tree) container(c Value) *Value {
	v := t.add(c)
	for i, item := range v.items {
		item.up, item.place = v, i
	}
	return v
}

// Kind returns the kind of v.
func (v *Value) Kind() Kind {
	if v == nil {
		return Absent
	}
	return v.kind
}

// Raw returns the text of v as it came, without white space around it. It must not be changed.
func (v *Value) Raw() []byte {
	if v == nil {
		return nil
	}
	return v.raw
}

// Text returns the decoded text of a string, and "" for anything else.
func (v *Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return Unquote(v.raw)
}

// IsTrue reports whether v is true.
func (v *Value) IsTrue() bool { return v.Kind() == Bool && v.raw[0] == 't' }

// Items returns the items of an array. It must not be changed.
func (v *Value) Items() []*Value {
	if v.Kind() != Array {
		return nil
	}
	return v.items
}

// Members iterates over the members of an object in order.
func (v *Value) Members() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		for i, name := range v.Names() {
			if !yield(name, v.items[i]) {
				return
			}
		}
	}
}

// Names returns the names of an object's members in order. It must not be changed.
func (v *Value) Names() []string {
	if v == nil {
		return nil
	}
	return v.names
}

// Len returns the number of an array's items or an object's members.
func (v *Value) Len() int {
	if v == nil {
		return 0
	}
	return len(v.items)
}

// Get returns the member of an object with that name, or nil.
func (v *Value) Get(name string) *Value {
	if i := slices.Index(v.Names(), name); i >= 0 {
		return v.items[i]
	}
	return nil
}

// Path returns the place of v in the whole text: messages[0].content.
func (v *Value) Path() string { return string(v.appendPath(nil)) }

func (v *Value) appendPath(path []byte) []byte {
	if v == nil || v.up == nil {
		return path
	}
	path = v.up.appendPath(path)
	if v.up.kind == Array {
		return appendIndex(path, v.place)
	}
	return appendMember(path, v.up.names[v.place])
}

// Fault returns an error about v.
func (v *Value) Fault(message string) *fault.Error { return fault.Invalid(v.Path(), message) }

// Expected returns the error for a value of the wrong kind or with the wrong text. A remedy may follow.
func (v *Value) Expected(what string, remedy ...string) *fault.Error {
	message := "expected " + what + ", found " + v.found()
	return v.Fault(strings.Join(append([]string{message}, remedy...), "; "))
}

// Missing returns the error for a member that the object v should have.
func (v *Value) Missing(name, what string) *fault.Error {
	return fault.Invalid(MemberPath(v.Path(), name), "expected "+what+", found nothing")
}

// found describes v in messages: a short string as it is, anything else by its kind.
func (v *Value) found() string {
	const short = 40
	if v.Kind() == String && len(v.raw) <= short {
		return string(v.raw)
	}
	return v.Kind().String()
}
