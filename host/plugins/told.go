package plugins

import (
	"hash"
	"hash/fnv"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// told remembers what a stream told, so that nothing is told twice when the output is sent again. It keeps a checksum of each
// text, not the text.
//
//	said    content 12 bytes | call | name 4 bytes | arguments 30 bytes
//	at                          ↑ what a new process has told again; behind the end everything is news
type told struct {
	sink  chat.Sink
	said  []saying
	at    int // the saying that is being told
	from  int // bytes of it told
	sum   hash.Hash64
	fault error // what was told again was not the same
}

// saying is an event, or neighbours of one kind that add up to one text.
type saying struct {
	kind      chat.EventKind
	recovered bool
	length    int
	sum       uint64
}

func (s saying) like(e chat.Event) bool { return s.kind == e.Kind && s.recovered == e.Recovered }

// grows says that texts of a kind are parts of one.
func grows(k chat.EventKind) bool {
	return k == chat.ContentText || k == chat.ReasoningText || k == chat.CallArguments
}

// again says that the output is sent again, from its beginning.
func (t *told) again() { t.at, t.from, t.sum = 0, 0, nil }

// behind says that not all is told again yet.
func (t *told) behind() bool {
	last := len(t.said) - 1
	return t.at < last || t.at == last && (t.sum == nil || t.from < t.said[last].length)
}

// take passes on the part of an event that is news.
func (t *told) take(e chat.Event) {
	if t.fault != nil || len(e.Text) == 0 && grows(e.Kind) {
		return
	}
	if !t.joins(e) {
		t.next()
	}
	if t.at == len(t.said) {
		t.said = append(t.said, saying{kind: e.Kind, recovered: e.Recovered})
		t.tell(e)
		return
	}
	t.repeat(e)
}

// joins says that e adds to the saying that is being told.
func (t *told) joins(e chat.Event) bool {
	return t.at < len(t.said) && t.from > 0 && grows(e.Kind) && t.said[t.at].like(e)
}

// next goes on to the next saying, if the one that is being told has begun.
func (t *told) next() {
	if t.sum == nil {
		return
	}
	if t.from < t.said[t.at].length {
		t.fault = errDifferent
	}
	t.at, t.from, t.sum = t.at+1, 0, nil
}

// repeat compares an event with what was said, and tells what goes beyond.
func (t *told) repeat(e chat.Event) {
	s := &t.said[t.at]
	last := t.at == len(t.said)-1
	if !s.like(e) || !grows(e.Kind) && len(e.Text) != s.length {
		t.fault = errDifferent
		return
	}
	known := min(len(e.Text), s.length-t.from)
	t.add(e.Text[:known])
	if t.from == s.length && t.sum.Sum64() != s.sum || known < len(e.Text) && !last {
		t.fault = errDifferent
		return
	}
	if e.Text = e.Text[known:]; len(e.Text) > 0 {
		t.tell(e)
	}
}

// add counts text as told.
func (t *told) add(text []byte) {
	if t.sum == nil {
		t.sum = fnv.New64a()
	}
	_, _ = t.sum.Write(text)
	t.from += len(text)
}

// tell passes on news.
func (t *told) tell(e chat.Event) {
	t.add(e.Text)
	s := &t.said[t.at]
	s.length, s.sum = t.from, t.sum.Sum64()
	t.sink(e)
}
