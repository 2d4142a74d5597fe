package host

import (
	"strings"

	"github.com/dragoman-project/dragoman/internal/cache"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// bindings holds plugins' programs, bound to the prompts they were last used with. The zero value is empty.
type bindings struct {
	programs cache.Cache[cache.Key, *peg.Program]
}

// bind returns p bound to a prompt, sealed.
func (b *bindings) bind(p *peg.Program, prompt string) *peg.Program {
	digest := p.Digest()
	bound, _ := b.programs.Get(cache.KeyOf(digest[:], prompt), func() (*peg.Program, int, error) {
		bound := p.Bind(strings.Clone(prompt)).Sealed() // a cached program must not keep the whole request's prompt
		return bound, bound.Size(), nil
	})
	return bound
}
