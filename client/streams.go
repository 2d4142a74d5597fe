package client

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"connectrpc.com/connect"

	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// Streams are many outputs that share one stream to the daemon. What is sent of different outputs at the same time goes
// together, and so do the chunks: with hundreds of outputs, as of an engine that samples a token of each at every step, that
// costs a fraction of a stream for each. It is safe for concurrent use.
//
// What was received of an output and is not read yet is kept in memory: no output keeps another one waiting.
type Streams struct {
	stream *connect.BidiStreamForClientSimple[dragomanv1.ParseStreamsRequest, dragomanv1.ParseStreamsResponse]
	cancel context.CancelFunc

	mu      sync.Mutex
	changed sync.Cond                   // ready or err
	ready   []*dragomanv1.OutputRequest // to be sent
	waiting int                         // bytes in ready
	outputs map[uint64]*sharedOutput    // that have not ended
	last    uint64                      // the highest number given to an output
	err     error                       // why the stream is over
}

// maxWaiting is how many bytes wait for being sent before those who send more of them wait.
const maxWaiting = 1 << 20

// ParseStreams opens a stream that outputs can share. It ends with ctx or Close, or when the daemon shuts down.
func (c *Client) ParseStreams(ctx context.Context) (*Streams, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := c.chats.ParseStreams(ctx)
	if err != nil {
		cancel()
		return nil, told(err)
	}
	s := &Streams{stream: stream, cancel: cancel, outputs: map[uint64]*sharedOutput{}}
	s.changed.L = &s.mu
	go s.send()
	go s.receive()
	return s, nil
}

// Close ends the stream at once. Outputs that have not ended fail.
func (s *Streams) Close() {
	s.fail(&Error{Code: "canceled", Message: "the stream was closed"})
}

// ParseStream begins to parse an output. When ctx ends, so does the output.
func (s *Streams) ParseStream(ctx context.Context, template string, request any, options ...Option) (*Stream, error) {
	start, err := parseStart(template, request, options)
	if err != nil {
		return nil, err
	}
	o, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	out := &Stream{carrier: o}
	return out, out.send(start)
}

// open makes an output with a number of its own, which lasts as long as ctx. The error says why the stream is over.
func (s *Streams) open(ctx context.Context) (*sharedOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	s.last++
	o := &sharedOutput{streams: s, number: s.last}
	o.arrived.L = &s.mu
	o.forget = context.AfterFunc(ctx, func() { o.end(ctx.Err()) })
	s.outputs[o.number] = o
	return o, nil
}

// send sends what is ready, all at once, until the stream is over.
func (s *Streams) send() {
	var out dragomanv1.ParseStreamsRequest
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.ready) == 0 && s.err == nil {
			s.changed.Wait()
		}
		if s.err != nil {
			return
		}
		s.mu.Unlock()
		runtime.Gosched() // who else has something to send has a turn, and it goes together
		s.mu.Lock()
		out.Outputs, s.ready, s.waiting = s.ready, out.Outputs[:0], 0
		s.changed.Broadcast()
		s.mu.Unlock()
		err := s.stream.Send(&out)
		clear(out.Outputs)
		s.mu.Lock()
		if err != nil { // the one who receives is told why
			return
		}
	}
}

// receive hands what comes to the outputs, until the stream is over.
func (s *Streams) receive() {
	for {
		m, err := s.stream.Receive()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = &Error{Code: "unavailable", Message: "the daemon has ended the stream", Err: err}
			}
			s.fail(told(err))
			return
		}
		s.mu.Lock()
		for _, r := range m.Outputs {
			if o := s.outputs[r.Output]; o != nil {
				o.take(r.Message)
			}
		}
		s.mu.Unlock()
	}
}

// fail ends the stream and all its outputs.
func (s *Streams) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	for _, o := range s.outputs {
		o.fail(s.err)
	}
	s.changed.Broadcast()
	s.mu.Unlock()
	s.cancel()
}

// sharedOutput is one output of a Streams. All of it is guarded by the mutex of the stream.
type sharedOutput struct {
	streams *Streams
	number  uint64
	forget  func() bool // the context that ends it
	arrived sync.Cond
	inbox   []*dragomanv1.ParseStreamResponse
	closed  bool  // the client has ended it
	err     error // why nothing more comes: io.EOF after the result
}

// take takes a message of the daemon.
func (o *sharedOutput) take(m *dragomanv1.ParseStreamResponse) {
	switch {
	case m.GetError() != nil:
		o.fail(&Error{Code: m.Error.Code, Place: m.Error.Place, Message: m.Error.Message, Remedy: m.Error.Remedy})
		return
	case m.GetResult() != nil:
		defer o.fail(io.EOF)
	}
	o.inbox = append(o.inbox, m)
	o.arrived.Signal()
}

// fail says that nothing more comes.
func (o *sharedOutput) fail(err error) {
	if o.err == nil {
		o.err = err
		delete(o.streams.outputs, o.number)
		o.forget()
	}
	o.arrived.Signal()
}

func (o *sharedOutput) send(m *dragomanv1.ParseStreamRequest) error {
	return o.put(&dragomanv1.OutputRequest{Output: o.number, Message: m})
}

func (o *sharedOutput) closeSend() error {
	return o.put(&dragomanv1.OutputRequest{Output: o.number, End: true})
}

// put makes a message ready to be sent.
func (o *sharedOutput) put(r *dragomanv1.OutputRequest) error {
	s := o.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.waiting > maxWaiting && s.err == nil {
		s.changed.Wait()
	}
	if s.err != nil || o.err != nil || o.closed {
		return io.EOF // the one who receives is told why
	}
	o.closed = r.End
	o.queue(r)
	return nil
}

func (o *sharedOutput) queue(r *dragomanv1.OutputRequest) {
	s := o.streams
	m := r.GetMessage()
	s.waiting += len(m.GetText()) + len(m.GetData()) + len(m.GetStart().GetRequest().GetText())
	if s.ready = append(s.ready, r); len(s.ready) == 1 {
		s.changed.Broadcast()
	}
}

// end gives the output up.
func (o *sharedOutput) end(why error) {
	s := o.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.err == nil {
		o.queue(&dragomanv1.OutputRequest{Output: o.number, Cancel: true})
		o.fail(why)
	}
}

func (o *sharedOutput) receive() (*dragomanv1.ParseStreamResponse, error) {
	s := o.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(o.inbox) == 0 && o.err == nil {
		o.arrived.Wait()
	}
	if len(o.inbox) == 0 {
		return nil, o.err
	}
	m := o.inbox[0]
	o.inbox = o.inbox[1:]
	return m, nil
}

func (o *sharedOutput) close() { o.end(context.Canceled) }
