package value

import (
	"slices"
	"sort"
)

// Sorted returns the items in the order of their keys. The sort is stable.
func (h *Heap) Sorted(items []Value, key func(Value) Value, reverse bool) []Value {
	h.GrowTimes(len(items), 64)
	s := &sorting{h: h, values: slices.Clone(items), keys: make([]Value, len(items)), reverse: reverse}
	for i, v := range items {
		s.keys[i] = key(v)
	}
	sort.Stable(s)
	return s.values
}

// sorting implements sort.Interface for values and their keys.
type sorting struct {
	h            *Heap
	keys, values []Value
	reverse      bool
}

func (s *sorting) Len() int { return len(s.keys) }

func (s *sorting) Less(i, j int) bool {
	if s.reverse {
		i, j = j, i
	}
	return s.h.Less(s.keys[i], s.keys[j])
}

func (s *sorting) Swap(i, j int) {
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	s.values[i], s.values[j] = s.values[j], s.values[i]
}
