package tokenizer

import (
	"fmt"
	"hash/maphash"
)

// vocabulary holds the texts of all tokens in one piece of memory, and finds ids by text.
//
//	texts  …the world…          the texts, in the order in which they were added
//	at     [… {0, 3} {3, 6} …]  by id: where its text begins, and how long it is
//	slots  [… 2 … 1 …]          open addressing by the hash of the text: id + 1, or 0
type vocabulary struct {
	seed  maphash.Seed
	texts []byte
	at    []place
	slots []uint32
	used  int // slots
}

type place struct{ from, size uint32 }

// maxTexts bounds the texts of a vocabulary together, and maxTokens their number.
const (
	maxTexts  = 1 << 28
	maxTokens = 1 << 22
)

func newVocabulary() *vocabulary {
	return &vocabulary{seed: maphash.MakeSeed(), slots: make([]uint32, 1<<10)}
}

// size returns one more than the highest id.
func (v *vocabulary) size() int { return len(v.at) }

// text returns the text of an id; empty if there is no such token.
func (v *vocabulary) text(id ID) []byte {
	if int64(id) >= int64(len(v.at)) {
		return nil
	}
	p := v.at[id]
	return v.texts[p.from : p.from+p.size : p.from+p.size]
}

// set gives an id its text, which it must not have yet.
func (v *vocabulary) set(id ID, text []byte) error {
	switch {
	case id >= maxTokens:
		return fmt.Errorf("the id %d of token %.40q is too high; expected ids below %d", id, text, maxTokens)
	case len(v.texts)+len(text) > maxTexts:
		return fmt.Errorf("the tokens have more than %d bytes", maxTexts)
	case int(id) < len(v.at) && v.at[id].size > 0:
		return fmt.Errorf("the tokens %.40q and %.40q both have id %d", v.text(id), text, id)
	}
	for int(id) >= len(v.at) {
		v.at = append(v.at, place{})
	}
	v.at[id] = place{uint32(len(v.texts)), uint32(len(text))}
	v.texts = append(v.texts, text...)
	return nil
}

// index makes an id known by its text, in place of an id that had the same text.
func (v *vocabulary) index(id ID) (replaced bool) {
	if v.used*2 >= len(v.slots) {
		old := v.slots
		v.slots = make([]uint32, 2*len(old))
		for _, slot := range old {
			if slot > 0 {
				v.slots[v.slot(v.text(slot-1))] = slot
			}
		}
	}
	i := v.slot(v.text(id))
	replaced = v.slots[i] > 0
	if !replaced {
		v.used++
	}
	v.slots[i] = id + 1
	return replaced
}

// slot returns the slot of a text, which is empty if it is not known.
func (v *vocabulary) slot(text []byte) int {
	mask := len(v.slots) - 1
	for i := int(maphash.Bytes(v.seed, text)) & mask; ; i = (i + 1) & mask {
		if s := v.slots[i]; s == 0 || string(v.text(s-1)) == string(text) {
			return i
		}
	}
}

// id returns the id of a text.
func (v *vocabulary) id(text string) (ID, bool) {
	mask := len(v.slots) - 1
	for i := int(maphash.String(v.seed, text)) & mask; ; i = (i + 1) & mask {
		switch s := v.slots[i]; {
		case s == 0:
			return 0, false
		case string(v.text(s-1)) == text:
			return s - 1, true
		}
	}
}
