package gateway

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/host"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/peg/match"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Output is an output that an engine is writing. It is used by one goroutine at a time, and must be closed.
type Output struct {
	stream   engine.Stream
	first    engine.Piece
	hasFirst bool // it was not taken yet
	release  func()
	session  *host.Session
	tail     tail
	cutter   cutter
	warnings []string

	pieces []chat.Piece // memory for what the session decides
	finish engine.Finish
	full   bool // the model's context is
	usage  *engine.Usage
	result session.Result
	ended  bool
}

// Next appends what the next piece of the engine decided to dst; it may be nothing. The error is io.EOF after the end. The texts are
// valid until the next call.
func (o *Output) Next(dst []chat.Piece) ([]chat.Piece, error) {
	switch {
	case o.ended:
		return dst, io.EOF
	case o.cutter.cut || o.finish != engine.Running:
		return o.last(dst)
	}
	p, err := o.receive()
	if err != nil {
		return dst, err
	}
	if p.Usage != nil {
		o.usage = p.Usage
	}
	o.finish, o.full = p.Finish, p.Full
	if slices.Contains(o.cutter.stops, p.Stop) {
		o.cutter.by = p.Stop
	}
	text, special := o.tail.add(p)
	o.pieces, err = o.session.Append(o.pieces[:0], text, special)
	return o.cutter.append(dst, o.pieces), err
}

// last ends the session, and appends what that decided.
func (o *Output) last(dst []chat.Piece) (_ []chat.Piece, err error) {
	o.pieces, o.result, err = o.session.AppendLast(o.pieces[:0], o.finish == engine.Limited && !o.cutter.cut)
	if dst = o.cutter.append(dst, o.pieces); o.cutter.cut {
		o.cutter.shorten(&o.result)
	} else {
		dst = o.cutter.flush(dst)
	}
	o.ended = true
	o.Close()
	return dst, err
}

// receive returns the engine's next piece.
func (o *Output) receive() (engine.Piece, error) {
	if o.hasFirst {
		o.hasFirst = false
		return o.first, nil
	}
	p, err := o.stream.Next()
	if errors.Is(err, io.EOF) {
		err = brokenOff()
	}
	return p, err
}

// Close gives up what the output holds. The engine stops if it still generates.
func (o *Output) Close() {
	if o.release != nil {
		o.release()
		o.session.Close()
		o.release = nil
	}
}

// Result returns the message, the finish reason and the report of an output that has ended.
func (o *Output) Result() session.Result { return o.result }

// Stop returns the client's stop that has ended the output; "" if none has.
func (o *Output) Stop() string { return o.cutter.by }

// Full reports whether the model's context was full, so that the output broke off.
func (o *Output) Full() bool { return o.full }

// Usage returns what the engine has counted; nil: it did not say.
func (o *Output) Usage() *engine.Usage { return o.usage }

// Warnings are notes for people about the answer and its engine.
func (o *Output) Warnings() []string { return o.warnings }

// tail holds back the model's end token, which some engines leave at the end of the text: it ends the output, and is no part of it.
type tail struct {
	end  string
	held []byte // the beginning of end, or all of it
}

// add returns the text to parse now, and its bytes from special tokens.
func (t *tail) add(p engine.Piece) ([]byte, []match.Range) {
	if t.end == "" {
		return p.Text, p.Special
	}
	if p.Special != nil {
		if n := len(p.Special); p.Finish == engine.Stopped && n > 0 && p.Special[n-1].End == len(p.Text) && string(p.Text[p.Special[n-1].Start:]) == t.end {
			return p.Text[:p.Special[n-1].Start], p.Special[:n-1]
		}
		return p.Text, p.Special
	}
	if len(t.held) == 0 && p.Finish == engine.Running && bytes.IndexByte(p.Text, t.end[0]) < 0 {
		return p.Text, nil
	}
	text := slices.Concat(t.held, p.Text)
	keep := 0
	for n := min(len(t.end), len(text)); n > 0 && keep == 0; n-- {
		if string(text[len(text)-n:]) == t.end[:n] {
			keep = n
		}
	}
	if p.Finish != engine.Running && (keep < len(t.end) || p.Finish == engine.Limited) {
		keep = 0
	}
	out := text[:len(text)-keep]
	t.held = text[len(text)-keep:]
	return out, nil
}
