package responses

import (
	"bytes"
	"slices"

	"github.com/dragoman-project/dragoman/gateway/responses/request"
	"github.com/dragoman-project/dragoman/internal/ordered"
)

// freeText reads the input of a custom tool from the arguments of its function, {"input": "…"}, as they come. Arguments of another
// form, which models without a constraint may write, are the input as they are.
//
//	arguments: | read | held | … |      held is the beginning of the head, or of an escape
type freeText struct {
	state state
	held  []byte
	text  []byte // memory for what read returns
}

type state uint8

const (
	before state = iota // the text
	inside
	after
	verbatim
)

// read returns the text that more of the arguments have. It is valid until the next call.
func (f *freeText) read(more []byte) []byte {
	switch f.state {
	case after:
		return nil
	case verbatim:
		return more
	case inside:
		f.held = append(f.held, more...)
		return f.unescape()
	}
	f.held = append(f.held, more...)
	rest, begun := head(f.held)
	switch {
	case !begun:
		return f.give(verbatim)
	case rest < 0:
		return nil
	}
	f.held, f.state = f.held[rest:], inside
	return f.unescape()
}

// rest returns what is held back, at the end.
func (f *freeText) rest() []byte {
	if f.state == before {
		return f.give(verbatim)
	}
	return nil // half an escape is no text
}

func (f *freeText) give(next state) []byte {
	text := f.held
	f.held, f.state = nil, next
	return text
}

// head finds where the text begins in arguments; -1: they may still begin it. It reports whether they do.
func head(b []byte) (rest int, begun bool) {
	at := 0
	for _, word := range [...]string{"{", `"` + request.Input + `"`, ":", `"`} {
		for at < len(b) && bytes.IndexByte([]byte(" \t\r\n"), b[at]) >= 0 {
			at++
		}
		n := min(len(word), len(b)-at)
		if string(b[at:at+n]) != word[:n] {
			return 0, false
		}
		if at += n; n < len(word) {
			return -1, true
		}
	}
	return at, true
}

// unescape returns the text that is held, up to an escape that is not whole, or to its end.
func (f *freeText) unescape() []byte {
	f.text = f.text[:0]
	for at := 0; at < len(f.held); {
		switch c := f.held[at]; c {
		case '"':
			f.held, f.state = nil, after
			return f.text
		case '\\':
			n := escape(f.held[at:])
			if n == 0 {
				f.held = append(f.held[:0], f.held[at:]...)
				return f.text
			}
			f.text = append(f.text, ordered.Unquote(slices.Concat([]byte{'"'}, f.held[at:at+n], []byte{'"'}))...)
			at += n
		default:
			f.text = append(f.text, c)
			at++
		}
	}
	f.held = f.held[:0]
	return f.text
}

// escape returns the length of the escape at the beginning of b, of both halves of a character; 0: it is not whole.
func escape(b []byte) int {
	const simple, unit = len(`\n`), len(`\u0000`)
	switch {
	case len(b) < simple:
		return 0
	case b[1] != 'u':
		return simple
	case len(b) < unit:
		return 0
	case !isHighSurrogate(b[:unit]):
		return unit
	}
	n := min(len(b)-unit, simple)
	if string(b[unit:unit+n]) != `\u`[:n] {
		return unit
	}
	if len(b) < 2*unit {
		return 0
	}
	return 2 * unit
}

// isHighSurrogate reports whether an escape is the first half of a character.
func isHighSurrogate(b []byte) bool {
	return (b[2] == 'd' || b[2] == 'D') && bytes.IndexByte([]byte("89abAB"), b[3]) >= 0
}
