package cache

import (
	"strings"
	"testing"
)

type kinds struct {
	Truth   bool
	Number  int
	Small   uint8
	Text    string
	Texts   []string
	Bytes   []byte
	Inner   struct{ a, b string }
	Pointer *int
	hidden  []struct{ text string }
}

func TestDifferentValuesHaveDifferentKeys(t *testing.T) {
	one, two := 1, 2
	long := strings.Repeat("a", 3*restBytes)
	seen := map[Key]string{}
	for what, v := range map[string]kinds{
		"nothing":              {},
		"a bool":               {Truth: true},
		"a number":             {Number: 1},
		"a negative number":    {Number: -1},
		"a small number":       {Small: 1},
		"a text":               {Text: "a"},
		"no texts":             {Texts: []string{}},
		"an empty text":        {Texts: []string{""}},
		"two texts":            {Texts: []string{"a", "b"}},
		"two others":           {Texts: []string{"ab", ""}},
		"one text":             {Texts: []string{"ab"}},
		"no bytes":             {Bytes: []byte{}},
		"a byte":               {Bytes: []byte{0}},
		"two bytes":            {Bytes: []byte{0, 0}},
		"a field":              {Inner: struct{ a, b string }{a: "a"}},
		"its neighbour":        {Inner: struct{ a, b string }{b: "a"}},
		"both":                 {Inner: struct{ a, b string }{"a", "a"}},
		"what is pointed at":   {Pointer: &one},
		"something else":       {Pointer: &two},
		"what is not exported": {hidden: []struct{ text string }{{"a"}}},
		"another of that":      {hidden: []struct{ text string }{{"b"}}},
		"a long text":          {Text: long},
		"a longer one":         {Text: long + "a"},
		"another long one":     {Text: long[1:] + "b"},
	} {
		key := KeyOf(&v)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same key", what, other)
		}
		seen[key] = what
		if again := v; KeyOf(&again) != key {
			t.Errorf("%s has two keys", what)
		}
	}
}

func TestKeyOfPanicsOnMaps(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("KeyOf accepts a map")
		}
	}()
	KeyOf(&struct{ m map[string]int }{})
}

func TestKeysLeaveOutDerivedFields(t *testing.T) {
	type text struct {
		text   string
		length Derived[map[string]int]
	}
	a, b := text{text: "a"}, text{text: "a", length: Derived[map[string]int]{Value: map[string]int{"a": 1}}}
	if KeyOf(&a) != KeyOf(&b) || KeyOf(&a) == KeyOf(&text{text: "b"}) {
		t.Error("the key does not depend on the text alone")
	}
}
