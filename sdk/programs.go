package sdk

import (
	"time"

	"github.com/dragoman-project/dragoman/internal/kept"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// maxPrograms bounds the programs that were used lately, by their nodes, and those before them, which are forgotten next: about
// 10 MB of each. A larger program is not kept.
const maxPrograms = 64 << 10

// Programs keeps the programs that a handler built last: most requests of a client have the tools of the one before. Many may use
// it at once. The zero value is ready.
type Programs struct {
	built kept.Cache[kept.Key, *peg.Program]
}

// Build is what build makes of a request, perhaps made before. It is given the request without its messages, its time and the fields
// that the package chat does not know, and must look at nothing else that can change: equal requests get one program, whatever they
// say. Nobody must change it.
func (c *Programs) Build(r *chat.Request, build func(*chat.Request) *peg.Program) *peg.Program {
	given := *r
	given.Messages, given.Extra, given.Now = nil, nil, time.Time{}
	key := kept.KeyOf(&given)
	if p, ok := c.built.Get(key, maxPrograms); ok {
		return p
	}
	given = kept.Own(given)
	p := build(&given).Sealed()
	return c.built.PutWithin(key, p, len(p.Nodes), maxPrograms)
}
