package handler

import (
	"context"

	"github.com/dragoman-project/dragoman/sdk/chat"
)

// StreamPlan takes the place of a plan's program: the handler itself parses the output.
type StreamPlan struct {
	// Token is passed to OpenStream. It must contain everything needed to parse the output, because another process than the one
	// that planned may parse it. At most MaxToken bytes.
	Token []byte
}

// MaxToken limits the bytes of a StreamPlan's token.
const MaxToken = 1 << 20

// StreamHandler is a Handler that parses the outputs of some of its plans itself, because no program can describe the format.
//
// However an output is cut into chunks, the events must be the same once neighbours of one kind are merged: after the death
// of a process the host sends the output to another one again, perhaps in other chunks, and continues where it was.
type StreamHandler interface {
	Handler
	// OpenStream begins to parse an output. Events are delivered to sink in order, during Feed and Finish; ctx ends with the stream.
	OpenStream(ctx context.Context, in StreamInput, sink chat.Sink) (Stream, error)
}

// StreamInput identifies the output that a stream parses.
type StreamInput struct {
	Token            []byte // of the StreamPlan
	GenerationPrompt string // the end of the prompt that begins the assistant's turn; the output continues it
}

// Stream parses one output. It is used by one goroutine at a time; after an error it is dead.
type Stream interface {
	// Feed takes the next bytes of the output.
	Feed(chunk []byte) error
	// Finish ends the output.
	Finish() (StreamResult, error)
}

// TruncatedStream is a Stream that parses the end of an output differently where the engine stopped for length: anything could
// have followed there, so a call that the output may have ended within is not complete; see chat.Event.Open.
type TruncatedStream interface {
	Stream
	// Truncated is called right before Finish.
	Truncated()
}

// Finish ends the output of a stream; truncated means that the engine stopped for length.
func Finish(s Stream, truncated bool) (StreamResult, error) {
	if t, ok := s.(TruncatedStream); ok && truncated {
		t.Truncated()
	}
	return s.Finish()
}
