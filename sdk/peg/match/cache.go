package match

import (
	"fmt"
	"slices"

	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Cache holds the compiled programs that were used last. Most requests of a client have the tools of the one before, and
// sessions of equal programs share one code: a running session costs what it has read and no more. It is safe for concurrent
// use. The zero value is an empty cache of 32 MiB.
type Cache struct {
	codes cache.Cache[cacheKey, *Code]
}

// NewCache returns a cache of at most maxBytes bytes of programs and code.
func NewCache(maxBytes int) *Cache {
	var c Cache
	c.codes.MaxBytes = maxBytes
	return &c
}

// cacheKey is everything that code depends on.
type cacheKey struct {
	program  peg.Digest
	specials string
}

// Compile returns what the function Compile makes of p and o, compiled at most once: callers share the code.
func (c *Cache) Compile(p *peg.Program, o Options) (*Code, error) {
	key := cacheKey{p.Digest(), fmt.Sprintf("%q", slices.Sorted(slices.Values(o.Specials)))}
	return c.codes.Get(key, func() (*Code, int, error) {
		code, err := Compile(p, o)
		if err != nil {
			return nil, 0, err
		}
		return code, code.size(), nil
	})
}

// Stats returns what the cache has done and what it holds.
func (c *Cache) Stats() cache.Stats { return c.codes.Stats() }
