package handler

import (
	"time"

	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Programs holds the programs that a handler built last: most requests of a client have the tools of the one before. It is safe
// for concurrent use. The zero value is ready, and bounded at 32 MiB.
type Programs struct {
	built cache.Cache[cache.Key, *peg.Program]
}

// Build returns what build makes of a request, built at most once for equal requests, whatever their messages say. build gets the
// request without its messages, its time and the fields unknown to package chat, and must depend on nothing else that can change.
// The program is shared and must not be changed.
func (c *Programs) Build(r *chat.Request, build func(*chat.Request) *peg.Program) *peg.Program {
	given := *r
	given.Messages, given.Extra, given.Now = nil, nil, time.Time{}
	p, _ := c.built.Get(cache.KeyOf(&given), func() (*peg.Program, int, error) {
		own := cache.Clone(given)
		p := build(&own).Sealed()
		return p, p.Size(), nil
	})
	return p
}
