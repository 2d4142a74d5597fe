package match

import (
	"fmt"
	"slices"
	"sync"

	"github.com/dragoman-project/dragoman/sdk/peg"
)

// DefaultCacheNodes bounds a cache that has no bound of its own: about 8 MB of programs and code.
const DefaultCacheNodes = 16 << 10

// Cache keeps the compiled programs that were used last. Most requests of a client have the tools of the one before, and
// sessions of equal programs share one code: a running session costs what it has read and no more. Many may use a cache at
// once. The zero value is an empty cache.
//
//	recent ─full→ before: what is used again comes back, the rest is forgotten at the next time
type Cache struct {
	// MaxNodes bounds the programs in recent, by their nodes, and so those in before; 0 stands for DefaultCacheNodes.
	MaxNodes int

	mu             sync.Mutex
	recent, before map[cacheKey]*Code
	nodes          int // of the programs in recent
	hits, misses   uint64
}

// CacheStats say what a cache did and holds.
type CacheStats struct {
	Hits, Misses uint64 // programs that were there, and those that were not
	Entries      int    // programs that were used lately
}

// cacheKey is all that code is made of.
type cacheKey struct {
	program  peg.Digest
	specials string
}

// Compile is what Compile makes of p and o, perhaps made before: callers share the code.
func (c *Cache) Compile(p *peg.Program, o Options) (*Code, error) {
	key := cacheKey{p.Digest(), fmt.Sprintf("%q", slices.Sorted(slices.Values(o.Specials)))}
	if code := c.find(key, len(p.Nodes)); code != nil {
		return code, nil
	}
	code, err := Compile(p, o)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, code, len(p.Nodes))
	return code, nil
}

// Stats tells what the cache did since it is used, and what it holds.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CacheStats{Hits: c.hits, Misses: c.misses, Entries: len(c.recent)}
}

func (c *Cache) find(key cacheKey, nodes int) *Code {
	c.mu.Lock()
	defer c.mu.Unlock()
	code := c.recent[key]
	if code == nil {
		if code = c.before[key]; code == nil {
			c.misses++
			return nil
		}
		c.add(key, code, nodes)
	}
	c.hits++
	return code
}

func (c *Cache) add(key cacheKey, code *Code, nodes int) {
	limit := c.MaxNodes
	if limit == 0 {
		limit = DefaultCacheNodes
	}
	if c.recent == nil || c.nodes+nodes > limit {
		c.before, c.recent, c.nodes = c.recent, map[cacheKey]*Code{}, 0
	}
	if _, known := c.recent[key]; !known {
		c.nodes += nodes
	}
	c.recent[key] = code
}
