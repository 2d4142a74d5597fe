package host

import (
	"strings"

	"github.com/dragoman-project/dragoman/internal/kept"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// maxBound bounds the programs that were used lately, by their nodes, and those before them, which are forgotten next: about 10 MB
// of each. A larger program is not kept.
const maxBound = 64 << 10

// bindings keeps plugins' programs as they were bound to prompts last. The zero value is empty.
type bindings struct {
	programs kept.Cache[kept.Key, *peg.Program]
}

// bind is p.Bind of a prompt, sealed, perhaps made before.
func (b *bindings) bind(p *peg.Program, prompt string) *peg.Program {
	digest := p.Digest()
	key := kept.KeyOf(digest[:], prompt)
	if bound, ok := b.programs.Get(key, maxBound); ok {
		return bound
	}
	bound := p.Bind(strings.Clone(prompt)).Sealed() // what is kept is no part of a request's prompt
	return b.programs.PutWithin(key, bound, len(bound.Nodes), maxBound)
}
