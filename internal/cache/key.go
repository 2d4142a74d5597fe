// Package cache holds values that are expensive to build, under keys that cover everything they are built from.
//
// A Key is a digest of values with all of their fields, so that two inputs that differ in anything never share a result, and a
// field that is added later is covered without further work. A Cache is bounded in bytes, evicts the least recently used
// values, and builds each value once however many callers ask for it at the same time. Because keys are complete, nothing has to
// be invalidated: what is no longer asked for is evicted in time.
//
//	key := cache.KeyOf(&input)
//	v, err := c.Get(key, func() (V, int, error) { … })
//
// What is built from a part of a request should be built from a Clone of that part, or it keeps the whole request alive.
package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"reflect"
)

// Key identifies values: those with equal keys are equal.
type Key [sha256.Size]byte

// KeyOf returns the key of values: booleans, numbers, strings, and structs, slices and pointers of them, including unexported
// fields. Nil differs from empty. It panics for values of other kinds, such as maps.
func KeyOf(values ...any) Key {
	w := NewWriter()
	for _, v := range values {
		w.value(reflect.ValueOf(v))
	}
	return w.Key()
}

// Writer computes a key of what is written to it, for values that are too large for the reflection of KeyOf. Values are written
// with their lengths, so that only the same calls in the same order yield the same key.
type Writer struct {
	sum  hash.Hash
	rest []byte // not yet in sum
}

// restBytes is how much a Writer collects before it updates the hash.
const restBytes = 1024

// NewWriter returns an empty Writer.
func NewWriter() *Writer { return &Writer{sha256.New(), make([]byte, 0, restBytes)} }

// Key returns the key of what was written. The writer must not be used afterwards.
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

// Bool writes a boolean.
func (w *Writer) Bool(b bool) {
	if b {
		w.Number(1)
	} else {
		w.Number(0)
	}
}

// Text writes a string.
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
		w.Bool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.Number(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		w.Number(int64(v.Uint()))
	case reflect.String:
		w.Text(v.String())
	case reflect.Struct:
		for _, i := range fieldsOf(v.Type()) {
			w.value(v.Field(i))
		}
	case reflect.Pointer:
		w.Bool(v.IsNil())
		if !v.IsNil() {
			w.value(v.Elem())
		}
	case reflect.Slice:
		w.slice(v)
	default:
		panic(fmt.Sprintf("cache: no key for a value of type %s", v.Type()))
	}
}

func (w *Writer) slice(v reflect.Value) {
	w.Bool(v.IsNil())
	if v.Type().Elem().Kind() == reflect.Uint8 {
		w.Bytes(v.Bytes())
		return
	}
	w.Number(int64(v.Len()))
	for i := range v.Len() {
		w.value(v.Index(i))
	}
}
