package value

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
)

// Heap allocates the values of one rendering and counts their memory.
type Heap struct {
	meter.Meter
	Tolerant bool    // undefined operands of arithmetic count as an empty string
	room     []Value // the current block for small slices of values
	used     int     // the number of values of room in use
}

// Take returns a slice of n nil values, which is not reused during the rendering.
func (h *Heap) Take(n int) []Value {
	if n > len(h.room)-h.used {
		if n > roomForValues/8 {
			return make([]Value, n)
		}
		h.room, h.used = make([]Value, roomForValues), 0
	}
	h.used += n
	return h.room[h.used-n : h.used : h.used]
}

// roomForValues is the number of values in a block.
const roomForValues = 256

// Release drops all values, and keeps the memory for the next rendering.
func (h *Heap) Release() {
	clear(h.room[:h.used])
	*h = Heap{room: h.room}
}
