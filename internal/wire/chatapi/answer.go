package chatapi

import (
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// Answer is a message for the client of an output: a chunk, for which protobuf is not needed, or any other.
type Answer struct {
	Output   uint64                          // in a shared stream
	Chunk    []byte                          // JSON
	IDs      IDs                             // of the chunk
	Response *dragomanv1.ParseStreamResponse // nil for a chunk
}

// IDs are the token ids that a chunk came from: from First on, up to End.
type IDs struct {
	First, End int
	Known      bool // the output comes as ids
}

// message returns the ids as protobuf's message.
func (i IDs) message() *dragomanv1.IDRange {
	if !i.Known {
		return nil
	}
	first, end := uint32(i.First), uint32(i.End)
	return &dragomanv1.IDRange{First: &first, End: &end}
}

// size returns the size of the message, and sized that of the field which has it.
func (i IDs) size() int {
	return 1 + protowire.SizeVarint(uint64(i.First)) + 1 + protowire.SizeVarint(uint64(i.End))
}

func (i IDs) sized() int {
	if !i.Known {
		return 0
	}
	return bytesSize(i.size())
}

var answers = sync.Pool{New: func() any { return new(Answer) }}

// ChunkAnswer returns a chunk that has memory of its own, until Free.
func ChunkAnswer(output uint64, chunk []byte, ids IDs) *Answer {
	a := answers.Get().(*Answer)
	a.Output, a.Chunk, a.IDs = output, append(a.Chunk[:0], chunk...), ids
	return a
}

// Free gives back the memory of a chunk that was sent.
func (a *Answer) Free() {
	const most = 4 << 10 // one large chunk should not keep its memory
	if a.Response == nil && cap(a.Chunk) <= most {
		answers.Put(a)
	}
}

// Message returns the answer as protobuf's message.
func (a *Answer) Message() proto.Message { return a.response() }

func (a *Answer) response() *dragomanv1.ParseStreamResponse {
	if a.Response != nil {
		return a.Response
	}
	return &dragomanv1.ParseStreamResponse{Chunk: &dragomanv1.Json{Text: string(a.Chunk)}, Ids: a.IDs.message()}
}

// AppendBinary appends the answer in protobuf's binary format.
func (a *Answer) AppendBinary(dst []byte) ([]byte, error) {
	if a.Response != nil {
		return proto.MarshalOptions{}.MarshalAppend(dst, a.Response)
	}
	json := bytesSize(len(a.Chunk))
	return appendChunk(dst, a.Chunk, json, a.IDs), nil
}

// appendChunk appends a response with a chunk, whose Json has the given size.
func appendChunk(dst, chunk []byte, json int, ids IDs) []byte {
	dst = protowire.AppendTag(dst, 1, protowire.BytesType) // ParseStreamResponse.chunk
	dst = protowire.AppendVarint(dst, uint64(json))
	if len(chunk) > 0 {
		dst = protowire.AppendTag(dst, 1, protowire.BytesType) // Json.text
		dst = protowire.AppendBytes(dst, chunk)
	}
	if !ids.Known {
		return dst
	}
	dst = protowire.AppendTag(dst, 4, protowire.BytesType) // ParseStreamResponse.ids
	dst = protowire.AppendVarint(dst, uint64(ids.size()))
	dst = protowire.AppendTag(dst, 1, protowire.VarintType) // IDRange.first
	dst = protowire.AppendVarint(dst, uint64(ids.First))
	dst = protowire.AppendTag(dst, 2, protowire.VarintType) // IDRange.end
	return protowire.AppendVarint(dst, uint64(ids.End))
}

// bytesSize returns the size of a field of n bytes, which is absent if it has none. Its number is below 16.
func bytesSize(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + protowire.SizeBytes(n)
}

// Answers is a message of a shared stream.
type Answers []*Answer

// Message returns the answers as protobuf's message.
func (all Answers) Message() proto.Message {
	m := new(dragomanv1.ParseStreamsResponse)
	for _, a := range all {
		m.Outputs = append(m.Outputs, &dragomanv1.OutputResponse{Output: a.Output, Message: a.response()})
	}
	return m
}

// AppendBinary appends the answers in protobuf's binary format.
func (all Answers) AppendBinary(dst []byte) (_ []byte, err error) {
	for _, a := range all {
		json := bytesSize(len(a.Chunk))
		response := 1 + protowire.SizeBytes(json) + a.IDs.sized()
		if a.Response != nil {
			response = proto.Size(a.Response)
		}
		output := 1 + protowire.SizeBytes(response)
		if a.Output != 0 {
			output += 1 + protowire.SizeVarint(a.Output)
		}
		dst = protowire.AppendTag(dst, 1, protowire.BytesType) // ParseStreamsResponse.outputs
		dst = protowire.AppendVarint(dst, uint64(output))
		if a.Output != 0 {
			dst = protowire.AppendTag(dst, 1, protowire.VarintType) // OutputResponse.output
			dst = protowire.AppendVarint(dst, a.Output)
		}
		dst = protowire.AppendTag(dst, 2, protowire.BytesType) // OutputResponse.message
		dst = protowire.AppendVarint(dst, uint64(response))
		if a.Response == nil {
			dst = appendChunk(dst, a.Chunk, json, a.IDs)
		} else if dst, err = (proto.MarshalOptions{}).MarshalAppend(dst, a.Response); err != nil {
			return nil, err
		}
	}
	return dst, nil
}
