package cache

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

type held struct {
	Text    string
	Bytes   []byte
	Texts   []string
	Inner   struct{ Texts []string }
	Pointer *string
	Number  int
	None    []byte
	NoOne   *string
}

// parts returns the addresses of the memory that a value refers to.
func (h held) parts() (all []unsafe.Pointer) {
	for _, text := range append([]string{h.Text, *h.Pointer}, append(h.Texts, h.Inner.Texts...)...) {
		all = append(all, unsafe.Pointer(unsafe.StringData(text)))
	}
	for _, slice := range []any{h.Bytes, h.Texts, h.Inner.Texts, h.Pointer} {
		all = append(all, reflect.ValueOf(slice).UnsafePointer())
	}
	return all
}

func TestACloneIsEqualAndSharesNothing(t *testing.T) {
	whole := strings.Repeat("conversation", 9)
	one := whole[9:20]
	v := held{Text: whole[3:9], Bytes: []byte(whole)[:5], Texts: []string{whole[:7]}, Pointer: &one, Number: 7}
	v.Inner.Texts = []string{whole[2:4]}
	got := Clone(v)
	if !reflect.DeepEqual(got, v) {
		t.Errorf("%+v became %+v", v, got)
	}
	for i, part := range got.parts() {
		if part == v.parts()[i] {
			t.Errorf("part %d is shared", i)
		}
	}
	if got.None != nil || got.NoOne != nil {
		t.Error("a nil field became non-nil")
	}
}
