package match

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/internal/kept"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// DefaultCacheNodes bounds a cache that has no bound of its own: about 8 MB of programs and code.
const DefaultCacheNodes = 16 << 10

// Cache keeps the compiled programs that were used last. Most requests of a client have the tools of the one before, and
// sessions of equal programs share one code: a running session costs what it has read and no more. Many may use a cache at
// once. The zero value is an empty cache.
type Cache struct {
	// MaxNodes bounds the programs that were used lately, by their nodes, and those before them, which are forgotten next;
	// 0 stands for DefaultCacheNodes.
	MaxNodes int

	codes kept.Cache[cacheKey, *Code]
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
	limit := cmp.Or(c.MaxNodes, DefaultCacheNodes)
	if code, ok := c.codes.Get(key, limit); ok {
		return code, nil
	}
	code, err := Compile(p, o)
	if err != nil {
		return nil, err
	}
	return c.codes.Put(key, code, len(p.Nodes), limit), nil
}

// Stats tells what the cache did since it is used, and what it holds.
func (c *Cache) Stats() CacheStats { return CacheStats(c.codes.Stats()) }
