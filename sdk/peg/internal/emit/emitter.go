package emit

import (
	"bytes"

	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg"
)

// Emitter delivers events to Sink. It alone builds the JSON of arguments, and only by appending. The zero value, with a
// sink, is ready to use.
type Emitter struct {
	Sink chat.Sink
	// From and To delimit the bytes of the input that the next text or region was read from.
	From, To int

	call  callState
	began int // where the open call began
	id    []byte
	early []byte // arguments that preceded the name
	args  arguments
}

type callState uint8

const (
	noCall  callState = iota
	unnamed           // a call that has no name yet
	named             // a call that has been announced
)

// Text delivers text of a role: a piece of it, or all of it if the role is whole.
func (t *Emitter) Text(role peg.Role, text []byte, recovered bool) {
	switch role {
	case peg.Content:
		t.Sink(chat.Event{Kind: chat.ContentText, Text: text, Recovered: recovered, From: t.From, To: t.To})
	case peg.Reasoning:
		t.deliver(chat.ReasoningText, text)
	case peg.CallID:
		t.setID(bytes.Trim(bytes.TrimSpace(text), `"`))
	case peg.CallName:
		t.setName(bytes.TrimSpace(text))
	case peg.Key:
		t.say(t.args.key(bytes.TrimSpace(text)))
	default:
		t.say(t.args.text(text))
	}
}

// Open begins a region.
func (t *Emitter) Open(role peg.Role) {
	if role == peg.Call {
		t.call, t.began = unnamed, t.From
		t.id, t.early = t.id[:0], t.early[:0]
		t.args.reset()
		return
	}
	t.say(t.args.begin(role))
}

// Close ends a region that is complete.
func (t *Emitter) Close(role peg.Role) {
	if role != peg.Call {
		t.say(t.args.end(role))
		return
	}
	t.say(t.args.complete())
	t.endCall(false)
}

// Omit ends the open call where the output ends without its last marker, and reports whether it is complete nevertheless.
func (t *Emitter) Omit() bool {
	if t.args.closed() {
		t.Close(peg.Call)
		return true
	}
	t.Abandon()
	return false
}

// Abandon ends the open call, if there is one, with the arguments that it has so far.
func (t *Emitter) Abandon() {
	if t.call == named {
		t.say(t.args.abandoned())
	}
	t.endCall(true)
}

func (t *Emitter) endCall(open bool) {
	if t.call == named {
		t.Sink(chat.Event{Kind: chat.CallEnd, Open: open, From: t.From, To: t.To})
	}
	t.call = noCall
}

// setID delivers the id of the open call, or holds it until the name has come.
func (t *Emitter) setID(id []byte) {
	switch t.call {
	case named:
		t.deliver(chat.CallID, id)
	case unnamed:
		t.id = append(t.id[:0], id...)
	}
}

// setName announces the open call and delivers what waited for the name. Only the first name of a call counts.
func (t *Emitter) setName(name []byte) {
	if t.call != unnamed || len(name) == 0 {
		return
	}
	t.call = named
	t.Sink(chat.Event{Kind: chat.CallBegin, From: t.began, To: t.From})
	if len(t.id) > 0 {
		t.deliver(chat.CallID, t.id)
	}
	t.deliver(chat.CallName, name)
	t.say(t.early)
}

// Notes returns what was done to the arguments of calls.
func (t *Emitter) Notes() []string { return t.args.notes() }

// say delivers a piece of the arguments.
func (t *Emitter) say(json []byte) {
	switch {
	case len(json) == 0:
	case t.call == named:
		t.deliver(chat.CallArguments, json)
	case t.call == unnamed:
		t.early = append(t.early, json...)
	}
}

func (t *Emitter) deliver(kind chat.EventKind, text []byte) {
	t.Sink(chat.Event{Kind: kind, Text: text, From: t.From, To: t.To})
}
