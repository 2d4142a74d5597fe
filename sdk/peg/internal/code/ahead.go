package code

import (
	"slices"

	"github.com/dragoman-project/dragoman/sdk/peg"
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// Most frames of choices are popped or fallen back to a few bytes later, because texts come first in alternatives. Words and Head
// are what the machine can find out by comparing these texts before it pushes a frame: they lead to the state, and count the
// instructions, that running the code would. So they may be used or not, as the bytes at hand allow.

// Words says that the code at an OpChoice or OpCall reads one of several texts and nothing else, such as a quote of either kind.
type Words struct {
	List  []Word
	Next  int32 // where the code continues
	steps int   // instructions besides those of the words
}

// Word is a text of Words.
type Word struct {
	Guard   int32 // the address of the choice whose first alternative it is; -1: it is the last alternative
	PC      int32 // the address of its literal
	Matched int   // instructions run if it matches, with those around all words
	Failed  int   // instructions run if it does not
}

// Head is the beginning of the first alternative of an OpChoice, as far as it consists of texts.
type Head struct {
	List []Part
	Size int // bytes, at most
}

// Part is a text of a Head: either the literal at PC or one of Words.
type Part struct {
	PC    int32
	Words *Words
	Steps int // instructions run before it, from the choice on, besides those of Words
}

const (
	maxWords = 4 // alternatives that are compared one after the other
	maxParts = 6 // parts of a head
	maxHops  = 16
)

// look fills in Words and Head of all instructions.
func (c *compiler) look() {
	for pc := range c.Insts {
		if in := &c.Insts[pc]; in.Op == OpChoice || in.Op == OpCall {
			in.Words = c.words(int32(pc))
		}
	}
	for pc := range c.Insts {
		if in := &c.Insts[pc]; in.Op == OpChoice && in.Words == nil && in.First != nil {
			in.Head = c.head(int32(pc))
		}
	}
}

// mute reports whether consuming bytes at in decides nothing.
func (in *Inst) mute() bool { return in.Role == peg.NoRole || in.Muted }

// words returns what the choice or call at pc reads, if that is one of a few texts.
func (c *compiler) words(pc int32) *Words {
	in := &c.Insts[pc]
	if in.Op == OpChoice {
		return c.wordsOf(pc)
	}
	w := Words{steps: 2, Next: pc + 1}
	switch body := &c.Insts[in.To]; {
	case in.Omits:
		return nil
	case body.Op == OpLiteral && body.mute() && c.Insts[in.To+1].Op == OpReturn:
		w.List = []Word{{Guard: -1, PC: in.To, Matched: 1, Failed: 1}}
	case body.Op == OpChoice:
		inner := c.wordsOf(in.To)
		if inner == nil || c.Insts[inner.Next].Op != OpReturn {
			return nil
		}
		w.List = inner.List
	default:
		return nil
	}
	for i := range w.List {
		w.List[i].Matched += w.steps
	}
	return &w
}

// wordsOf returns what the choice at pc reads. It allocates nothing if there are other things than words.
func (c *compiler) wordsOf(pc int32) *Words {
	var list [maxWords]Word
	var end int32
	for n := range list {
		word, next := c.word(pc)
		if next < 0 || next != end && (n > 0 || word.Guard < 0) {
			return nil
		}
		list[n] = word
		if word.Guard < 0 {
			return &Words{List: slices.Clone(list[:n+1]), Next: end}
		}
		end, pc = next, c.Insts[pc].To
	}
	return nil
}

// word returns the word that the code at pc begins with, and where the code continues after it; -1: it begins with none.
func (c *compiler) word(pc int32) (Word, int32) {
	in := &c.Insts[pc]
	if in.Op == OpChoice {
		if c.Insts[pc+1].Op == OpChoice { // more than a word
			return Word{}, -1
		}
		word, next := c.word(pc + 1)
		if in.First == nil || next < 0 || word.Guard >= 0 || c.Insts[next].Op != OpChosen || c.Insts[next].Of != pc {
			return Word{}, -1
		}
		word.Guard = pc
		word.Matched += 2
		word.Failed++
		return word, c.Insts[next].To
	}
	switch {
	case in.Op == OpLiteral && in.mute():
		return Word{Guard: -1, PC: pc, Matched: 1, Failed: 1}, pc + 1
	case in.Op == OpCall && !in.Omits && c.Insts[in.To].Op == OpLiteral && c.Insts[in.To].mute() && c.Insts[in.To+1].Op == OpReturn:
		return Word{Guard: -1, PC: in.To, Matched: 3, Failed: 2}, pc + 1
	}
	return Word{}, -1
}

// head returns the head of the choice at pc; nil if looking at it is useless.
func (c *compiler) head(pc int32) *Head {
	h := Head{List: make([]Part, 0, maxParts)}
	useful, steps := 0, 1
	back := make([]int32, 0, maxHops)
	for at := pc + 1; len(h.List) < maxParts && steps < maxHops; {
		in := &c.Insts[at]
		switch {
		case in.Op == OpHold || in.Op == OpOpen:
			at++
			steps++
		case in.Op == OpLiteral:
			h.List = append(h.List, Part{PC: at, Steps: steps})
			h.Size += len(in.Literal.Text)
			if useful = len(h.List); !in.mute() {
				return h.upTo(useful)
			}
			at++
			steps++
		case in.Words != nil:
			h.List = append(h.List, Part{Words: in.Words, Steps: steps})
			h.Size += c.longest(in.Words)
			at = in.Words.Next
		case in.Op == OpCall && !in.Omits:
			back = append(back, at+1)
			at = in.To
			steps++
		case in.Op == OpReturn && len(back) > 0:
			at = back[len(back)-1]
			back = back[:len(back)-1]
			steps++
		default:
			return h.upTo(useful)
		}
	}
	return h.upTo(useful)
}

// upTo returns a copy of the head, cut to n parts; nil if there are none.
func (h Head) upTo(n int) *Head {
	if n == 0 {
		return nil
	}
	return &Head{List: slices.Clone(h.List[:n]), Size: h.Size}
}

func (c *compiler) longest(w *Words) int {
	n := 0
	for _, x := range w.List {
		n = max(n, len(c.Insts[x.PC].Literal.Text))
	}
	return n
}

// Cost is what running code counts.
type Cost struct{ Steps, Fallbacks int }

// Find compares the beginning of b, which is at offset at, with the words in their order. It returns the index of the one that is
// there, and what running the code up to Next would cost. Hungry and Failed mean that the code must be run to know.
func (w *Words) Find(insts []Inst, b []byte, at int, tokens *scan.Tokens) (index int, cost Cost, o scan.Outcome) {
	for i := range w.List {
		x := &w.List[i]
		if x.Refused(insts, b) {
			cost.Steps++
			continue
		}
		if o = insts[x.PC].Literal.Match(b, at, tokens); o != scan.Failed {
			cost.Steps += x.Matched
			return i, cost, o
		}
		cost.Steps += x.Failed
		cost.Fallbacks++
	}
	return 0, cost, scan.Failed
}

// Refused reports whether the choice before the word skips it because of the first byte of b.
func (x *Word) Refused(insts []Inst, b []byte) bool {
	return x.Guard >= 0 && len(b) > 0 && !insts[x.Guard].First.Has(b[0])
}
