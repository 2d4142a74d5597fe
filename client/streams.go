package client

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

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

	mu       sync.Mutex
	changed  sync.Cond                   // ready or err
	ready    []*dragomanv1.OutputRequest // to be sent
	waiting  int                         // bytes in ready
	outputs  map[uint64]*sharedOutput    // that have not ended
	together int                         // who is sending things that go together
	last     uint64                      // the highest number given to an output
	err      error                       // why the stream is over
}

// pace is how long after a message the next one may follow: what is sent alone goes at once, and what many send goes together.
const pace = 250 * time.Microsecond

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

// Together sends what say sends in one message, as far as it is not too much: the step of an engine. Sending is possible without
// it, too: then what is sent within a fraction of a millisecond goes together.
func (s *Streams) Together(say func()) {
	s.mu.Lock()
	s.together++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.together--
		s.changed.Broadcast()
		s.mu.Unlock()
	}()
	say()
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
	o.arrived.L = &o.mu
	o.forget = context.AfterFunc(ctx, func() { o.end(ctx.Err()) })
	s.outputs[o.number] = o
	return o, nil
}

// send sends what is ready, all at once, until the stream is over.
func (s *Streams) send() {
	var out dragomanv1.ParseStreamsRequest
	var sent time.Time
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for !s.due() && s.err == nil {
			s.changed.Wait()
		}
		if s.err != nil {
			return
		}
		s.mu.Unlock()
		time.Sleep(time.Until(sent.Add(pace))) // what is ready by then goes together
		sent = time.Now()
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
		for i, o := range s.find(m.Outputs) {
			if o != nil {
				o.take(m.Outputs[i].Message)
			}
		}
	}
}

// find finds the outputs that messages are for; nil stands for one that has ended.
func (s *Streams) find(messages []*dragomanv1.OutputResponse) []*sharedOutput {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := make([]*sharedOutput, len(messages))
	for i, m := range messages {
		found[i] = s.outputs[m.Output]
	}
	return found
}

// fail ends the stream and all its outputs.
func (s *Streams) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	all := slices.Collect(maps.Values(s.outputs))
	s.changed.Broadcast()
	s.mu.Unlock()
	for _, o := range all {
		o.fail(err)
	}
	s.cancel()
}

// put makes a message ready to be sent, unless the stream is over. Those who have something to say wait where much is ready.
func (s *Streams) put(r *dragomanv1.OutputRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.waiting > maxWaiting && !r.Cancel && s.err == nil {
		s.changed.Wait()
	}
	if s.err != nil {
		return io.EOF // the one who receives is told why
	}
	m := r.GetMessage()
	s.waiting += len(m.GetText()) + len(m.GetData()) + len(m.GetStart().GetRequest().GetText())
	if s.ready = append(s.ready, r); s.due() {
		s.changed.Broadcast()
	}
	return nil
}

// due says that what is ready is sent.
func (s *Streams) due() bool {
	return len(s.ready) > 0 && s.together == 0 || s.waiting > maxWaiting
}

// sharedOutput is one output of a Streams.
type sharedOutput struct {
	streams *Streams
	number  uint64
	forget  func() bool // the context that ends it

	mu      sync.Mutex
	arrived sync.Cond // something below
	inbox   []*dragomanv1.ParseStreamResponse
	closed  bool  // the client has ended it
	err     error // why nothing more comes: io.EOF after the result
}

// take takes a message of the daemon.
func (o *sharedOutput) take(m *dragomanv1.ParseStreamResponse) {
	if e := m.GetError(); e != nil {
		o.fail(toldAs(e, nil))
		return
	}
	o.mu.Lock()
	o.inbox = append(o.inbox, m)
	o.arrived.Signal()
	o.mu.Unlock()
	if m.GetResult() != nil {
		o.fail(io.EOF)
	}
}

// fail says that nothing more comes, unless that was said already.
func (o *sharedOutput) fail(err error) {
	o.mu.Lock()
	first := o.err == nil
	if first {
		o.err = err
	}
	o.arrived.Signal()
	o.mu.Unlock()
	if first {
		o.streams.mu.Lock()
		delete(o.streams.outputs, o.number)
		o.streams.mu.Unlock()
		o.forget()
	}
}

func (o *sharedOutput) send(m *dragomanv1.ParseStreamRequest) error {
	return o.put(&dragomanv1.OutputRequest{Output: o.number, Message: m})
}

func (o *sharedOutput) closeSend() error {
	return o.put(&dragomanv1.OutputRequest{Output: o.number, End: true})
}

func (o *sharedOutput) put(r *dragomanv1.OutputRequest) error {
	o.mu.Lock()
	over := o.err != nil || o.closed
	o.closed = o.closed || r.End
	o.mu.Unlock()
	if over {
		return io.EOF // the one who receives is told why
	}
	return o.streams.put(r)
}

// end gives the output up.
func (o *sharedOutput) end(why error) {
	o.mu.Lock()
	over := o.err != nil
	o.mu.Unlock()
	if !over {
		_ = o.streams.put(&dragomanv1.OutputRequest{Output: o.number, Cancel: true}) // fails where all has ended
		o.fail(why)
	}
}

func (o *sharedOutput) receive() (*dragomanv1.ParseStreamResponse, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
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
