package cache

import (
	"errors"
	"runtime"
	"sync"
	"testing"
)

// one returns a cache with room for n values of size 1.
func one(n int) *Cache[int, string] { return &Cache[int, string]{MaxBytes: n * (1 + EntryBytes)} }

// put returns the value of key in c, storing value first if the key is absent.
func put(c *Cache[int, string], key int, value string, size int) string {
	v, _ := c.Get(key, func() (string, int, error) { return value, size, nil })
	return v
}

// has reports whether c holds a value for key. It counts as a use.
func has(c *Cache[int, string], key int) bool {
	_, err := c.Get(key, func() (string, int, error) { return "", 0, errors.New("absent") })
	return err == nil
}

func TestACacheKeepsWhatIsUsed(t *testing.T) {
	const limit = 4
	c := one(limit)
	if has(c, 0) {
		t.Error("an empty cache has a value")
	}
	put(c, 0, "zero", 1)
	for i := 1; i < 50; i++ {
		put(c, i, "more", 1)
		if v := put(c, 0, "again", 1); v != "zero" {
			t.Fatalf("after %d other values, the value in use is %q", i, v)
		}
		if s := c.Stats(); s.Entries > limit || s.Bytes > c.MaxBytes || len(c.entries) != s.Entries {
			t.Fatalf("%+v, with %d keys", s, len(c.entries))
		}
	}
	if has(c, 1) {
		t.Error("an unused value is never evicted")
	}
}

func TestTheLeastRecentlyUsedValueIsEvicted(t *testing.T) {
	c := one(2)
	put(c, 1, "one", 1)
	put(c, 2, "two", 1)
	put(c, 1, "again", 1)
	put(c, 3, "three", 1)
	for key, want := range map[int]bool{1: true, 2: false, 3: true} {
		if has(c, key) != want {
			t.Errorf("value %d is cached: %v", key, !want)
		}
	}
}

func TestAValueLargerThanTheLimitIsReturnedAndNotCached(t *testing.T) {
	c := one(2)
	put(c, 1, "small", 1)
	if put(c, 2, "huge", 9*EntryBytes) != "huge" {
		t.Error("a large value is not returned")
	}
	if has(c, 2) || !has(c, 1) {
		t.Error("a large value is cached, or has evicted another")
	}
}

func TestAValueIsBuiltOnce(t *testing.T) {
	c := one(9)
	if put(c, 1, "first", 1) != "first" || put(c, 1, "second", 1) != "first" {
		t.Error("callers do not share a value")
	}
	if got, want := c.Stats(), (Stats{Hits: 1, Misses: 1, Entries: 1, Bytes: 1 + EntryBytes}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// waiting starts n callers of Get while another one builds the value, and lets it finish once they
// all wait.
func waiting(c *Cache[int, string], n int, build func() (string, int, error)) (values []string, errs []error) {
	values, errs = make([]string, n+1), make([]error, n+1)
	var wg sync.WaitGroup
	building, release := make(chan struct{}), make(chan struct{})
	get := func(i int) {
		defer func() {
			if recover() != nil {
				errs[i] = errors.New("panicked")
			}
		}()
		values[i], errs[i] = c.Get(1, func() (string, int, error) {
			if i == 0 {
				close(building)
				<-release
				return build()
			}
			return "another", 1, nil
		})
	}
	wg.Go(func() { get(0) })
	<-building
	for i := range n {
		wg.Go(func() { get(i + 1) })
	}
	for c.Stats().Hits < uint64(n) {
		runtime.Gosched()
	}
	close(release)
	wg.Wait()
	return values, errs
}

func TestConcurrentCallersWaitForTheBuilder(t *testing.T) {
	values, errs := waiting(one(9), 8, func() (string, int, error) { return "one", 1, nil })
	for i, v := range values {
		if v != "one" || errs[i] != nil {
			t.Errorf("caller %d got %q, %v", i, v, errs[i])
		}
	}
}

func TestAllCallersGetAnErrorAndItIsNotCached(t *testing.T) {
	c, broken := one(9), errors.New("broken")
	_, errs := waiting(c, 8, func() (string, int, error) { return "", 1, broken })
	for i, err := range errs {
		if !errors.Is(err, broken) {
			t.Errorf("caller %d got %v", i, err)
		}
	}
	if put(c, 1, "mended", 1) != "mended" {
		t.Error("an error is cached")
	}
}

func TestAfterAPanicOfTheBuilderAnotherCallerBuilds(t *testing.T) {
	c := one(9)
	values, errs := waiting(c, 8, func() (string, int, error) { panic("broken") })
	if errs[0] == nil {
		t.Error("the panic was swallowed")
	}
	for i, v := range values[1:] {
		if v != "another" {
			t.Errorf("caller %d got %q, %v", i+1, v, errs[i+1])
		}
	}
	if s := c.Stats(); s.Entries != 1 {
		t.Errorf("%+v", s)
	}
}

func BenchmarkHit(b *testing.B) {
	c := one(9)
	build := func() (string, int, error) { return "one", 1, nil }
	b.ReportAllocs()
	for b.Loop() {
		c.Get(1, build)
	}
}
