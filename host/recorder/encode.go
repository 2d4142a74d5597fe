package recorder

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// The body of a recording's frame: the offsets of its template and its program in the segment, of which 0 is none, and then, each
// with its length before it: summary, details, request, output, pieces.

// encode returns the body of a recording's frame.
func (r *Recording) encode(template, program int64) ([]byte, error) {
	body := binary.AppendUvarint(nil, uint64(template))
	body = binary.AppendUvarint(body, uint64(program))
	for _, v := range []any{&r.Summary, &r.details} {
		text, err := plainJSON(v)
		if err != nil {
			return nil, err
		}
		body = appendSection(body, text)
	}
	for _, part := range [][]byte{r.Request, r.Output, r.pieces} {
		body = appendSection(body, part)
	}
	return body, nil
}

func appendSection(dst, part []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(part))), part...)
}

// plainJSON returns JSON in which markup is not escaped.
func plainJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	err := out.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// body reads the body of a recording's frame.
type body struct {
	left   []byte
	broken bool
}

func (b *body) number() int64 {
	v, n := binary.Uvarint(b.left)
	if n <= 0 || v > 1<<62 {
		b.broken, b.left = true, nil
		return 0
	}
	b.left = b.left[n:]
	return int64(v)
}

func (b *body) section() []byte {
	n := b.number()
	if n > int64(len(b.left)) {
		b.broken, b.left = true, nil
		return nil
	}
	part := b.left[:n:n]
	b.left = b.left[n:]
	return part
}

var errBroken = errors.New("a recording that is not whole")

// summaryOf returns the summary in the body of a recording's frame.
func summaryOf(data []byte) (s Summary, err error) {
	b := body{left: data}
	b.number()
	b.number()
	text := b.section()
	if b.broken {
		return s, errBroken
	}
	return s, json.Unmarshal(text, &s)
}

// decode reads the body of a recording's frame, and returns where its template and its program are.
func decode(data []byte) (r *Recording, template, program int64, err error) {
	b := body{left: data}
	template, program = b.number(), b.number()
	summary, rest := b.section(), b.section()
	r = new(Recording)
	r.Request, r.Output, r.pieces = b.section(), b.section(), b.section()
	if b.broken || len(b.left) > 0 {
		return nil, 0, 0, errBroken
	}
	if err := errors.Join(json.Unmarshal(summary, &r.Summary), json.Unmarshal(rest, &r.details)); err != nil {
		return nil, 0, 0, fmt.Errorf("a recording that cannot be read: %w", err)
	}
	if r.Report == nil || !json.Valid(r.Request) || !r.whole() {
		return nil, 0, 0, errBroken
	}
	return r, template, program, nil
}

// MarshalJSON returns everything but the program. What of the output is not UTF-8 is replaced.
func (r *Recording) MarshalJSON() ([]byte, error) {
	pieces := []Piece{}
	for p := range r.Each() {
		pieces = append(pieces, p)
	}
	return plainJSON(struct {
		*Summary
		Source  Template        `json:"source"`
		Request json.RawMessage `json:"request"`
		*details
		Output string  `json:"output"`
		Pieces []Piece `json:"pieces_of_output"`
	}{&r.Summary, r.Source, r.Request, &r.details, string(r.Output), pieces})
}
