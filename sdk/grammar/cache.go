package grammar

import (
	"container/list"
	"sync"

	"github.com/dragoman-project/dragoman/internal/kept"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// DefaultCacheBytes bounds a cache that has no bound of its own.
const DefaultCacheBytes = 32 << 20

// Cache keeps the constraints that were built last, since most requests of a client have the tools of the one before. A
// program, and with it the schemas of its tools, is known by a digest of its nodes, so that it does not matter who made it
// or when. Many may use a cache at once; those that want the same constraint wait for one of them to build it. The zero
// value is an empty cache.
type Cache struct {
	// MaxBytes bounds what is kept, by the bytes of grammars and notes; 0 stands for DefaultCacheBytes.
	MaxBytes int

	mu      sync.Mutex
	entries map[kept.Key]*list.Element
	recent  list.List // of *cached, the one used last in front
	bytes   int
	hits    uint64
	misses  uint64
}

// CacheStats say what a cache did and holds.
type CacheStats struct {
	Hits, Misses uint64 // constraints that were there, or being built; and those that were not
	Entries      int
	Bytes        int // as MaxBytes counts them
}

// Stats tells what the cache did since it is used, and what it holds.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CacheStats{Hits: c.hits, Misses: c.misses, Entries: c.recent.Len(), Bytes: c.bytes}
}

// cached is a constraint, or why there is none, made on first use. Size is 0 until then.
type cached struct {
	key   kept.Key
	size  int
	build func() (*Constraint, error)
}

// Build is what Build makes of p and o, perhaps made before: callers share the constraint and must not change it.
func (c *Cache) Build(p *peg.Program, o Options) (*Constraint, error) {
	if o.Mode == Free {
		return nil, nil
	}
	return c.entry(keyOf(p, o), p, o).build()
}

// keyOf tells programs and options apart by all of their fields. No triggers at all are not the same as none given.
func keyOf(p *peg.Program, o Options) kept.Key {
	digest := p.Digest()
	return kept.KeyOf(digest[:], &o)
}

// entry finds the constraint of that key, or makes room for it.
func (c *Cache) entry(key kept.Key, p *peg.Program, o Options) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[key]; ok {
		c.hits++
		c.recent.MoveToFront(at)
		return at.Value.(*cached)
	}
	if c.entries == nil {
		c.entries = map[kept.Key]*list.Element{}
	}
	c.misses++
	e := &cached{key: key}
	e.build = sync.OnceValues(func() (*Constraint, error) {
		made, err := Build(p, o)
		c.count(e, made)
		return made, err
	})
	c.entries[key] = c.recent.PushFront(e)
	return e
}

// entryBytes is about what an entry takes besides texts.
const entryBytes = 512

// count adds what e takes, now that it is known, and drops those that were used longest ago until the rest fits.
func (c *Cache) count(e *cached, made *Constraint) {
	size := entryBytes
	if made != nil {
		size += len(made.Grammar) + len(made.Content)
		for _, n := range made.Notes {
			size += len(n)
		}
	}
	limit := c.MaxBytes
	if limit == 0 {
		limit = DefaultCacheBytes
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.entries[e.key]; at == nil || at.Value != e {
		return // it was dropped while it was being built
	}
	e.size = size
	for c.bytes += size; c.bytes > limit; {
		c.drop(c.recent.Back())
	}
}

func (c *Cache) drop(at *list.Element) {
	e := c.recent.Remove(at).(*cached)
	delete(c.entries, e.key)
	c.bytes -= e.size
}
