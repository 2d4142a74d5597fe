package recorder

import (
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
)

// Tape is an output while it is being recorded. It is used by one goroutine at a time. A nil Tape records nothing.
type Tape struct {
	recorder *Recorder
	output   *Output
	began    time.Time
	at       time.Duration // of the last piece
	text     []byte
	pieces   []byte // packed
	count    int
	chosen   bool   // whatever its marks
	lost     Result // why it cannot be kept; empty: it can
	specials []string

	took    time.Duration
	report  chat.Report
	limited bool
}

const (
	// tapeBytes is what each buffer of a tape begins with, and keepBytes the largest that is used again.
	tapeBytes = 2 << 10
	keepBytes = 64 << 10
	// maxTape bounds the bytes of an output that is recorded.
	maxTape = 8 << 20
	// maxMemory bounds the bytes of all tapes together.
	maxMemory = 64 << 20
)

var tapes = sync.Pool{New: func() any {
	return &Tape{text: make([]byte, 0, tapeBytes), pieces: make([]byte, 0, tapeBytes)}
}}

// Specials sets the special tokens that markers match as, if they are not those of the plan.
func (t *Tape) Specials(tokens []string) {
	if t != nil {
		t.specials = tokens
	}
}

// Fed adds a piece, whose bytes from special tokens are known unless special is nil.
func (t *Tape) Fed(piece []byte, special []match.Range) {
	if t == nil || t.lost != "" {
		return
	}
	packed := maxPacked(special)
	if (cap(t.text)-len(t.text) < len(piece) || cap(t.pieces)-len(t.pieces) < packed) && !t.grow(len(piece), packed) {
		return
	}
	at := time.Since(t.began).Truncate(time.Microsecond)
	t.text = append(t.text, piece...)
	t.pieces = appendPiece(t.pieces, int((at-t.at)/time.Microsecond), len(piece), special)
	t.at = at
	t.count++
}

// grow makes room for so many bytes, or gives the tape up.
func (t *Tape) grow(text, pieces int) bool {
	text, pieces = grown(t.text, text), grown(t.pieces, pieces)
	more := text - cap(t.text) + pieces - cap(t.pieces)
	switch {
	case text > maxTape || pieces > maxTape:
		t.lose(TooLarge)
		return false
	case t.recorder.memory.Add(int64(more)) > maxMemory:
		t.recorder.memory.Add(int64(-more))
		t.lose(NoMemory)
		return false
	}
	t.text, t.pieces = append(make([]byte, 0, text), t.text...), append(make([]byte, 0, pieces), t.pieces...)
	return true
}

// grown returns the capacity for a buffer that takes so many bytes more.
func grown(b []byte, more int) int {
	size := cap(b)
	for size-len(b) < more {
		size *= 2
	}
	return size
}

// lose gives the tape up, and its memory back.
func (t *Tape) lose(why Result) {
	t.lost = why
	t.recorder.memory.Add(int64(tapeBytes*2 - cap(t.text) - cap(t.pieces)))
	t.text, t.pieces = make([]byte, 0, tapeBytes), make([]byte, 0, tapeBytes)
}

// End ends the output, and hands the tape over if it is to be kept. The tape must not be used any more.
func (t *Tape) End(report *chat.Report, limited bool) {
	if t == nil {
		return
	}
	t.report, t.limited, t.took = *report, limited, time.Since(t.began)
	t.recorder.take(t)
}

// Drop ends an output that was given up. The tape must not be used any more.
func (t *Tape) Drop() {
	if t != nil {
		t.free()
	}
}

// free gives the tape back.
func (t *Tape) free() {
	t.recorder.memory.Add(int64(-cap(t.text) - cap(t.pieces)))
	if cap(t.text) > keepBytes || cap(t.pieces) > keepBytes {
		return
	}
	*t = Tape{text: t.text[:0], pieces: t.pieces[:0]}
	tapes.Put(t)
}
