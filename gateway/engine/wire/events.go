package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// events reads the events of a stream: the data of server-sent events, or lines of JSON, which have no field names. [DONE] ends it.
type events struct {
	lines *bufio.Scanner
	data  []byte
}

func newEvents(r io.Reader) *events {
	e := &events{lines: bufio.NewScanner(r)}
	e.lines.Buffer(nil, maxAnswer)
	return e
}

// next returns the next event, which is valid until the next call; io.EOF after the last.
func (e *events) next() ([]byte, error) {
	e.data = e.data[:0]
	for e.lines.Scan() {
		line := e.lines.Bytes()
		data, isData := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case len(line) == 0:
			if len(e.data) > 0 {
				return e.whole()
			}
		case isData:
			if len(e.data) > 0 {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, bytes.TrimPrefix(data, []byte(" "))...)
		case line[0] == '{' || line[0] == '[':
			e.data = append(e.data, line...)
			return e.whole()
		}
	}
	if err := e.lines.Err(); err != nil {
		return nil, err
	}
	if len(e.data) > 0 {
		return e.whole()
	}
	return nil, io.EOF
}

func (e *events) whole() ([]byte, error) {
	if string(bytes.TrimSpace(e.data)) == "[DONE]" {
		return nil, io.EOF
	}
	return e.data, nil
}

// decode reads an event. An engine may cut a character in two, and send both halves in JSON that is not UTF-8: they are kept through the
// decoding as runes of a private range, which text turns back.
func decode(event []byte, into any) (text func(string) []byte, err error) {
	text = func(s string) []byte { return []byte(s) }
	if !utf8.Valid(event) {
		event, text = escape(event), unescape
	}
	if err := json.Unmarshal(event, into); err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Message: fmt.Sprintf("the engine sent an event that cannot be read: %v", err), Err: err}
	}
	return text, nil
}

// halves is the first rune that stands for a byte which is not UTF-8: the last ones of Unicode's last private plane.
const halves = 0x10FF00

// escape replaces bytes that are not UTF-8 by runes.
func escape(b []byte) (out []byte) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			r = halves + rune(b[0])
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// unescape puts the bytes back.
func unescape(s string) (out []byte) {
	for _, r := range s {
		if r >= halves {
			out = append(out, byte(r-halves))
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// failure is the error within an event; its zero value is none.
type failure struct {
	Error   json.RawMessage `json:"error"`
	Type    string          `json:"error_type"`
	Message string          `json:"message"`
}

// fault returns the error of an event, nil if it has none.
func (f failure) fault(event []byte) error {
	if len(f.Error) == 0 || string(f.Error) == "null" {
		return nil
	}
	var inner struct {
		Code json.Number `json:"code"`
	}
	_ = json.Unmarshal(f.Error, &inner) // a text has no code
	code := fault.Unavailable
	if status, err := inner.Code.Int64(); err == nil && status >= http.StatusBadRequest && status < http.StatusInternalServerError {
		code = fault.InvalidArgument
	}
	return &fault.Error{Code: code, Message: "the engine failed: " + message(event), Remedy: "try again"}
}
