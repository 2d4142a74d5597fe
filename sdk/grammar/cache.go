package grammar

import (
	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/internal/work"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Cache holds the constraints that were used last, since most requests of a client have the tools of
// the one before. A program, with the schemas of its tools, is identified by its digest, no matter
// how or when it was built. Concurrent callers that need the same constraint wait for one of them to
// build it. The zero value is an empty cache of 32 MiB.
type Cache struct {
	built cache.Cache[cache.Key, outcome]
}

// NewCache returns a cache of at most maxBytes bytes of grammars and notes.
func NewCache(maxBytes int) *Cache {
	var c Cache
	c.built.MaxBytes = maxBytes
	return &c
}

// outcome is what Build returned. Errors are kept, too: they follow from the program and cost as much as a constraint.
type outcome struct {
	constraint *Constraint
	err        error
}

// Build returns what BuildWithin makes of p and o, built at most once: callers share the constraint and must not change it.
func (c *Cache) Build(m *work.Meter, p *peg.Program, o Options) (*Constraint, error) {
	if o.Mode == Free {
		return nil, nil
	}
	made, err := c.built.GetWithin(m.Context(), keyOf(p, o), func() (outcome, int, error) {
		k, err := BuildWithin(m, p, o)
		if m.Exceeded(err) {
			return outcome{}, 0, err // another request may afford it
		}
		return outcome{k, err}, k.size(), nil
	})
	if err != nil {
		return nil, err
	}
	return made.constraint, made.err
}

// Stats returns what the cache has done and what it holds.
func (c *Cache) Stats() cache.Stats { return c.built.Stats() }

// keyOf returns a key of all fields of p and o. An empty list of triggers differs from nil.
func keyOf(p *peg.Program, o Options) cache.Key {
	digest := p.Digest()
	return cache.KeyOf(digest[:], &o)
}

// size returns about how many bytes of memory the constraint takes.
func (c *Constraint) size() int {
	if c == nil {
		return 0
	}
	n := len(c.Grammar) + len(c.Content)
	for _, note := range c.Notes {
		n += len(note)
	}
	return n
}
