package chat

import "strconv"

// ChunkEncoder writes the chunks of one answer as Response.Chunk returns them. What they have in common is encoded once. It is
// immutable and safe for concurrent use.
type ChunkEncoder struct {
	head  []byte // the text of a chunk before its delta
	event []byte // the same in an event stream
}

// Encoder returns an encoder of the answer's chunks.
func (r Response) Encoder() *ChunkEncoder { return r.ChoiceEncoder(0) }

// ChoiceEncoder returns an encoder of the chunks of one of an answer's choices.
func (r Response) ChoiceEncoder(index int) *ChunkEncoder {
	const before = "data: "
	b := appendText([]byte(before+`{"id":`), r.ID)
	b = strconv.AppendInt(append(b, `,"object":"chat.completion.chunk","created":`...), r.Created.Unix(), 10)
	b = strconv.AppendInt(append(appendText(append(b, `,"model":`...), r.Model), `,"choices":[{"index":`...), int64(index), 10)
	b = append(b, `,"delta":`...)
	return &ChunkEncoder{head: b[len(before):], event: b}
}

// AppendChunk appends the chunk of a piece to b and returns the extended buffer. It allocates only if b is too small.
func (e *ChunkEncoder) AppendChunk(b []byte, p *Piece) []byte {
	return append(p.AppendJSON(append(b, e.head...)), `,"finish_reason":null}]}`...)
}

// AppendEvent appends the chunk of a piece as an event of an event stream (SSE): "data: {…}" and an empty line.
func (e *ChunkEncoder) AppendEvent(b []byte, p *Piece) []byte {
	return append(p.AppendJSON(append(b, e.event...)), ",\"finish_reason\":null}]}\n\n"...)
}

// AppendLastChunk appends the last chunk of the answer, which has an empty delta and the reason.
func (e *ChunkEncoder) AppendLastChunk(b []byte, reason FinishReason) []byte {
	return append(appendText(append(append(b, e.head...), `{},"finish_reason":`...), string(reason)), "}]}"...)
}

// AppendLastEvent appends the last chunk as an event.
func (e *ChunkEncoder) AppendLastEvent(b []byte, reason FinishReason) []byte {
	return append(appendText(append(append(b, e.event...), `{},"finish_reason":`...), string(reason)), "}]}\n\n"...)
}
