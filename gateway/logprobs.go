package gateway

import (
	"bytes"

	"github.com/dragoman-project/dragoman/gateway/engine"
	"github.com/dragoman-project/dragoman/sdk/chat"
)

// likely finds the tokens of the content among those of an output, for their log probabilities. A token has a place in the output if the
// texts of the engine's tokens are its text; one that has none, and one of reasoning, calls or markers alone, is left out.
//
//	engine: tokens | waiting for their text | placed in the output ─┐
//	session: content, and where in the output it was read from ─────┴→ tokens of what was delivered
type likely struct {
	text    []byte // of the output, undecided or without tokens
	from    int    // where it begins in the output
	at      int    // where what has no tokens begins
	waiting []engine.Token

	placed  []placed
	spans   []span
	decided int // bytes of the output
	content int // bytes of content
}

// placed is a token at its place in the output.
type placed struct {
	engine.Token
	from, to int
}

// span is where content was read from, and where in the content it is.
type span struct{ from, to, at int }

// wrote takes what an engine has sent.
func (l *likely) wrote(p engine.Piece) {
	l.text, l.waiting = append(l.text, p.Text...), append(l.waiting, p.Tokens...)
	for len(l.waiting) > 0 {
		t, text := l.waiting[0], l.text[l.at-l.from:]
		switch {
		case bytes.HasPrefix(text, t.Text):
			l.placed = append(l.placed, placed{t, l.at, l.at + len(t.Text)})
			l.at += len(t.Text)
			l.waiting = l.waiting[1:]
		case bytes.HasPrefix(t.Text, text):
			return // the rest comes
		default:
			l.skip(nil)
		}
	}
	l.skip(nil) // what is left has no tokens
}

// skip goes on behind the text so far and one that the engine did not write.
func (l *likely) skip(own []byte) {
	l.text, l.waiting = append(l.text, own...), nil
	l.at = l.from + len(l.text)
}

// read takes what the session has decided.
func (l *likely) read(decided []chat.Piece) {
	for _, p := range decided {
		l.decided = max(l.decided, p.To)
		if p.Kind != chat.ContentText {
			continue
		}
		// Markers and white space may be around the text.
		if at := bytes.LastIndex(l.text[max(p.From-l.from, 0):max(p.To-l.from, 0)], p.Text); at >= 0 {
			from := max(p.From, l.from) + at
			l.spans = append(l.spans, span{from, from + len(p.Text), l.content})
		}
		l.content += len(p.Text)
	}
	if done := min(l.decided, l.at) - l.from; done > 0 {
		l.text, l.from = l.text[done:], l.from+done
	}
}

// take returns the tokens of the content that was delivered, and forgets them and those before them.
func (l *likely) take(delivered int, ended bool) (out []engine.Token) {
	n := 0
	for _, t := range l.placed {
		for len(l.spans) > 0 && l.spans[0].to <= t.from {
			l.spans = l.spans[1:]
		}
		within := len(l.spans) > 0 && l.spans[0].from < t.to && t.from < l.spans[0].to
		if within && l.spans[0].at+max(0, t.from-l.spans[0].from) >= delivered || !within && t.to > l.decided && !ended {
			break
		}
		if within {
			out = append(out, t.Token)
		}
		n++
	}
	l.placed = l.placed[n:]
	return out
}
