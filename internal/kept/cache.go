package kept

import "sync"

// Cache keeps the values that were used last. Many may use it at once. The zero value is an empty cache.
//
//	recent ─full→ before: what is used again comes back, the rest is forgotten at the next time
type Cache[K comparable, V any] struct {
	mu             sync.Mutex
	recent, before map[K]sized[V]
	size           int // of recent
	hits, misses   uint64
}

// sized is a value and what it counts against the limit.
type sized[V any] struct {
	value V
	size  int
}

// Stats say what a cache did and holds.
type Stats struct {
	Hits, Misses uint64 // values that were there, and those that were not
	Entries      int    // values that were used lately
}

// Get returns what is kept under key. limit bounds the sizes of what is in recent together, and so of what is in before.
func (c *Cache[K, V]) Get(key K, limit int) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.recent[key]
	if !ok {
		if found, ok = c.before[key]; !ok {
			c.misses++
			return value, false
		}
		c.add(key, found, limit)
	}
	c.hits++
	return found.value, true
}

// Put keeps value, and returns what is kept: another one if somebody was faster. Limit bounds as in Get, but that a single value
// is kept however large it is.
func (c *Cache[K, V]) Put(key K, value V, size, limit int) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other, ok := c.recent[key]; ok {
		return other.value
	}
	c.add(key, sized[V]{value, size}, limit)
	return value
}

// PutWithin is Put of a value that is not kept, but returned, if it is larger than limit.
func (c *Cache[K, V]) PutWithin(key K, value V, size, limit int) V {
	if size > limit {
		return value
	}
	return c.Put(key, value, size, limit)
}

// Stats tells what the cache did since it is used, and what it holds.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{Hits: c.hits, Misses: c.misses, Entries: len(c.recent)}
}

func (c *Cache[K, V]) add(key K, v sized[V], limit int) {
	if c.recent == nil || c.size+v.size > limit {
		c.before, c.recent, c.size = c.recent, map[K]sized[V]{}, 0
	}
	c.recent[key] = v
	c.size += v.size
}
