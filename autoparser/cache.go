package autoparser

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Cache holds the programs of recent plans: those assembled from dialects, and those of other handlers, bound to prompts. It is
// safe for concurrent use, by any number of templates. The zero value is an empty cache of 32 MiB of each, and a nil Cache
// keeps nothing.
type Cache struct {
	assembled assemble.Cache
	bound     cache.Cache[cache.Key, *peg.Program]
}

// Stats returns what the cache of assembled programs has done and what it holds.
func (c *Cache) Stats() cache.Stats { return c.assembled.Stats() }

func (c *Cache) assemble(in assemble.Input) *assemble.Assembled {
	if c == nil {
		return assemble.Assemble(in)
	}
	return c.assembled.Assemble(in)
}

// bind returns p bound to a prompt, sealed.
func (c *Cache) bind(p *peg.Program, prompt string) *peg.Program {
	if c == nil {
		return p.Bind(prompt).Sealed()
	}
	digest := p.Digest()
	bound, _ := c.bound.Get(cache.KeyOf(digest[:], prompt), func() (*peg.Program, int, error) {
		bound := p.Bind(strings.Clone(prompt)).Sealed() // a cached program must not keep the whole request's prompt
		return bound, bound.Size(), nil
	})
	return bound
}
