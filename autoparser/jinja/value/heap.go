package value

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
)

// Heap is where the values of one rendering are made. It counts what they take.
type Heap struct {
	meter.Meter
	Tolerant bool    // what is undefined counts as an empty text in arithmetic
	room     []Value // memory for small slices of values
	used     int     // how much of room is in use
}

// Take returns a slice of n nil values. It is taken once in a rendering, so that it may be kept.
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

// roomForValues is how many values get their memory at once.
const roomForValues = 256

// Release forgets the values, and keeps the memory for the next rendering.
func (h *Heap) Release() {
	clear(h.room[:h.used])
	*h = Heap{room: h.room}
}
