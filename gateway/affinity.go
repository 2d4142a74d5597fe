package gateway

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/internal/cache"
)

// affinity remembers which server has read the beginning of a prompt, so that the next turn of a conversation goes where its prefix is
// cached. The zero value remembers nothing yet.
type affinity struct {
	seed  maphash.Seed
	homes cache.Cache[uint64, *atomic.Pointer[server]]
}

// Prefixes of these lengths are remembered, in bytes, each twice as long as the one before. A home that has more to do than others
// is left for them when the difference exceeds patience.
const (
	shortest = 512
	longest  = 1 << 20
	patience = 4 // outputs
)

// of returns the homes of the prefixes of a prompt for a model, the longest first.
func (a *affinity) of(model, prompt string) (homes []*atomic.Pointer[server]) {
	for n := longest; n >= shortest; n /= 2 {
		if n > len(prompt) {
			continue
		}
		var h maphash.Hash
		h.SetSeed(a.seed)
		_, _ = h.WriteString(model) // never fails
		_, _ = h.WriteString(prompt[:n])
		home, _ := a.homes.Get(h.Sum64(), func() (*atomic.Pointer[server], int, error) { return new(atomic.Pointer[server]), 0, nil })
		homes = append(homes, home)
	}
	return homes
}

// preferred returns the place among those of a route that is the home of the longest prefix, unless it has too much to do.
func (r route) preferred(homes []*atomic.Pointer[server], tried map[*server]bool) (place, bool) {
	least := r.choose(tried)
	for _, home := range homes {
		at := home.Load()
		for _, p := range r.places {
			if p.server == at && !tried[at] {
				return p, at.running.Load() <= least.server.running.Load()+patience
			}
		}
	}
	return least, false
}

// place returns where to send a prompt, and remembers that.
func (a *affinity) place(r route, model, prompt string, tried map[*server]bool) place {
	if len(r.places) == 1 {
		return r.places[0]
	}
	homes := a.of(model, prompt)
	p, ok := r.preferred(homes, tried)
	if !ok {
		p = r.choose(tried)
	}
	for _, home := range homes {
		home.Store(p.server)
	}
	return p
}
