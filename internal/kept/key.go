// Package kept keeps what is expensive to make under keys that tell apart everything that it is made of.
//
// A key is a digest of values, all of their fields included, so that two that differ in anything never share what was made of
// one of them, and nobody has to remember a field that is added. A cache is bounded, and keeps what was used last.
package kept

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"reflect"
)

// Key tells values apart: those with equal keys are equal.
type Key [sha256.Size]byte

// KeyOf is the key of values: of booleans, numbers, texts, and structs, slices and pointers of them, fields that are not
// exported among them. Nil is not the same as empty. Values of other kinds, such as maps, are a fault of the program, and it panics.
func KeyOf(values ...any) Key {
	w := NewWriter()
	for _, v := range values {
		w.value(reflect.ValueOf(v))
	}
	return w.Key()
}

// Writer makes a key of what is written to it, for values that are too many to be looked at by KeyOf. What is written says its
// own length, so that only the same calls in the same order make the same key.
type Writer struct {
	sum  hash.Hash
	rest []byte // not in sum yet
}

// restBytes is how much is collected before it is added to the sum.
const restBytes = 1024

// NewWriter returns a writer to which nothing was written.
func NewWriter() *Writer { return &Writer{sha256.New(), make([]byte, 0, restBytes)} }

// Key is the key of what was written. The writer must not be used afterwards.
func (w *Writer) Key() (k Key) {
	w.flush()
	w.sum.Sum(k[:0])
	return k
}

// Number writes a number.
func (w *Writer) Number(n int64) {
	if len(w.rest)+binary.MaxVarintLen64 > restBytes {
		w.flush()
	}
	w.rest = binary.AppendVarint(w.rest, n)
}

// Truth writes a truth value.
func (w *Writer) Truth(t bool) {
	if t {
		w.Number(1)
	} else {
		w.Number(0)
	}
}

// Text writes a text.
func (w *Writer) Text(s string) { write(w, s) }

// Bytes writes bytes.
func (w *Writer) Bytes(b []byte) { write(w, b) }

func write[T string | []byte](w *Writer, text T) {
	w.Number(int64(len(text)))
	for len(text) > 0 {
		if len(w.rest) == restBytes {
			w.flush()
		}
		n := min(len(text), restBytes-len(w.rest))
		w.rest = append(w.rest, text[:n]...)
		text = text[n:]
	}
}

func (w *Writer) flush() {
	w.sum.Write(w.rest) // a hash never fails
	w.rest = w.rest[:0]
}

func (w *Writer) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		w.Truth(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.Number(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.Number(int64(v.Uint()))
	case reflect.String:
		w.Text(v.String())
	case reflect.Struct:
		for i := range v.NumField() {
			w.value(v.Field(i))
		}
	case reflect.Pointer:
		w.Truth(v.IsNil())
		if !v.IsNil() {
			w.value(v.Elem())
		}
	case reflect.Slice:
		w.slice(v)
	default:
		panic(fmt.Sprintf("kept: no key can be made of a %s", v.Type()))
	}
}

func (w *Writer) slice(v reflect.Value) {
	w.Truth(v.IsNil())
	if v.Type().Elem().Kind() == reflect.Uint8 {
		w.Bytes(v.Bytes())
		return
	}
	w.Number(int64(v.Len()))
	for i := range v.Len() {
		w.value(v.Index(i))
	}
}
