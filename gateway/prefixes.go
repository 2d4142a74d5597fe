package gateway

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/internal/cache"
)

// prefixes remembers the beginnings of prompts: which server has read each, so that the next turn of a conversation goes where its
// beginning is cached; and which client has sent it, so that it learns how much of a prompt is that of the turn before, and nothing of
// the prompts of others. Only hashes are kept, of a bounded number of prefixes.
//
//	a prompt       |----|----|----|---end      known at its boundaries; the last one knows the end, too
//	the next turn  |----|----|----|---+-|----  shares all of that; with a change in it, what precedes the last common boundary
type prefixes struct {
	seed  maphash.Seed
	known cache.Cache[prefixKey, *prefix]
	mu    sync.Mutex // guards what is known, besides what is atomic
}

// prefixKey is a beginning of prompts for one model, by its hash. sender is the client that has sent it, if it has templates of its
// own; what is known of all clients has none.
type prefixKey struct {
	hash   uint64
	sender weak.Pointer[host.Own]
}

// prefix is what is known of a beginning of prompts.
type prefix struct {
	home   *server // that has read it last; nil: none
	sent   atomic.Bool
	length int    // of the last prompt without a further boundary; 0: none
	end    uint64 // the hash of all of that prompt
}

// Prefixes are known at every boundary, in bytes: narrow steps at first, then a fraction of the length. They have homes from shortest
// on, at every doubling: less is common to conversations that have nothing else in common. A home with more to do than other servers is
// left for them when the difference exceeds patience.
const (
	narrow   = 64
	fraction = 16
	shortest = 512
	patience = 4 // outputs
)

// trail is a prompt in the memory of prefixes.
type trail struct {
	memory *prefixes
	homes  []*prefix // the longest last
	shared int       // bytes that the same client had sent before
}

// trail remembers a prompt for a model.
func (p *prefixes) trail(ctx context.Context, model, prompt string) *trail {
	t, by := &trail{memory: p}, weak.Make(host.OwnOf(ctx))
	var h maphash.Hash
	h.SetSeed(p.seed)
	_, _ = h.WriteString(model) // never fails
	var last, sent *prefix
	for from, n, home := 0, narrow, shortest; n <= len(prompt); from, n = n, n+max(narrow, n/fraction) {
		_, _ = h.WriteString(prompt[from:n])
		if n >= home {
			t.homes, home = append(t.homes, p.get(prefixKey{hash: h.Sum64()})), 2*home
		}
		if last = p.get(prefixKey{h.Sum64(), by}); last.sent.Swap(true) {
			sent, t.shared = last, n
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if sent != nil && sent.length > 0 && sent.length <= len(prompt) && maphash.String(p.seed, prompt[:sent.length]) == sent.end {
		t.shared = sent.length
	}
	if last != nil {
		last.length, last.end = len(prompt), maphash.String(p.seed, prompt)
	}
	return t
}

func (p *prefixes) get(k prefixKey) *prefix {
	known, _ := p.known.Get(k, func() (*prefix, int, error) { return new(prefix), 0, nil })
	return known
}

// place returns where to send the prompt, and remembers that.
func (t *trail) place(r route, tried map[*server]bool) place {
	if len(r.places) == 1 {
		return r.places[0]
	}
	t.memory.mu.Lock()
	defer t.memory.mu.Unlock()
	p, ok := r.preferred(t.homes, tried)
	if !ok {
		p = r.choose(tried)
	}
	for _, known := range t.homes {
		known.home = p.server
	}
	return p
}

// preferred returns the place among those of a route that is the home of the longest prefix, unless it has too much to do.
func (r route) preferred(homes []*prefix, tried map[*server]bool) (place, bool) {
	least := r.choose(tried)
	for _, known := range slices.Backward(homes) {
		for _, p := range r.places {
			if p.server == known.home && !tried[known.home] {
				return p, known.home.running.Load() <= least.server.running.Load()+patience
			}
		}
	}
	return least, false
}
