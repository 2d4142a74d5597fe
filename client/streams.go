package client

import (
	"context"
	"encoding/json"
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
	"github.com/dragoman-project/dragoman/sdk/session"
)

// Streams are many outputs that share one stream to the daemon. What is sent of different outputs at the same time goes
// together, and so do the chunks: with hundreds of outputs, as of an engine that samples a token of each at every step, that
// costs a fraction of a stream for each. It is safe for concurrent use.
//
// What was received of an output and is not read yet is kept in memory: no output keeps another one waiting.
type Streams struct {
	stream *connect.BidiStreamForClientSimple[dragomanv1.ParseStreamsRequest, dragomanv1.ParseStreamsResponse]
	cancel context.CancelFunc
	ready  *batch.Queue[*dragomanv1.OutputRequest] // to be sent

	mu      sync.Mutex
	outputs map[uint64]*sharedOutput // that have not ended
	last    uint64                   // the highest number given to an output
	err     error                    // why the stream is over
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
	s.ready = batch.New[*dragomanv1.OutputRequest](batch.Options{Pace: pace, MaxBytes: maxWaiting})
	go s.send()
	go s.receive()
	return s, nil
}

// Close ends the stream at once. Outputs that have not ended fail.
func (s *Streams) Close() {
	s.fail(&fault.Error{Code: fault.Canceled, Message: "the stream was closed"})
}

// Together sends what say sends in one message, as far as it is not too much: the step of an engine. Sending is possible without
// it, too: then what is sent within a fraction of a millisecond goes together.
func (s *Streams) Together(say func()) {
	s.ready.Hold()
	defer s.ready.Release()
	say()
}

// ParseStream begins to parse an output. When ctx ends, so does the output. Where ctx has a span of OpenTelemetry, the daemon's
// span of the output has it as its parent.
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

// ParseInto is ParseStream for a program with many outputs that has no goroutine for each: the one that reads the stream gives
// the receiver what comes, one thing at a time, and all outputs of the stream wait meanwhile. When ctx ends, so does the output;
// the receiver is told when the daemon has confirmed it.
func (s *Streams) ParseInto(ctx context.Context, template string, request any, to Receiver, options ...Option) (*Sender, error) {
	o, err := s.begin(ctx, template, request, &forwarder{to: to}, options)
	if o == nil {
		return nil, err
	}
	return &Sender{o}, err
}

// begin begins an output that lasts as long as ctx.
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

// traceparent is the trace that ctx belongs to, as the W3C writes it; empty: to none.
func traceparent(ctx context.Context) string {
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, header)
	return header.Get("traceparent")
}

// add gives an output its number. The error says why the stream is over.
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

// send sends what is ready, all at once, until the stream is over.
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

// receive hands what comes to the outputs, until the stream is over.
func (s *Streams) receive() {
	for {
		m, err := s.stream.Receive()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = &fault.Error{Code: fault.Unavailable, Message: "the daemon has ended the stream", Err: err}
			}
			s.fail(told(err))
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

// left are the outputs that have not ended when the stream is over, and why it is.
func (s *Streams) left() ([]*sharedOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.outputs)), s.err
}

// fail ends the stream. The goroutine that receives ends its outputs.
func (s *Streams) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.ready.Abort()
	s.cancel()
}

// put makes a message of an output ready to be sent, unless that is over. Those who have something to say wait where much is ready.
func (s *Streams) put(o *sharedOutput, r *dragomanv1.OutputRequest) error {
	m := r.GetMessage()
	size := len(m.GetText()) + len(m.GetData()) + len(m.GetStart().GetRequest().GetText())
	for {
		if done, err := s.tryPut(o, r, size); done {
			return err
		}
		s.ready.Wait()
	}
}

// tryPut is put unless it would have to wait.
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

	forget  func() bool // the context that ends it; guarded by streams.mu, as all below
	closed  bool        // nothing more is sent of it
	dropped error       // why the client wants no more of it
	over    bool        // its end has come
}

// taker takes what comes of an output, from the goroutine that receives. Only drop may be called by others at the same time.
type taker interface {
	take(*dragomanv1.ParseStreamResponse)
	// end is the last call. io.EOF stands behind a result.
	end(err error)
	// drop says that the client wants no more of the output, and why.
	drop(why error)
}

func (o *sharedOutput) send(m *dragomanv1.ParseStreamRequest) error {
	return o.streams.put(o, &dragomanv1.OutputRequest{Output: o.number, Message: m})
}

func (o *sharedOutput) closeSend() error {
	return o.streams.put(o, &dragomanv1.OutputRequest{Output: o.number, End: true})
}

// take takes a message of the daemon.
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

// letGo ends an output that has failed, unless that was said: until then the daemon remembers it.
func (o *sharedOutput) letGo() {
	s := o.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	if !o.closed {
		o.closed = true
		s.ready.Push(&dragomanv1.OutputRequest{Output: o.number, End: true}, 0)
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

// drop gives the output up. Its end comes when the daemon has confirmed that.
func (o *sharedOutput) drop(why error) {
	s := o.streams
	s.mu.Lock()
	first := !o.over && o.dropped == nil
	if first {
		o.dropped, o.closed = why, true
		s.ready.Push(&dragomanv1.OutputRequest{Output: o.number, Cancel: true}, 0)
	}
	s.mu.Unlock()
	if first {
		o.to.drop(why)
	}
}

// inbox keeps what comes of an output until somebody reads it.
type inbox struct {
	output   *sharedOutput
	mu       sync.Mutex
	arrived  sync.Cond // something below
	messages []*dragomanv1.ParseStreamResponse
	err      error // why nothing more comes
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

// forwarder gives what comes of an output to whoever the client named.
type forwarder struct {
	to     Receiver
	result *session.Result
	err    error // of the result
}

func (f *forwarder) take(m *dragomanv1.ParseStreamResponse) {
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

// Receiver takes what becomes of an output.
type Receiver interface {
	// Chunk takes what is next, the JSON of a chat.completion.chunk or of a delta.
	Chunk(json.RawMessage)
	// End says that nothing more comes: with the result, or with the error that ended the output.
	End(*session.Result, error)
}
