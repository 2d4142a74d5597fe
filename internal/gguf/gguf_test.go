package gguf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// header returns the bytes of values in little-endian order; lengths are ints.
func header(values ...any) []byte {
	b := bytes.NewBufferString("GGUF")
	for _, v := range values {
		switch v := v.(type) {
		case string:
			_ = binary.Write(b, binary.LittleEndian, uint64(len(v)))
			b.WriteString(v)
		case int:
			_ = binary.Write(b, binary.LittleEndian, uint64(v))
		default:
			_ = binary.Write(b, binary.LittleEndian, v)
		}
	}
	return b.Bytes()
}

// everything reads each value by the name of its key, and notes it.
func everything(data []byte, size int64) (found []string, err error) {
	note := func(v any) { found = append(found, fmt.Sprint(v)) }
	err = Parse(bytes.NewReader(data), size, func(r *Reader, key string, kind Kind) {
		switch key {
		case "text":
			if r.Expect(key, kind, String, "a string") {
				note(r.Text(key))
			}
		case "integer":
			note(r.Integer(key, kind))
		case "float":
			note(r.Float(key, kind))
		case "bool":
			note(r.Bool(key, kind))
		case "first": // of an array, whose rest is skipped
			first := true
			r.Each(key, kind, func(kind Kind) bool {
				if first {
					note(r.Integer(key, kind))
				} else {
					r.Skip(key, kind)
				}
				first = false
				return true
			})
		default:
			r.Skip(key, kind)
		}
	})
	return found, err
}

var small = header(uint32(3), 0, 9,
	"text", uint32(8), "a\x00é",
	"integer", uint32(1), int8(-2),
	"integer", uint32(2), uint16(65535),
	"integer", uint32(10), uint64(1<<63),
	"x", uint32(9), uint32(9), 2, uint32(8), 2, "a", "b", uint32(12), 1, float64(1),
	"float", uint32(6), float32(0.5),
	"bool", uint32(7), uint8(2),
	"first", uint32(9), uint32(5), 3, int32(-7), int32(8), int32(9),
	"first", uint32(9), uint32(4), 0,
)

func TestValuesAreReadAtEveryLengthOfTheFile(t *testing.T) {
	want := []string{"a\x00é", "-2", "65535", "-9223372036854775808", "0.5", "true", "-7"}
	got, err := everything(small, int64(len(small)))
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := everything(append(bytes.Clone(small), "tensors"...), int64(len(small)+7)); err != nil {
		t.Error(err)
	}
	for end := range small {
		if _, err := everything(small[:end], int64(end)); err == nil || !strings.Contains(err.Error(), "is it complete?") {
			t.Errorf("cut off at byte %d: %v", end, err)
		}
		// The file became shorter after its size was asked for.
		if _, err := everything(small[:end], int64(len(small))); err == nil {
			t.Errorf("shortened to %d bytes: no error", end)
		}
	}
}

func TestHostileHeadersAreRefused(t *testing.T) {
	const huge = -1 // as a length: all bits
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "byte 0: the magic number: expected 4 bytes, found 0"},
		{header(uint32(0)), "byte 8: GGUF version 0: expected 1 to 3"},
		{header(uint32(4), 0, 0), "GGUF version 4"},
		{header(uint32(3), 0, huge), "a key: expected 8 bytes, found 0"},
		{header(uint32(3), 0, 1, huge), "a key: expected 18446744073709551615 bytes, found 0"},
		{header(uint32(3), 0, 1, "text", uint32(8), huge), "text: expected 18446744073709551615 bytes"},
		{header(uint32(3), 0, 1, "text", uint32(8), 1<<62), "text: expected 4611686018427387904 bytes"},
		{header(uint32(3), 0, 1, "text", uint32(9)), "text: expected a string, found array"},
		{header(uint32(3), 0, 1, "bool", uint32(8)), "bool: expected a truth value, found string"},
		{header(uint32(3), 0, 1, "float", uint32(12)), "float: expected a number of type float32, found float64"},
		{header(uint32(3), 0, 1, "integer", uint32(6)), "integer: expected an integer, found float32"},
		{header(uint32(3), 0, 1, "first", uint32(5)), "first: expected an array, found int32"},
		{header(uint32(3), 0, 1, "x", uint32(13)), "type 13 of a value: expected 0 to 12"},
		{header(uint32(3), 0, 1, "x", uint32(9), uint32(77), 1), "type 77 of a value"},
		{header(uint32(3), 0, 1, "x", uint32(9), uint32(12), huge), "x: expected 8 bytes, found 0"},
		{header(uint32(3), 0, 1, "x", uint32(9), uint32(9), 1, uint32(9), 1, uint32(9), 1, uint32(9), 1, uint32(9), 1), "x: arrays nested deeper than 4"},
		{header(uint32(3), 0, 1, "x", uint32(9), uint32(9), huge, uint32(8), 0, uint32(8), 0), "x: expected 4 bytes"},
	} {
		_, err := everything(c.data, int64(len(c.data)))
		if err == nil && c.want != "" || err != nil && !strings.Contains(strings.ReplaceAll(err.Error(), "the type of a value", "x"), c.want) {
			t.Errorf("%q: %v, want %s", c.data, err, c.want)
		}
	}
}

// TestNoMoreIsReadThanTheHeader holds for a file that promises more than it has, and for one that is larger than headers are.
func TestNoMoreIsReadThanTheHeader(t *testing.T) {
	data := header(uint32(3), 0, 1, "text", uint32(8), MaxHeader)
	if _, err := everything(data, 1<<40); err == nil || !strings.Contains(err.Error(), "the header is longer than 67108864 bytes") {
		t.Error(err)
	}
}

// FuzzParse reads hostile headers. What is allocated is bounded by the size of the file.
func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add(header(uint32(3), 0, 1, "text", uint32(8), 1<<40))
	f.Add(append([]byte("GGUF\x00\x00\x00\x03"), make([]byte, 40)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, err := everything(data, int64(len(data)))
		runtime.ReadMemStats(&after)
		if size := len(strings.Join(found, "")); err == nil && size > 24*len(data) {
			t.Errorf("%d bytes were read from %d", size, len(data))
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20+64*uint64(len(data)) {
			t.Errorf("%d bytes allocated for %d", grown, len(data))
		}
	})
}
