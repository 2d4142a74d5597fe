package regular

import (
	"encoding/binary"

	"github.com/dragoman-project/dragoman/internal/cfg"
	"github.com/dragoman-project/dragoman/internal/cfg/automaton"
	"github.com/dragoman-project/dragoman/internal/cfg/charset"
)

// maxFollowed bounds the states that Continuations visits.
const maxFollowed = 1 << 11

// Continuations returns the characters that may follow a text of e within a longer text of e. If
// the automaton of e has too many states, only those found so far are returned.
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

// stateKey returns a map key for a set of states.
func stateKey(states []int32) string {
	key := make([]byte, 0, 4*len(states))
	for _, s := range states {
		key = binary.LittleEndian.AppendUint32(key, uint32(s))
	}
	return string(key)
}
