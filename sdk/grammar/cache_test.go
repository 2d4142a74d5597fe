package grammar

import (
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/jsonschema"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

func TestACacheKeepsWhatItBuilt(t *testing.T) {
	var c Cache
	first, err := c.Build(nil, distinctTools(3, 2), Options{Mode: Lazy})
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.Build(nil, distinctTools(3, 2), Options{Mode: Lazy}); again != first {
		t.Error("an equal program was built again")
	}
	if fresh, _ := Build(distinctTools(3, 2), Options{Mode: Lazy}); fresh.Grammar != first.Grammar {
		t.Error("the cache and Build differ")
	}
	word := []Trigger{{Type: TriggerWord, Value: "<call>"}}
	for what, of := range map[string]struct {
		p *peg.Program
		o Options
	}{
		"other tools":       {distinctTools(4, 2), Options{Mode: Lazy}},
		"other parameters":  {distinctTools(3, 3), Options{Mode: Lazy}},
		"another mode":      {distinctTools(3, 2), Options{Mode: Strict}},
		"a prompt":          {distinctTools(3, 2), Options{Mode: Strict, Prompt: "<call>"}},
		"triggers":          {distinctTools(3, 2), Options{Mode: Lazy, Triggers: word}},
		"no triggers given": {distinctTools(3, 2), Options{Mode: Lazy, Triggers: []Trigger{}}},
	} {
		got, err := c.Build(nil, of.p, of.o)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got == first {
			t.Errorf("%s: the constraint of another program", what)
		}
		if again, _ := c.Build(nil, of.p, of.o); again != got {
			t.Errorf("%s: it was built again", what)
		}
	}
}

// TestEveryOptionIsPartOfTheKey changes one option after another, including any added later.
func TestEveryOptionIsPartOfTheKey(t *testing.T) {
	p := distinctTools(1, 1)
	seen := map[cache.Key]string{keyOf(p, Options{}): "nothing"}
	for i := range reflect.TypeFor[Options]().NumField() {
		var o Options
		field, name := reflect.ValueOf(&o).Elem().Field(i), reflect.TypeFor[Options]().Field(i).Name
		switch field.Kind() {
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.String:
			field.SetString("x")
		default:
			field.SetUint(1)
		}
		key := keyOf(p, o)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[key] = name
	}
}

func TestACacheKeepsErrors(t *testing.T) {
	var c Cache
	var b peg.Builder
	p := b.Build(b.Schema(jsonschema.MustParse(`{"type": "text"}`), b.Value(peg.AnyJSON)))
	_, first := c.Build(nil, p, Options{Mode: Strict})
	if _, again := c.Build(nil, p, Options{Mode: Strict}); first == nil || !errors.Is(again, first) {
		t.Errorf("first %v, then %v", first, again)
	}
	if got, err := c.Build(nil, p, Options{}); got != nil || err != nil {
		t.Errorf("a free mode has the constraint %v, %v", got, err)
	}
}

func TestACacheDropsTheLeastRecentlyUsed(t *testing.T) {
	built := func(c *Cache, tools int) *Constraint {
		got, err := c.Build(nil, distinctTools(tools, 2), Options{Mode: Lazy})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	var unbounded Cache
	built(&unbounded, 3)
	built(&unbounded, 5)
	limit := unbounded.Stats().Bytes
	c := NewCache(limit)
	three, four := built(c, 3), built(c, 4)
	if built(c, 3) != three {
		t.Error("3 tools were dropped although there was room")
	}
	built(c, 5)
	if built(c, 3) != three {
		t.Error("3 tools were dropped although they were used after 4")
	}
	if built(c, 4) == four {
		t.Error("4 tools were kept beyond the bound")
	}
	if s := c.Stats(); s.Bytes > limit {
		t.Errorf("%d bytes of %d in %d entries", s.Bytes, limit, s.Entries)
	}
	tiny := NewCache(1)
	if built(tiny, 3).Grammar != three.Grammar || tiny.Stats().Entries != 0 || tiny.Stats().Bytes != 0 {
		t.Error("what is larger than the bound was kept")
	}
}

func TestOneConstraintIsBuiltConcurrently(t *testing.T) {
	var c Cache
	var wg sync.WaitGroup
	got := make([]*Constraint, 8)
	for i := range got {
		wg.Go(func() { got[i], _ = c.Build(nil, distinctTools(20, 2), Options{Mode: Lazy}) })
	}
	wg.Wait()
	for _, k := range got {
		if k == nil || k != got[0] {
			t.Fatal("it was built more than once")
		}
	}
}

func BenchmarkCacheHit(b *testing.B) {
	var c Cache
	p := distinctTools(20, 5)
	for b.Loop() {
		if _, err := c.Build(nil, p, Options{Mode: Lazy}); err != nil {
			b.Fatal(err)
		}
	}
}
