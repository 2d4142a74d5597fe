package assemble

import "github.com/dragoman-project/dragoman/internal/cache"

// Cache holds the most recently assembled programs, since most requests of a client have the same
// tools as the one before. Programs are identified by everything they depend on, whatever the
// template's name and whenever it was learned. A Cache is safe for concurrent use. The zero value
// is an empty cache of 32 MiB.
type Cache struct {
	assembled cache.Cache[cache.Key, *Assembled]
}

// NewCache returns a cache of at most maxBytes bytes of programs.
func NewCache(maxBytes int) *Cache {
	var c Cache
	c.assembled.MaxBytes = maxBytes
	return &c
}

// Assemble is like the function Assemble, but assembles equal inputs at most once. Callers share
// the result and must not change it.
func (c *Cache) Assemble(in Input) *Assembled {
	g := givenIn(in)
	a, _ := c.assembled.Get(cache.KeyOf(&g), func() (*Assembled, int, error) {
		own := g.clone()
		a := own.assemble()
		a.Program = a.Program.Sealed()
		return a, own.bytes() + a.Program.Size(), nil
	})
	return a
}

// Stats returns what the cache has done and what it holds.
func (c *Cache) Stats() cache.Stats { return c.assembled.Stats() }
