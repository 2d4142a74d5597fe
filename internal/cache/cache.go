package cache

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// DefaultBytes bounds a Cache without a bound of its own.
const DefaultBytes = 32 << 20

// EntryBytes is what an entry counts in addition to the size of its value.
const EntryBytes = 256

// Cache holds values that are expensive to build, and evicts the least recently used ones. It is safe for concurrent use. The
// zero value is an empty cache.
type Cache[K comparable, V any] struct {
	// MaxBytes bounds the total size of the entries; 0 means DefaultBytes. Set it before the first use. A value that is larger
	// by itself is returned to its callers and not kept.
	MaxBytes int

	mu           sync.Mutex
	entries      map[K]*entry[K, V] // those in recent, and those being built
	recent       list.List          // of *entry[K, V], the most recently used in front
	bytes        int                // of the entries in recent
	hits, misses uint64
}

// entry is a value, or one that a caller of Get is building.
type entry[K comparable, V any] struct {
	key   K
	size  int
	place *list.Element // in recent; nil while the value is being built

	ready  chan struct{} // closed once the fields below are set
	value  V
	err    error
	failed bool // the builder panicked, and there is neither a value nor an error
}

// Stats counts what a cache has done and what it holds.
type Stats struct {
	Hits    uint64 // lookups that found a value, or waited for one being built
	Misses  uint64 // lookups that built a value
	Entries int
	Bytes   int // total size of the entries
}

// Get returns the value of key. If there is none it calls build, which returns a value and its size in bytes; concurrent callers
// wait for the one that builds. They all receive the error of build, too, which is not kept: the next call builds again.
// Callers share the value and must not change it.
func (c *Cache[K, V]) Get(key K, build func() (value V, size int, err error)) (V, error) {
	return c.get(nil, key, build, func(e *entry[K, V]) bool { return !e.failed })
}

// GetWithin is Get for builders that end with ctx, as the waiting does: an error of another caller's builder is not returned,
// but the value built again.
func (c *Cache[K, V]) GetWithin(ctx context.Context, key K, build func() (value V, size int, err error)) (V, error) {
	v, err := c.get(ctx.Done(), key, build, func(e *entry[K, V]) bool { return !e.failed && e.err == nil })
	if errors.Is(err, errLeft) {
		err = context.Cause(ctx)
	}
	return v, err
}

// errLeft is the error of a caller that stops waiting.
var errLeft = errors.New("stopped waiting")

func (c *Cache[K, V]) get(done <-chan struct{}, key K, build func() (V, int, error), usable func(*entry[K, V]) bool) (v V, err error) {
	for {
		e, found := c.lookup(key)
		if !found {
			return c.build(e, build)
		}
		select {
		case <-e.ready:
			if usable(e) {
				return e.value, e.err
			}
		case <-done:
			return v, errLeft
		}
	}
}

// Stats returns the counters of the cache since its first use.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Hits: c.hits, Misses: c.misses, Entries: c.recent.Len(), Bytes: c.bytes}
}

// lookup returns the entry of key, or adds one for the caller to build.
func (c *Cache[K, V]) lookup(key K) (e *entry[K, V], found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, found = c.entries[key]; found {
		c.hits++
		if e.place != nil {
			c.recent.MoveToFront(e.place)
		}
		return e, true
	}
	if c.entries == nil {
		c.entries = map[K]*entry[K, V]{}
	}
	c.misses++
	e = &entry[K, V]{key: key, ready: make(chan struct{}), failed: true}
	c.entries[key] = e
	return e, false
}

// build fills e and wakes those who wait for it, even if the builder panics.
func (c *Cache[K, V]) build(e *entry[K, V], build func() (V, int, error)) (V, error) {
	defer close(e.ready)
	defer c.settle(e)
	e.value, e.size, e.err = build()
	e.failed = false
	return e.value, e.err
}

// settle keeps a built entry, if it is worth keeping and fits, and forgets it otherwise.
func (c *Cache[K, V]) settle(e *entry[K, V]) {
	limit := c.MaxBytes
	if limit == 0 {
		limit = DefaultBytes
	}
	e.size += EntryBytes
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.failed || e.err != nil || e.size > limit {
		delete(c.entries, e.key)
		return
	}
	e.place = c.recent.PushFront(e)
	for c.bytes += e.size; c.bytes > limit; {
		c.evict(c.recent.Back())
	}
}

func (c *Cache[K, V]) evict(at *list.Element) {
	e := c.recent.Remove(at).(*entry[K, V])
	delete(c.entries, e.key)
	c.bytes -= e.size
}
