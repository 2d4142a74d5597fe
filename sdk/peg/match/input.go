package match

import (
	"github.com/dragoman-project/dragoman/sdk/peg/internal/scan"
)

// input is the part of the model's output that is not forgotten.
//
//	0        base        keep       pos            end
//	|         |           |          |              |
//	+---------+-----------+----------+--------------+
//	forgotten | decided   | held     | not read yet |
//	          |<---------------- text ------------->|
//
// All positions are byte offsets into generation prompt + output. Invariant: base ≤ keep ≤ pos ≤ end. No frame, waiting
// text or atomic region refers to anything before keep. While nothing is held, text is the caller's chunk itself, nothing is
// copied, and own is empty.
type input struct {
	text   []byte
	own    []byte
	base   int
	pos    int
	tokens scan.Tokens
}

func (in *input) end() int { return in.base + len(in.text) }

// add adds the next chunk.
func (in *input) add(chunk []byte) {
	if len(in.own) == 0 {
		in.text = chunk
		return
	}
	in.own = append(in.own, chunk...)
	in.text = in.own
}

// release is called before the chunk is the caller's again: what follows keep is copied, unless it is in own already. Decided
// bytes are dropped once they are at least half of the text, so that each byte is moved a bounded number of times.
func (in *input) release(keep int) {
	drop := keep - in.base
	if len(in.own) > 0 && drop < len(in.text)/2 {
		return
	}
	in.own = append(in.own[:0], in.text[drop:]...)
	in.text = in.own
	in.base = keep
	in.tokens.Forget(keep)
}

// forget forgets all input, up to its end.
func (in *input) forget(end int) {
	in.own, in.text, in.base = in.own[:0], nil, end
	in.tokens.Forget(end)
}

// bytes returns the input from one offset to another.
func (in *input) bytes(from, to int) []byte { return in.text[from-in.base : to-in.base] }
