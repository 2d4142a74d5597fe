package assemble

import (
	"cmp"
	"unsafe"

	"github.com/dragoman-project/dragoman/internal/kept"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// DefaultCacheBytes bounds a cache that has no bound of its own.
const DefaultCacheBytes = 16 << 20

// Cache keeps the programs that were assembled last, since most requests of a client have the tools of the one before. They are
// known by all that they are made of, whatever the template is called and whenever it was learned. Many may use a cache at
// once. The zero value is an empty cache.
type Cache struct {
	// MaxBytes bounds what was used lately, by the bytes of programs, and what was used before that, which is forgotten next; 0
	// stands for DefaultCacheBytes. A larger program is not kept.
	MaxBytes int

	made kept.Cache[kept.Key, *Assembled]
}

// Assemble is what Assemble makes of an input, perhaps made before: callers share it and must not change it.
func (c *Cache) Assemble(in Input) *Assembled {
	g := givenIn(in)
	key, limit := kept.KeyOf(&g), cmp.Or(c.MaxBytes, DefaultCacheBytes)
	if a, ok := c.made.Get(key, limit); ok {
		return a
	}
	g = g.own()
	a := g.assemble()
	a.Program = a.Program.Sealed()
	size := g.bytes() + cap(a.Program.Nodes)*nodeBytes
	return c.made.PutWithin(key, a, size, limit)
}

// Stats tells what the cache did since it is used, and what it holds.
func (c *Cache) Stats() kept.Stats { return c.made.Stats() }

// nodeBytes is about what a node takes, with the texts and kids that it has of its own.
const nodeBytes = int(unsafe.Sizeof(peg.Node{})) + 64
