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
	"go.opentelemetry.io/otel/propagation"

	"github.com/dragoman-project/dragoman/internal/batch"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// Streams lets many outputs share one stream to the daemon. Pieces that are sent at about the same time go in one message, and so
// do the chunks that come back: with hundreds of outputs, as from an engine that samples a token of each at every step, this
// costs a fraction of a stream per output. It is safe for concurrent use.
//
// Chunks that were received and not yet read are kept in memory, so that no output blocks another one.
type Streams struct {
	stream *connect.BidiStreamForClientSimple[dragomanv1.ParseStreamsRequest, dragomanv1.ParseStreamsResponse]
	cancel context.CancelFunc
	ready  *batch.Queue[*dragomanv1.OutputRequest] // to be sent

	mu      sync.Mutex
	outputs map[uint64]*sharedOutput // those that have not ended
	last    uint64                   // the highest number of an output
	err     error                    // why the stream ended
}

// pace is the shortest time between two messages.
const pace = 250 * time.Microsecond

// maxWaiting is the size in bytes of unsent pieces above which Send blocks.
const maxWaiting = 1 << 20

// pieceBytes is about what a piece takes besides its text. It bounds the number of pieces in a message, however small they are.
const pieceBytes = 256

// ParseStreams opens a stream for outputs to share. It ends with ctx or Close, or when the daemon shuts down.
func (c *Client) ParseStreams(ctx context.Context) (*Streams, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := c.chats.ParseStreams(ctx)
	if err != nil {
		cancel()
		return nil, remoteError(err)
	}
	s := &Streams{stream: stream, cancel: cancel, outputs: map[uint64]*sharedOutput{}}
	s.ready = batch.New[*dragomanv1.OutputRequest](batch.Options{Pace: pace, MaxBytes: maxWaiting})
	go s.send()
	go s.receive()
	return s, nil
}

// Close ends the stream at once. Outputs that have not ended fail.
func (s *Streams) Close() {
	s.fail(&fault.Error{Code: fault.Canceled, Message: "stream closed by the client"})
}

// Together sends what is sent during send, such as the pieces of one step of an engine, in one message, unless it is too much.
// Pieces that are sent outside of it go together if they come within a fraction of a millisecond.
func (s *Streams) Together(send func()) {
	s.ready.Hold()
	defer s.ready.Release()
	send()
}

// ParseStream starts parsing an output, which ends with ctx. An OpenTelemetry span in ctx becomes the parent of the daemon's span
// of the output.
func (s *Streams) ParseStream(ctx context.Context, template string, request any, options ...Option) (*Stream, error) {
	in := &inbox{}
	in.arrived.L = &in.mu
	o, err := s.begin(ctx, template, request, in, options)
	if o == nil {
		return nil, err
	}
	in.output = o
	return &Stream{Sender: Sender{o}, receiving: in}, err
}

// ParseInto is like ParseStream for programs without a goroutine per output: the goroutine that reads the stream calls the
// receiver, one call at a time, while all outputs of the stream wait. The output ends with ctx; the receiver's End follows once
// the daemon has confirmed that.
func (s *Streams) ParseInto(ctx context.Context, template string, request any, to Receiver, options ...Option) (*Sender, error) {
	o, err := s.begin(ctx, template, request, &forwarder{to: to}, options)
	if o == nil {
		return nil, err
	}
	return &Sender{o}, err
}

// begin starts an output that ends with ctx.
func (s *Streams) begin(ctx context.Context, template string, request any, to taker, options []Option) (*sharedOutput, error) {
	start, err := parseStart(template, request, options)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	o := &sharedOutput{streams: s, to: to}
	if err := s.add(o); err != nil {
		return nil, err
	}
	err = s.put(o, &dragomanv1.OutputRequest{Output: o.number, Message: start, Traceparent: traceparent(ctx)})
	forget := context.AfterFunc(ctx, func() { o.drop(ctx.Err()) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.forget = forget; o.over {
		forget()
	}
	return o, err
}

// traceparent returns the trace of ctx in W3C's format, or "".
func traceparent(ctx context.Context) string {
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, header)
	return header.Get("traceparent")
}

// add gives an output its number. The error is the reason why the stream has ended.
func (s *Streams) add(o *sharedOutput) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.last++
	o.number = s.last
	s.outputs[o.number] = o
	return nil
}

