package kept

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

func TestWhatDiffersInAnythingHasAnotherKey(t *testing.T) {
	one, two := 1, 2
	long := strings.Repeat("a", 3*restBytes)
	seen := map[Key]string{}
	for what, v := range map[string]kinds{
		"nothing":              {},
		"a truth value":        {Truth: true},
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
			t.Errorf("%s and %s are not told apart", what, other)
		}
		seen[key] = what
		if again := v; KeyOf(&again) != key {
			t.Errorf("%s has two keys", what)
		}
	}
}

func TestNoKeyIsMadeOfWhatCannotBeTold(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a key was made of a map")
		}
	}()
	KeyOf(&struct{ m map[string]int }{})
}

func TestACacheKeepsWhatIsUsed(t *testing.T) {
	const limit = 4
	var c Cache[int, string]
	if _, ok := c.Get(0, limit); ok {
		t.Error("an empty cache has a value")
	}
	c.Put(0, "zero", 1, limit)
	for i := 1; i < 50; i++ {
		c.Put(i, "more", 1, limit)
		if v, _ := c.Get(0, limit); v != "zero" {
			t.Fatalf("after %d others the value in use is %q", i, v)
		}
		if n := len(c.recent) + len(c.before); n > 2*limit || c.size > limit {
			t.Fatalf("%d values are kept, %d of them recent", n, c.size)
		}
	}
	if _, ok := c.Get(1, limit); ok {
		t.Error("a value that nobody uses is kept for ever")
	}
}

func TestWhatIsLargerThanTheLimitIsKeptByPutAlone(t *testing.T) {
	var c Cache[int, string]
	if c.PutWithin(1, "huge", 3, 2) != "huge" || c.PutWithin(2, "fits", 2, 2) != "fits" || c.Put(3, "large", 3, 2) != "large" {
		t.Error("a value is not returned")
	}
	for key, want := range map[int]bool{1: false, 3: true} {
		if _, ok := c.Get(key, 2); ok != want {
			t.Errorf("value %d is kept: %v", key, ok)
		}
	}
}

func TestACacheKeepsTheFirstOfTwoValues(t *testing.T) {
	var c Cache[int, string]
	if c.Put(1, "first", 1, 9) != "first" || c.Put(1, "second", 1, 9) != "first" {
		t.Error("callers do not share a value")
	}
	if c.size != 1 {
		t.Errorf("one value has the size %d", c.size)
	}
	c.Get(1, 9)
	c.Get(2, 9)
	if got, want := c.Stats(), (Stats{Hits: 1, Misses: 1, Entries: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
