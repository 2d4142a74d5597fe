package regular

import (
	"encoding/binary"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/automaton"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// maxFollowed bounds the states of the automaton that tells where a text may go on.
const maxFollowed = 1 << 11

// Continuations is the set of characters with which a text of e may go on to be a longer beginning of a text of e. Where the
// automaton of e has too many states, it is those found so far.
func Continuations(e *cfg.Expr) charset.Set {
	c, first := automaton.Of(e)
	seen := map[string]bool{stateKey(first): true}
	var out charset.Set
	for queue := [][]int32{first}; len(queue) > 0 && len(seen) < maxFollowed; queue = queue[1:] {
		states := queue[0]
		accepts := c.Accepts(states)
		for _, part := range c.Partition(states) {
			if accepts {
				out = out.Union(charset.Set{part})
			}
			next := c.Step(states, part.Lo)
			if key := stateKey(next); !seen[key] {
				seen[key] = true
				queue = append(queue, next)
			}
		}
	}
	return out
}

// stateKey tells sets of states apart.
func stateKey(states []int32) string {
	key := make([]byte, 0, 4*len(states))
	for _, s := range states {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	return string(key)
}