// send sends batches until the stream ends.
func (s *Streams) send() {
	var out dragomanv1.ParseStreamsRequest
	for {
		var more bool
		if out.Outputs, more = s.ready.Next(); !more {
			return
		}
		if err := s.stream.Send(&out); err != nil {
			return // receive gets the reason
		}
	}
}

// receive passes messages to their outputs until the stream ends.
func (s *Streams) receive() {
	for {
		m, err := s.stream.Receive()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = &fault.Error{Code: fault.Unavailable, Message: "stream ended by the daemon", Err: err}
			}
			s.fail(remoteError(err))
			break
		}
		for i, o := range s.find(m.Outputs) {
			if o != nil {
				o.take(m.Outputs[i].Message)
			}
		}
	}
	left, why := s.left()
	for _, o := range left {
		o.finish(why)
	}
}

// find returns the outputs of messages; nil where the output has ended.
func (s *Streams) find(messages []*dragomanv1.OutputResponse) []*sharedOutput {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := make([]*sharedOutput, len(messages))
	for i, m := range messages {
		found[i] = s.outputs[m.Output]
	}
	return found
}

// left returns the outputs that have not ended, and why the stream has.
func (s *Streams) left() ([]*sharedOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.outputs)), s.err
}

// fail ends the stream; receive then ends its outputs.
func (s *Streams) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.ready.Abort()
	s.cancel()
}

// put queues a message of an output that has not ended. It blocks while the queue is full.
func (s *Streams) put(o *sharedOutput, r *dragomanv1.OutputRequest) error {
	m := r.GetMessage()
	size := pieceBytes*(1+len(m.GetSpecial())) + 4*len(m.GetIds()) + len(m.GetText()) + len(m.GetData()) + len(m.GetStart().GetRequest().GetText())
	for {
		if done, err := s.tryPut(o, r, size); done {
			return err
		}
		s.ready.Wait()
	}
}

// tryPut is like put but reports done = false instead of blocking.
func (s *Streams) tryPut(o *sharedOutput, r *dragomanv1.OutputRequest, size int) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || o.closed || o.over {
		return true, io.EOF // the receiver gets the reason
	}
	if !s.ready.TryPut(r, size) {
		return false, nil
	}
	o.closed = r.End
	return true, nil
}

// sharedOutput is one output of a Streams.
type sharedOutput struct {
	streams *Streams
	number  uint64
	to      taker

	forget  func() bool // detaches it from its context; guarded by streams.mu, as all below
	closed  bool        // nothing more is sent
	dropped error       // why the client gave it up
	over    bool        // it has ended
}

func (o *sharedOutput) send(m *dragomanv1.ParseStreamRequest) error {
	return o.streams.put(o, &dragomanv1.OutputRequest{Output: o.number, Message: m})
}

func (o *sharedOutput) closeSend() error {
	return o.streams.put(o, &dragomanv1.OutputRequest{Output: o.number, End: true})
}

// take handles a message of the daemon.
func (o *sharedOutput) take(m *dragomanv1.ParseStreamResponse) {
	if e := m.GetError(); e != nil {
		o.letGo()
		o.finish(chatapi.DecodeError(e, nil))
		return
	}
	o.to.take(m)
	if m.GetResult() != nil {
		o.finish(io.EOF)
	}
}

// letGo ends a failed output unless the client has ended it already: until then the daemon remembers it.
func (o *sharedOutput) letGo() {
	s := o.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	if !o.closed {
		o.closed = true
		s.ready.Push(&dragomanv1.OutputRequest{Output: o.number, End: true}, pieceBytes)
	}
}

// finish ends the output, unless it has ended.
func (o *sharedOutput) finish(err error) {
	s := o.streams
	s.mu.Lock()
	first, forget := !o.over, o.forget
	if o.over = true; o.dropped != nil {
		err = o.dropped
	}
	delete(s.outputs, o.number)
	s.mu.Unlock()
	if forget != nil {
		forget()
	}
	if first {
		o.to.end(err)
	}
}

// drop gives the output up. It ends when the daemon has confirmed that.
func (o *sharedOutput) drop(why error) {
	s := o.streams
	s.mu.Lock()
	first := !o.over && o.dropped == nil
	if first {
		o.dropped, o.closed = why, true
		s.ready.Push(&dragomanv1.OutputRequest{Output: o.number, Cancel: true}, pieceBytes)
	}
	s.mu.Unlock()
	if first {
		o.to.drop(why)
	}
}
