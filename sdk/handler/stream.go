package handler

import (
	"context"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// StreamPlan stands in a plan instead of a program: the handler itself parses the output.
type StreamPlan struct {
	// Token is given back when a stream is opened. It must hold everything needed to parse the output, because the process
	// that parses may be another than the one that planned. At most MaxToken bytes.
	Token []byte
}

// MaxToken is how many bytes the token of a StreamPlan may have.
const MaxToken = 1 << 20

// StreamHandler is a Handler some of whose plans are a StreamPlan, because no program can describe the format.
//
// However an output is cut into chunks, the events must be the same once neighbours of one kind are merged: after the death
// of a process the host sends the output again to another one, perhaps in other chunks, and goes on where it was.
type StreamHandler interface {
	Handler
	// OpenStream begins to parse an output. Events go to sink in order, during Feed and Finish; ctx ends with the stream.
	OpenStream(ctx context.Context, in StreamInput, sink chat.Sink) (Stream, error)
}

// StreamInput says which output a stream parses.
type StreamInput struct {
	Token            []byte // of the StreamPlan
	GenerationPrompt string // the end of the prompt that begins the assistant's turn; the output continues it
}

// Stream parses one output. It is used by one goroutine at a time; after an error it is dead.
type Stream interface {
	// Feed takes the next bytes of the output.
	Feed(chunk []byte) error
	// Finish says that no more output comes.
	Finish() (StreamResult, error)
}
