package ordered

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// Options select the JSON to accept. The zero value accepts what RFC 8259 calls interoperable: UTF-8, and no object with
// two members of one name.
type Options struct {
	// Tolerant accepts members of the same name and invalid UTF-8. The last member of a name counts, in the place of the
	// first; bytes that are not UTF-8 and halves of surrogate pairs become U+FFFD.
	Tolerant bool
	// MaxDepth limits how many arrays and objects may be within each other; 0 means 10000, the limit of the JSON package.
	MaxDepth int
}

// Builder builds the values of a type while a text is read. The names, items and values passed to it become its own; raw
// is the text of the value without white space around it, and a part of the data that is read.
type Builder[V any] interface {
	// Scalar builds null, a boolean, a number or a string.
	Scalar(kind Kind, raw []byte) V
	// Array builds an array of items that were built before.
	Array(raw []byte, items []V) V
	// Object builds an object of members that were built before, each name once.
	Object(raw []byte, names []string, values []V) V
}

// Build reads data, which is one JSON value, and returns what b builds from it. Errors are of type *fault.Error.
func Build[V any](data []byte, o Options, b Builder[V]) (V, error) {
	// Decoders read a buffer in place, and copy from any other reader.
	r := reader[V]{
		data:    data,
		dec:     jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(o.Tolerant), jsontext.AllowInvalidUTF8(o.Tolerant)),
		options: o,
		builder: b,
	}
	v, err := r.value(0)
	if err == nil {
		err = r.end()
	}
	if err != nil {
		var none V
		return none, syntaxError(err)
	}
	return v, nil
}

// reader reads one text. The values and names of all containers that are still open are on two stacks, so that each
// container gets slices of its exact size.
type reader[V any] struct {
	data    []byte
	dec     *jsontext.Decoder
	options Options
	builder Builder[V]
	values  []V
	names   []string
}

func (r *reader[V]) value(depth int) (V, error) {
	switch kind := r.dec.PeekKind(); kind {
	case '[', '{':
		if depth++; r.options.MaxDepth > 0 && depth > r.options.MaxDepth {
			var none V
			return none, fault.Invalid("", fmt.Sprintf("byte %d: nested more than %d levels deep", r.dec.InputOffset(), r.options.MaxDepth))
		}
		if kind == '[' {
			return r.array(depth)
		}
		return r.object(depth)
	default:
		raw, err := r.dec.ReadValue()
		if err != nil {
			var none V
			return none, err
		}
		return r.builder.Scalar(kindOf(kind), raw[:len(raw):len(raw)]), nil
	}
}

func (r *reader[V]) array(depth int) (v V, err error) {
	start, err := r.open()
	if err != nil {
		return v, err
	}
	first := len(r.values)
	for r.dec.PeekKind() != ']' {
		item, err := r.value(depth)
		if err != nil {
			return v, err
		}
		r.values = append(r.values, item)
	}
	raw, err := r.close(start)
	if err != nil {
		return v, err
	}
	return r.builder.Array(raw, popped(&r.values, first)), nil
}

func (r *reader[V]) object(depth int) (v V, err error) {
	start, err := r.open()
	if err != nil {
		return v, err
	}
	first, firstName := len(r.values), len(r.names)
	var places map[string]int // of the names, once there are many
	for r.dec.PeekKind() != '}' {
		token, err := r.dec.ReadToken()
		if err != nil {
			return v, err
		}
		name := token.String()
		value, err := r.value(depth)
		if err != nil {
			return v, err
		}
		if r.options.Tolerant {
			if place := r.placeOf(name, firstName, &places); place >= 0 {
				r.values[first+place] = value
				continue
			}
		}
		r.names, r.values = append(r.names, name), append(r.values, value)
	}
	raw, err := r.close(start)
	if err != nil {
		return v, err
	}
	return r.builder.Object(raw, popped(&r.names, firstName), popped(&r.values, first)), nil
}

// fewNames is the number of members up to which they are compared one by one.
const fewNames = 16

// placeOf returns the place of a name among the members of the current object, which begin at first, or -1.
func (r *reader[V]) placeOf(name string, first int, places *map[string]int) int {
	names := r.names[first:]
	if len(names) <= fewNames {
		for i, n := range names {
			if n == name {
				return i
			}
		}
		return -1
	}
	if *places == nil {
		*places = make(map[string]int, 2*len(names))
		for i, n := range names {
			(*places)[n] = i
		}
	}
	if i, ok := (*places)[name]; ok {
		return i
	}
	(*places)[name] = len(names)
	return -1
}

// open reads the bracket that begins a container and returns where it stands.
func (r *reader[V]) open() (start int64, err error) {
	_, err = r.dec.ReadToken()
	return r.dec.InputOffset() - 1, err
}

// close reads the bracket that ends a container and returns the container's text.
func (r *reader[V]) close(start int64) (raw []byte, err error) {
	if _, err = r.dec.ReadToken(); err != nil {
		return nil, err
	}
	end := r.dec.InputOffset()
	return r.data[start:end:end], nil
}

// end checks that nothing follows the value.
func (r *reader[V]) end() error {
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return fault.Invalid("", fmt.Sprintf("not JSON: byte %d: more text after the end of the value", r.dec.InputOffset()))
	}
	return nil
}

// popped returns a copy of what is on a stack from first on, and removes it there.
func popped[T any](stack *[]T, first int) []T {
	top := (*stack)[first:]
	if len(top) == 0 {
		return nil
	}
	out := make([]T, len(top))
	copy(out, top)
	clear(top)
	*stack = (*stack)[:first]
	return out
}

// Unquote returns the text of a valid JSON string. Invalid UTF-8 becomes U+FFFD.
func Unquote(raw []byte) string {
	if inner := raw[1 : len(raw)-1]; isPlain(inner) {
		return string(inner)
	}
	text, _ := jsontext.AppendUnquote(nil, raw) // an error reports the replaced bytes
	return string(text)
}

// isPlain reports whether the text between quotes stands for itself: ASCII without escapes.
func isPlain(inner []byte) bool {
	for _, c := range inner {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}
