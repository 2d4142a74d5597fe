package chatapi

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// The messages of a stream that carry a piece of an output come for every token, so they are decoded here without protobuf, into
// memory that is used again. Whatever else a message has is left to protobuf, as are all errors: Decode then returns false, and the
// message is undefined. A piece that was sent as text is decoded as data, which means the same.

// Request is a ParseStreamRequest that is used again. Its piece is valid until the next message is decoded.
type Request struct {
	dragomanv1.ParseStreamRequest
	piece piece
}

// piece is memory for the piece of a message.
type piece struct {
	data dragomanv1.ParseStreamRequest_Data
	text []byte
	ids  []uint32
}

// Decode decodes a message in protobuf's binary format, if it has nothing but a piece.
func (r *Request) Decode(text []byte) bool {
	r.Reset()
	r.piece.text = append(r.piece.text[:0], text...)
	return decodeRequest(r.piece.text, &r.ParseStreamRequest, &r.piece)
}

// DecodeLine decodes a line of JSON of the form {"text":"…"} or {"ids":[…]}.
func (r *Request) DecodeLine(line []byte) (ok bool) {
	r.Reset()
	if text, found := cutAround(line, `{"text":"`, `"}`); found {
		if r.piece.text, ok = unquote(r.piece.text[:0], text); ok {
			r.piece.data.Data = r.piece.text
			r.Chunk = &r.piece.data
		}
		return ok
	}
	list, found := cutAround(line, `{"ids":[`, `]}`)
	if !found {
		return false
	}
	if r.piece.ids, ok = numbers(r.piece.ids[:0], list); ok {
		r.Ids = r.piece.ids
	}
	return ok
}

// numbers appends numbers with commas between them. Numbers of other forms, and spaces, are left to others.
func numbers(dst []uint32, list []byte) ([]uint32, bool) {
	const most = 9 // digits, of which no number is too large
	digits, n := 0, uint32(0)
	for i, c := range list {
		switch {
		case c >= '0' && c <= '9' && digits < most && (digits == 0 || n > 0):
			digits, n = digits+1, n*10+uint32(c-'0')
		case c == ',' && digits > 0 && i+1 < len(list):
			dst, digits, n = append(dst, n), 0, 0
		default:
			return dst, false
		}
	}
	if digits > 0 {
		dst = append(dst, n)
	}
	return dst, true
}

// cutAround removes what a text begins and ends with.
func cutAround(text []byte, begin, end string) ([]byte, bool) {
	if len(text) < len(begin)+len(end) || string(text[:len(begin)]) != begin || string(text[len(text)-len(end):]) != end {
		return nil, false
	}
	return text[len(begin) : len(text)-len(end)], true
}

// escaped are the characters that JSON writes as a backslash and a letter.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unquote appends the text of a JSON string without its quotes. It leaves \u to others.
func unquote(dst, quoted []byte) ([]byte, bool) {
	begin := len(dst)
	for i := 0; i < len(quoted); i++ {
		c := quoted[i]
		switch {
		case c == '"' || c < ' ':
			return dst, false
		case c == '\\':
			if i++; i == len(quoted) || escaped[quoted[i]] == 0 {
				return dst, false
			}
			c = escaped[quoted[i]]
		}
		dst = append(dst, c)
	}
	return dst, utf8.Valid(dst[begin:])
}

// Requests is a ParseStreamsRequest that is used again. Its messages are valid until the next is decoded.
type Requests struct {
	dragomanv1.ParseStreamsRequest
	text    []byte
	outputs []*outputRequest // of which the first are in use
}

// Clear empties the message.
func (r *Requests) Clear() { r.Outputs = r.Outputs[:0] }

// outputRequest is the memory for a message of an output.
type outputRequest struct {
	dragomanv1.OutputRequest
	message dragomanv1.ParseStreamRequest
	piece   piece // without a text, which is that of all
}

// Decode decodes a message in protobuf's binary format, as far as its outputs have nothing but pieces and ends.
func (r *Requests) Decode(text []byte) bool {
	r.text = append(r.text[:0], text...)
	r.Clear()
	text = r.text
	for len(text) > 0 {
		number, kind, n := protowire.ConsumeTag(text)
		if n < 0 || number != 1 || kind != protowire.BytesType {
			return false
		}
		output, size := protowire.ConsumeBytes(text[n:])
		if size < 0 {
			return false
		}
		text = text[n+size:]
		if len(r.Outputs) == len(r.outputs) {
			r.outputs = append(r.outputs, new(outputRequest))
		}
		o := r.outputs[len(r.Outputs)]
		if !o.decode(output) {
			return false
		}
		r.Outputs = append(r.Outputs, &o.OutputRequest)
	}
	return true
}

// decode decodes the message of an output.
func (o *outputRequest) decode(text []byte) bool {
	o.Reset()
	for len(text) > 0 {
		number, kind, n := protowire.ConsumeTag(text)
		if n < 0 {
			return false
		}
		text = text[n:]
		switch {
		case number == 2 && kind == protowire.BytesType && o.Message == nil:
			message, size := protowire.ConsumeBytes(text)
			if size < 0 || !decodeRequest(message, &o.message, &o.piece) {
				return false
			}
			o.Message, text = &o.message, text[size:]
		case (number == 1 || number == 3) && kind == protowire.VarintType:
			value, size := protowire.ConsumeVarint(text)
			if size < 0 {
				return false
			}
			if text = text[size:]; number == 1 {
				o.Output = value
			} else {
				o.End = value != 0
			}
		default:
			return false
		}
	}
	return true
}

// decodeRequest decodes a message that has nothing but a piece, in memory for it, which shares the memory of text.
func decodeRequest(text []byte, m *dragomanv1.ParseStreamRequest, memory *piece) bool {
	m.Reset()
	memory.ids = memory.ids[:0]
	for len(text) > 0 {
		number, kind, n := protowire.ConsumeTag(text)
		if n < 0 || kind != protowire.BytesType {
			return false
		}
		piece, size := protowire.ConsumeBytes(text[n:])
		if size < 0 {
			return false
		}
		text = text[n+size:]
		switch {
		case number == 3, number == 2 && utf8.Valid(piece):
			memory.data.Data = piece
			m.Chunk = &memory.data
		case number == 6:
			for len(piece) > 0 {
				id, size := protowire.ConsumeVarint(piece)
				if size < 0 {
					return false
				}
				memory.ids, piece = append(memory.ids, uint32(id)), piece[size:]
			}
			m.Ids = memory.ids
		default:
			return false
		}
	}
	return true
}
