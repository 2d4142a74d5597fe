// Package gguf reads the metadata in the headers of GGUF files, and nothing of their tensors. It is the only reader of that format: package model
// reads templates with it, and package tokenizer vocabularies.
package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
)

// MaxHeader bounds what is read of a file; headers are far smaller.
const MaxHeader = 64 << 20

// Read reads the header of the file at path; see Parse.
func Read(path string, read func(r *Reader, key string, kind Kind)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = Parse(file, info.Size(), read)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Parse reads the header of a file of so many bytes. It calls read for each key, which must read or skip the value.
func Parse(file io.Reader, size int64, read func(r *Reader, key string, kind Kind)) error {
	r := &Reader{in: bufio.NewReaderSize(file, 1<<16), end: min(size, MaxHeader), larger: size > MaxHeader, order: binary.LittleEndian, width: 8}
	for range r.start() {
		if r.err != nil {
			break
		}
		key := r.Text("a key")
		if kind := r.kind(); r.err == nil {
			read(r, key, kind)
		}
	}
	return r.err
}

// Kind is the type of a value, as the file numbers it.
type Kind uint32

// The types that readers ask for.
const (
	Float32 Kind = 6
	Bool    Kind = 7
	String  Kind = 8
	Array   Kind = 9
)

// kinds describes the types; a size of 0 stands for strings and arrays, which begin with their length.
var kinds = [...]struct {
	name            string
	size            uint64
	integer, signed bool
}{
	{"uint8", 1, true, false}, {"int8", 1, true, true}, {"uint16", 2, true, false}, {"int16", 2, true, true},
	{"uint32", 4, true, false}, {"int32", 4, true, true}, {"float32", 4, false, false}, {"bool", 1, false, false},
	{"string", 0, false, false}, {"array", 0, false, false},
	{"uint64", 8, true, false}, {"int64", 8, true, true}, {"float64", 8, false, false},
}

// maxNesting bounds arrays within arrays; writers make none.
const maxNesting = 4

// Reader reads a header value by value. After an error, which it keeps, everything reads as zero and empty.
type Reader struct {
	in     *bufio.Reader
	at     int64 // how many bytes are read
	end    int64 // where the file, or what is read of it, ends
	larger bool  // whether the file goes on there
	order  binary.ByteOrder
	width  uint64 // the bytes of a length
	err    error
}

// start reads everything before the first key, and returns the number of keys.
func (r *Reader) start() (pairs uint64) {
	var magic [4]byte
	if r.advance("the magic number", 4) {
		_, r.err = io.ReadFull(r.in, magic[:])
	}
	if r.err == nil && string(magic[:]) != "GGUF" {
		r.Fail("not a GGUF file: expected it to begin with %q, found %q", "GGUF", magic[:])
	}
	version := r.number("the version", 4)
	if version&0xFFFF == 0 && version != 0 { // written by a big-endian machine
		r.order, version = binary.BigEndian, version>>24|version>>8&0xFF00
	}
	if version == 1 {
		r.width = 4
	}
	if r.err == nil && (version < 1 || version > 3) {
		r.Fail("GGUF version %d: expected 1 to 3", version)
	}
	r.number("the number of tensors", r.width)
	return r.number("the number of keys", r.width)
}

// Fail keeps the first error, with its place.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d: %s", r.at, fmt.Sprintf(format, args...))
	}
}

// advance counts n bytes as read, and reports whether they are there.
func (r *Reader) advance(what string, n uint64) bool {
	switch left := uint64(r.end - r.at); {
	case r.err != nil:
	case n <= left:
		r.at += int64(n)
	case r.larger:
		r.Fail("%s: the header is longer than %d bytes", what, r.end)
	default:
		r.Fail("%s: expected %d bytes, found %d before the end of the file; is it complete?", what, n, left)
	}
	return r.err == nil
}

// number reads an unsigned integer of 1, 2, 4 or 8 bytes.
func (r *Reader) number(what string, size uint64) uint64 {
	var b [8]byte
	if !r.advance(what, size) {
		return 0
	}
	_, r.err = io.ReadFull(r.in, b[:size])
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(r.order.Uint16(b[:]))
	case 4:
		return uint64(r.order.Uint32(b[:]))
	}
	return r.order.Uint64(b[:])
}

// Text reads a string.
func (r *Reader) Text(what string) string {
	n := r.number(what, r.width)
	if !r.advance(what, n) {
		return ""
	}
	b := make([]byte, n)
	_, r.err = io.ReadFull(r.in, b)
	return string(b)
}

// kind reads the type of a value.
func (r *Reader) kind() Kind {
	kind := r.number("the type of a value", 4)
	if kind >= uint64(len(kinds)) {
		r.Fail("type %d of a value: expected 0 to %d", kind, len(kinds)-1)
		return 0
	}
	return Kind(kind)
}

// Expect reports whether a value has the type wanted, and fails otherwise.
func (r *Reader) Expect(key string, kind, want Kind, name string) bool {
	if kind != want {
		r.Fail("%s: expected %s, found %s", key, name, kinds[kind].name)
	}
	return r.err == nil
}

// Integer reads an integer of any size. One over the range of int64 becomes negative, which no id or type is.
func (r *Reader) Integer(key string, kind Kind) int64 {
	k := kinds[kind]
	if !k.integer {
		r.Fail("%s: expected an integer, found %s", key, k.name)
		return -1
	}
	n := r.number(key, k.size)
	if k.signed {
		unused := 64 - 8*k.size
		return int64(n<<unused) >> unused
	}
	return int64(n)
}

// Float reads a number of 32 bits with a fraction.
func (r *Reader) Float(key string, kind Kind) float32 {
	if !r.Expect(key, kind, Float32, "a number of type float32") {
		return 0
	}
	return math.Float32frombits(uint32(r.number(key, kinds[Float32].size)))
}

// Bool reads a truth value.
func (r *Reader) Bool(key string, kind Kind) bool {
	return r.Expect(key, kind, Bool, "a truth value") && r.number(key, kinds[Bool].size) != 0
}

// Each calls read for the elements of an array, until it returns false.
func (r *Reader) Each(key string, kind Kind, read func(Kind) bool) {
	if !r.Expect(key, kind, Array, "an array") {
		return
	}
	element := r.kind()
	for n := r.number(key, r.width); n > 0 && r.err == nil && read(element); n-- {
	}
}

// Skip skips a value.
func (r *Reader) Skip(key string, kind Kind) { r.skip(key, kind, 0) }

func (r *Reader) skip(key string, kind Kind, depth int) {
	n := kinds[kind].size
	switch {
	case kind == String:
		n = r.number(key, r.width)
	case kind == Array && depth == maxNesting:
		r.Fail("%s: arrays nested deeper than %d", key, maxNesting)
	case kind == Array:
		r.Each(key, kind, func(element Kind) bool {
			r.skip(key, element, depth+1)
			return true
		})
		return
	}
	if r.advance(key, n) {
		_, r.err = r.in.Discard(int(n))
	}
}
