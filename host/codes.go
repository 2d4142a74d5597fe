package host

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// codes keeps the compiled programs that were used last. Most requests of a client have the tools of the one before, and
// sessions of equal programs share one code: a running session costs what it has read and no more. The zero value is empty.
//
//	recent ─full→ before: what is used again comes back, the rest is forgotten at the next time
type codes struct {
	mu             sync.Mutex
	recent, before map[codeKey]*match.Code
	nodes          int // of the programs in recent
	hits, misses   uint64
}

type codeKey [sha256.Size]byte

// maxCodeNodes bounds the nodes of recent programs: about 8 MB of programs and code.
const maxCodeNodes = 16 << 10

// compile is match.Compile of a program, done perhaps for another request.
func (c *codes) compile(p *peg.Program, o match.Options) (*match.Code, error) {
	key := codeKeyOf(p, o)
	if code := c.find(key, len(p.Nodes)); code != nil {
		return code, nil
	}
	code, err := match.Compile(p, o)
	if err == nil {
		c.keep(key, code, len(p.Nodes))
	}
	return code, err
}

func (c *codes) find(key codeKey, nodes int) *match.Code {
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

// stats tells what was found ready since the start, and how much is kept that was used lately.
func (c *codes) stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CacheStats{Hits: c.hits, Misses: c.misses, Entries: len(c.recent)}
}

func (c *codes) keep(key codeKey, code *match.Code, nodes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, code, nodes)
}

func (c *codes) add(key codeKey, code *match.Code, nodes int) {
	if c.recent == nil || c.nodes+nodes > maxCodeNodes {
		c.before, c.recent, c.nodes = c.recent, map[codeKey]*match.Code{}, 0
	}
	c.recent[key] = code
	c.nodes += nodes
}

// codeKeyOf tells programs and options apart by everything in them.
func codeKeyOf(p *peg.Program, o match.Options) codeKey {
	b := make(digestible, 0, 64*len(p.Nodes))
	b.number(int(p.Root))
	for i := range p.Nodes {
		b.node(&p.Nodes[i])
	}
	b.texts(o.Specials)
	return sha256.Sum256(b)
}

// digestible is bytes that say the same only of what is the same.
type digestible []byte

func (b *digestible) node(n *peg.Node) {
	b.number(int(n.Op))
	b.number(len(n.Kids))
	for _, kid := range n.Kids {
		b.number(int(kid))
	}
	b.text(n.Text)
	b.texts(n.Delims)
	b.number(len(n.Ranges))
	for _, r := range n.Ranges {
		b.number(int(r.Lo))
		b.number(int(r.Hi))
	}
	b.truth(n.Negated)
	b.number(n.Min)
	b.number(n.Max)
	b.number(int(n.Values))
	b.number(int(n.Role))
	b.text(string(n.JSONSchema))
	b.truth(n.Raw)
}

func (b *digestible) number(n int) { *b = binary.AppendVarint(*b, int64(n)) }

func (b *digestible) truth(t bool) {
	if t {
		b.number(1)
	} else {
		b.number(0)
	}
}

func (b *digestible) text(s string) {
	b.number(len(s))
	*b = append(*b, s...)
}

func (b *digestible) texts(all []string) {
	b.number(len(all))
	for _, s := range all {
		b.text(s)
	}
}
