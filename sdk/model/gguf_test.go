package model

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
)

// ggufWriter writes headers in every byte order and version.
type ggufWriter struct {
	order   binary.ByteOrder
	version uint32
	pairs   bytes.Buffer
	count   int
}

func (w *ggufWriter) put(values ...any) {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			w.length(&w.pairs, len(v))
			w.pairs.WriteString(v)
		case int: // a length
			w.length(&w.pairs, v)
		default:
			_ = binary.Write(&w.pairs, w.order, v)
		}
	}
}

func (w *ggufWriter) length(to *bytes.Buffer, n int) {
	if w.version == 1 {
		_ = binary.Write(to, w.order, uint32(n))
	} else {
		_ = binary.Write(to, w.order, uint64(n))
	}
}

// pair writes a key and its value, of a type with this number.
func (w *ggufWriter) pair(key string, kind uint32, value ...any) {
	w.count++
	w.put(key, kind)
	w.put(value...)
}

func (w *ggufWriter) file() []byte {
	head := bytes.NewBufferString("GGUF")
	_ = binary.Write(head, w.order, w.version)
	w.length(head, 7)
	w.length(head, w.count)
	return append(head.Bytes(), w.pairs.Bytes()...)
}

// smallGGUF returns a file with a value of every type around those that are read.
func smallGGUF(order binary.ByteOrder, version uint32) []byte {
	w := &ggufWriter{order: order, version: version}
	w.pair("a", 0, uint8(1))
	w.pair("b", 1, int8(-1))
	w.pair("c", 2, uint16(1))
	w.pair("d", 3, int16(-1))
	w.pair(keyTypes, 9, uint32(5), 3, int32(1), int32(3), int32(3))
	w.pair("e", 6, float32(1))
	w.pair("f", 7, uint8(1))
	w.pair(keyTokens, 9, uint32(8), 3, "a", "<s>", "</s>")
	w.pair("g", 8, "text")
	w.pair("h", 9, uint32(9), 2, uint32(8), 1, "x", uint32(0), 2, uint8(1), uint8(2))
	w.pair(keyBOS, 10, uint64(1))
	w.pair(keyEOS, 3, int16(2))
	w.pair("i", 11, int64(-1))
	w.pair("j", 12, float64(1))
	w.pair("tokenizer.chat_templates", 9, uint32(8), 1, "tool_use")
	w.pair("tokenizer.chat_template.tool_use", 8, "T")
	w.pair(keyTemplate, 8, "D")
	return w.file()
}

func TestEveryVersionOfGGUFIsRead(t *testing.T) {
	want := &ggufMetadata{
		templates: []Variant{{Name: "tool_use", Source: "T"}, {Source: "D"}},
		tokens:    []string{"a", "<s>", "</s>"}, types: []int64{1, 3, 3}, bos: 1, eos: 2,
	}
	for _, version := range []uint32{1, 2, 3} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			data := smallGGUF(order, version)
			got, err := parseGGUF(bytes.NewReader(data), int64(len(data)))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("version %d, %v: %+v, %v", version, order, got, err)
			}
			for end := range data {
				if _, err := parseGGUF(bytes.NewReader(data[:end]), int64(end)); err == nil || !strings.Contains(err.Error(), "before the end of the file; is it complete?") {
					t.Errorf("version %d, %v, cut off at byte %d: %v", version, order, end, err)
				}
			}
		}
	}
}

func TestAHeaderThatIsTooLongIsRefused(t *testing.T) {
	w := &ggufWriter{order: binary.LittleEndian, version: 3}
	w.pair("x", 9, uint32(10), maxFile)
	data := w.file()
	_, err := parseGGUF(bytes.NewReader(append(data, make([]byte, maxFile)...)), 8*maxFile)
	if err == nil || !strings.HasSuffix(err.Error(), "x: the header is longer than 67108864 bytes") {
		t.Error(err)
	}
}

func TestUnknownIdsHaveNoToken(t *testing.T) {
	g := &ggufMetadata{tokens: []string{"a"}}
	for id, want := range map[int64]string{-1: "", 0: "a", 1: "", 1 << 40: ""} {
		if got := g.token(id); got != want {
			t.Errorf("token %d is %q, want %q", id, got, want)
		}
	}
}

// FuzzGGUF reads hostile headers: each is refused, or gives no more than its bytes.
func FuzzGGUF(f *testing.F) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		f.Add(smallGGUF(order, 1))
		f.Add(smallGGUF(order, 3))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		meta, err := parseGGUF(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		size := 0
		for _, text := range meta.tokens {
			size += len(text) + 4
		}
		for _, v := range meta.templates {
			size += len(v.Name) + len(v.Source) + 8
		}
		if size+len(meta.types) > len(data) {
			t.Errorf("%d bytes were read from %d", size+len(meta.types), len(data))
		}
	})
}
