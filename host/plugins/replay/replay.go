// Package replay suppresses events that were delivered before, when an output is sent again to another process.
package replay

import (
	"errors"
	"hash"
	"hash/fnv"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// Filter passes events on to Sink and remembers them, so that none is delivered twice when the output is sent again. It keeps
// a checksum of each text, not the text.
//
//	said    content 12 bytes | call | name 4 bytes | arguments 30 bytes
//	at                          ↑ what a new process has repeated; beyond the end everything is new
type Filter struct {
	Sink  chat.Sink
	said  []saying
	at    int // the saying being delivered or repeated
	from  int // how many bytes of it were
	sum   hash.Hash64
	Fault error // ErrDifferent if what was repeated differs; nothing more is passed on
}

// saying is an event, or consecutive ones of one kind that add up to one text.
type saying struct {
	kind      chat.EventKind
	recovered bool
	open      bool
	length    int
	sum       uint64
}

func (s saying) like(e chat.Event) bool {
	return s.kind == e.Kind && s.recovered == e.Recovered && s.open == e.Open
}

// grows reports whether consecutive texts of a kind are parts of one.
func grows(k chat.EventKind) bool {
	return k == chat.ContentText || k == chat.ReasoningText || k == chat.CallArguments
}

// Again begins again: the output is sent from its beginning.
func (t *Filter) Again() { t.at, t.from, t.sum = 0, 0, nil }

// Behind reports whether not everything has been repeated yet.
func (t *Filter) Behind() bool {
	last := len(t.said) - 1
	return t.at < last || t.at == last && (t.sum == nil || t.from < t.said[last].length)
}

// Take passes on the part of an event that is new.
func (t *Filter) Take(e chat.Event) {
	if t.Fault != nil || len(e.Text) == 0 && grows(e.Kind) {
		return
	}
	if !t.joins(e) {
		t.next()
	}
	if t.at == len(t.said) {
		t.said = append(t.said, saying{kind: e.Kind, recovered: e.Recovered, open: e.Open})
		t.tell(e)
		return
	}
	t.repeat(e)
}

// joins reports whether e continues the present saying.
func (t *Filter) joins(e chat.Event) bool {
	return t.at < len(t.said) && t.from > 0 && grows(e.Kind) && t.said[t.at].like(e)
}

// next moves on to the next saying, if the present one has begun.
func (t *Filter) next() {
	if t.sum == nil {
		return
	}
	if t.from < t.said[t.at].length {
		t.Fault = ErrDifferent
	}
	t.at, t.from, t.sum = t.at+1, 0, nil
}

// repeat compares an event with what was said, and passes on what goes beyond.
func (t *Filter) repeat(e chat.Event) {
	s := &t.said[t.at]
	last := t.at == len(t.said)-1
	if !s.like(e) || !grows(e.Kind) && len(e.Text) != s.length {
		t.Fault = ErrDifferent
		return
	}
	known := min(len(e.Text), s.length-t.from)
	t.add(e.Text[:known])
	if t.from == s.length && t.sum.Sum64() != s.sum || known < len(e.Text) && !last {
		t.Fault = ErrDifferent
		return
	}
	if e.Text = e.Text[known:]; len(e.Text) > 0 {
		t.tell(e)
	}
}

// add counts text as delivered.
func (t *Filter) add(text []byte) {
	if t.sum == nil {
		t.sum = fnv.New64a()
	}
	_, _ = t.sum.Write(text)
	t.from += len(text)
}

// tell passes on a new event.
func (t *Filter) tell(e chat.Event) {
	t.add(e.Text)
	s := &t.said[t.at]
	s.length, s.sum = t.from, t.sum.Sum64()
	t.Sink(e)
}

// ErrDifferent is the fault of an output that is parsed differently when it is sent again.
var ErrDifferent = errors.New("it parses the same output differently when it is sent again")
