package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Receiver receives the chunks and the result of an output.
type Receiver interface {
	// Chunk receives the next chunk: the JSON of a chat.completion.chunk, or of a delta.
	Chunk(json.RawMessage)
	// End is the last call, with the result or with the error that ended the output.
	End(*session.Result, error)
}

// IDReceiver is a Receiver for outputs of token ids.
type IDReceiver interface {
	Receiver
	// IDs is called before Chunk with the token ids that the chunk came from; see Stream.IDs.
	IDs(first, end int)
}

// taker receives the messages of an output, from one goroutine. Only drop may be called concurrently.
type taker interface {
	take(*dragomanv1.ParseStreamResponse)
	// end is the last call, with io.EOF after a result.
	end(err error)
	// drop is called when the client gives the output up.
	drop(why error)
}

// inbox holds the messages of an output until they are read.
type inbox struct {
	output   *sharedOutput
	mu       sync.Mutex
	arrived  sync.Cond // something below
	messages []*dragomanv1.ParseStreamResponse
	err      error // after the last message
}

func (in *inbox) take(m *dragomanv1.ParseStreamResponse) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.messages = append(in.messages, m)
	in.arrived.Signal()
}

func (in *inbox) end(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err == nil {
		in.err = err
	}
	in.arrived.Signal()
}

func (in *inbox) drop(why error) { in.end(why) }

func (in *inbox) receive() (*dragomanv1.ParseStreamResponse, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.messages) == 0 && in.err == nil {
		in.arrived.Wait()
	}
	if len(in.messages) == 0 {
		return nil, in.err
	}
	m := in.messages[0]
	in.messages = in.messages[1:]
	return m, nil
}

func (in *inbox) close() { in.output.drop(context.Canceled) }

// forwarder passes the messages of an output to a Receiver.
type forwarder struct {
	to     Receiver
	result *session.Result
	err    error // of the result
}

func (f *forwarder) take(m *dragomanv1.ParseStreamResponse) {
	if to, ok := f.to.(IDReceiver); ok && m.Ids != nil {
		to.IDs(int(m.Ids.GetFirst()), int(m.Ids.GetEnd()))
	}
	if m.Chunk != nil {
		f.to.Chunk(json.RawMessage(m.Chunk.Text))
	}
	if m.Result != nil {
		f.result, f.err = chatapi.DecodeResult(m.Result)
	}
}

func (f *forwarder) end(err error) {
	if errors.Is(err, io.EOF) {
		f.to.End(f.result, f.err)
	} else {
		f.to.End(nil, err)
	}
}

func (f *forwarder) drop(error) {}
