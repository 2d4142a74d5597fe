package autoparser

import (
	"strings"

	"github.com/dragoman-project/dragoman/autoparser/assemble"
	"github.com/dragoman-project/dragoman/autoparser/jinja/value"
	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Cache holds what recent plans were made of: the programs assembled from dialects, those of other handlers, bound to prompts, and
// the tools as templates see them. It is safe for concurrent use, by any number of templates. The zero value is an empty cache of
// 32 MiB of each, and a nil Cache keeps nothing.
type Cache struct {
	assembled assemble.Cache
	bound     cache.Cache[cache.Key, *peg.Program]
	tools     cache.Cache[cache.Key, value.Value]
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

// toolValues returns tools as templates see them: values that many renderings share, and that no template can change.
func (c *Cache) toolValues(tools []chat.Tool) value.Value {
	if c == nil {
		return list(tools, toolValue)
	}
	key := cache.NewWriter()
	size := 0
	for _, t := range tools {
		key.Text(t.Name)
		key.Text(t.Description)
		key.Bytes(t.Parameters.Raw())
		key.Bool(t.Strict)
		key.Bytes(t.Raw)
		size += max(len(t.Raw), len(t.Name)+len(t.Description)+len(t.Parameters.Raw()))
	}
	values, _ := c.tools.Get(key.Key(), func() (value.Value, int, error) {
		const perByte = 16 // of text: a value takes about a dozen bytes for each, and remembers its text
		values := list(cache.Clone(tools), toolValue)
		value.Remember(values)
		return values, perByte * size, nil
	})
	return values
}
