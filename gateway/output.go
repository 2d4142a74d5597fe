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
	answer  *Answer
	id      string
	session *host.Session
	thought *thought      // nil: reasoning has no budget
	rest    *session.Plan // for what follows when the gateway has ended reasoning
	notes   []string      // about the request, whatever its engine
	tail    tail
	cutter  cutter

	stream   engine.Stream // nil: the engine was stopped, and another completion goes on
	first    engine.Piece
	hasFirst bool // it was not taken yet
	release  func()
	resume   func() error // goes on
	tokens   int          // of the completion
	warnings []string

	// When the gateway has ended reasoning, written is the output until then, with due at its end, which the session was not fed yet,
	// and before is what was used for it.
	written []byte
	due     []byte
	special []match.Range // of due
	told    bool          // the engine tells special tokens from text
	before  *engine.Usage

	countable bool                 // the model's tokenizer is known
	raw       []byte               // what the engine has written, if it counts nothing meanwhile and the tokenizer is known
	total     func() *engine.Usage // of the output that has ended

	likely    *likely // nil: no log probabilities are asked for
	delivered int     // bytes of content, if they are

	pieces []chat.Piece // memory for what the session decides
	finish engine.Finish
	full   bool // the model's context is
	usage  *engine.Usage
	result session.Result
	ended  bool
}

// Next appends what the next piece of the engine decided to dst; it may be nothing. The error is io.EOF after the end. The texts are
// valid until the next call.
func (o *Output) Next(dst []chat.Piece) (_ []chat.Piece, err error) {
	switch {
	case o.ended:
		return dst, io.EOF
	case o.cutter.cut || o.finish != engine.Running:
		return o.last(dst)
	case o.due != nil:
		o.pieces, err = o.session.Append(o.pieces[:0], o.due, o.special)
		o.due = nil
		return o.deliver(dst), err
	}
	p, err := o.receive()
	if err != nil {
		return dst, err
	}
	before := o.count(p)
	o.finish, o.full = p.Finish, p.Full
	if slices.Contains(o.cutter.stops, p.Stop) {
		o.cutter.by = p.Stop
	}
	if o.likely != nil {
		o.likely.wrote(p)
	}
	text, special := o.tail.add(p)
	o.pieces, err = o.session.Append(o.pieces[:0], text, special)
	if t := o.thought; err == nil && t != nil && t.wrote(p.Text, o.pieces, o.tokens, before) && o.finish == engine.Running {
		o.told = p.Special != nil
		o.endThinking()
	}
	return o.deliver(dst), err
}

// count counts a piece, and returns the number of tokens before it. An engine that does not count sends a piece for each token.
func (o *Output) count(p engine.Piece) (before int) {
	before = o.tokens
	switch {
	case p.Usage != nil:
		o.usage = p.Usage
		o.tokens = max(o.tokens, p.Usage.Completion)
	case len(p.Text) > 0:
		o.tokens++
	}
	if o.countable && o.usage == nil {
		o.raw = append(o.raw, p.Text...)
	}
	return before
}

// deliver appends what the session decided to dst, as far as no stop holds it back; at the end nothing does.
func (o *Output) deliver(dst []chat.Piece) []chat.Piece {
	before := len(dst)
	if dst = o.cutter.append(dst, o.pieces); o.ended && !o.cutter.cut {
		dst = o.cutter.flush(dst)
	}
	if o.likely != nil {
		o.likely.read(o.pieces)
		for _, p := range dst[before:] {
			if p.Kind == chat.ContentText {
				o.delivered += len(p.Text)
			}
		}
	}
	return dst
}

// Logprobs returns the tokens of the content that was delivered since the last call, if the request asks for their log probabilities.
func (o *Output) Logprobs() []engine.Token {
	if o.likely == nil {
		return nil
	}
	return o.likely.take(o.delivered, o.ended)
}

// last ends the session, and appends what that decided.
func (o *Output) last(dst []chat.Piece) (_ []chat.Piece, err error) {
	o.pieces, o.result, err = o.session.AppendLast(o.pieces[:0], o.finish == engine.Limited && !o.cutter.cut)
	o.ended = true
	if dst = o.deliver(dst); o.cutter.cut {
		o.cutter.shorten(&o.result)
	}
	if o.before != nil && o.result.Report != nil {
		o.result.Report.Notes = append(o.result.Report.Notes, o.thought.note())
	}
	o.Close()
	return dst, err
}

// receive returns the engine's next piece. An engine that is gone gives errors that are io.EOF, too: here it would be the end.
func (o *Output) receive() (p engine.Piece, err error) {
	if o.stream == nil {
		err = o.resume()
	}
	if err == nil && o.hasFirst {
		o.hasFirst = false
		return o.first, nil
	}
	if err == nil {
		p, err = o.stream.Next()
	}
	if errors.Is(err, io.EOF) {
		err = brokenOff()
	}
	return p, err
}

// Close gives up what the output holds. The engine stops if it still generates.
func (o *Output) Close() {
	if o.release != nil {
		o.release()
		o.release = nil
	}
	o.session.Close()
}

// Result returns the message, the finish reason and the report of an output that has ended.
func (o *Output) Result() session.Result { return o.result }

// Stop returns the client's stop that has ended the output; "" if none has.
func (o *Output) Stop() string { return o.cutter.by }

// Full reports whether the model's context was full, so that the output broke off.
func (o *Output) Full() bool { return o.full }

// Usage returns what the engine has counted, and at the end what it has not, by the model's tokenizer; nil: nothing is known.
func (o *Output) Usage() *engine.Usage {
	if o.ended {
		return o.total()
	}
	return o.counted()
}

// counted returns what the engine has counted. If the gateway has ended reasoning, the tokens of both completions are those of the
// output, and what it wrote itself is neither.
func (o *Output) counted() *engine.Usage {
	if o.before == nil || o.usage == nil {
		return o.usage
	}
	sum := *o.before
	if sum.Prompt == 0 { // it counts at the end alone
		sum.Prompt, sum.Cached = max(o.usage.Prompt-sum.Completion, 0), o.usage.Cached
	}
	sum.Completion += o.usage.Completion
	return &sum
}

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
