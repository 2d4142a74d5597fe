package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/host"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// ParseStreams parses many outputs that share one stream.
//
//	read:  this goroutine ──messages──→ the outputs: it parses what never waits
//	parse: a goroutine for each output that plans, or waits for a plugin, and has something in its queue
//	write: one goroutine ──all that is ready, in one message──→ the client
//
// So an output that waits for a plugin keeps no other one waiting, one that waits for its model holds no goroutine, and what
// comes together is answered together.
func (s *chatService) ParseStreams(ctx context.Context, stream *connect.BidiStream[dragomanv1.ParseStreamsRequest, dragomanv1.ParseStreamsResponse]) error {
	err := s.share(ctx, stream.Receive, stream.Send)
	recordOf(ctx).err = err
	if err != nil {
		return failure(err)
	}
	return nil
}

// share parses the outputs that receive brings, until it ends.
func (s *chatService) share(ctx context.Context, receive func() (*dragomanv1.ParseStreamsRequest, error), send func(*dragomanv1.ParseStreamsResponse) error) error {
	m := &sharedStream{service: s, ctx: ctx, outputs: map[uint64]*sharedOutput{}}
	m.changed.L = &m.mu
	defer context.AfterFunc(s.ending, m.quit)()
	written := make(chan error, 1)
	go func() { written <- s.faults.kept(parseStreamsPath, func() error { return m.write(send) }) }()
	err := s.faults.kept(parseStreamsPath, func() error { return m.read(receive) })
	m.end(err)
	if fault := <-written; fault != nil {
		err = fault // why reading was given up
	}
	if err != nil && s.ending.Err() != nil {
		return shuttingDown()
	}
	return unlessOver(ctx, err)
}

func shuttingDown() error {
	return &host.Error{Code: host.Unavailable, Message: "the daemon is shutting down", Remedy: "go on with another one, or try again when it is back"}
}

// maxShared is how many bytes of a stream's outputs wait for parsing, and how many for writing, before the side that brings
// more of them waits.
const maxShared = 1 << 20

// pace is how long after a message the next one may follow. What becomes ready of many outputs within it goes together, and what
// becomes ready alone goes at once.
const pace = 250 * time.Microsecond

// sharedStream is a ParseStreams.
type sharedStream struct {
	service *chatService
	ctx     context.Context

	mu      sync.Mutex
	changed sync.Cond // something below
	outputs map[uint64]*sharedOutput
	running int // outputs that have not ended
	queued  int // bytes in the queues of the outputs
	ready   []*dragomanv1.OutputResponse
	waiting int                         // bytes in ready
	taking  bool                        // what came together is being parsed
	handing bool                        // it is being handed out
	handed  []*sharedOutput             // and these will be worked on
	now     []*dragomanv1.OutputRequest // kept for the next
	writing time.Time                   // since when the client is being sent something; zero: it is not
	late    bool                        // and took too long to take it
	over    bool                        // nothing more will be ready
	failed  bool                        // nothing more can be written; what becomes ready is thrown away
}

// sharedOutput is one output of many. What is not said to be guarded belongs to the goroutine that works on it.
type sharedOutput struct {
	stream  *sharedStream
	number  uint64
	ctx     context.Context
	cancel  context.CancelFunc
	rec     *record
	told    func()
	limits  *deadlines
	timer   *time.Timer // until the client has been silent for too long
	release func()      // gives back the room that it takes; nil before it was admitted
	output  *output     // nil before its start
	direct  bool        // parsing it never waits for anything
	closed  bool

	queue   []step    // guarded by stream.mu, as all below
	heard   time.Time // when the client sent something of it
	busy    bool      // a goroutine works on the queue
	waits   bool      // for the goroutine that reads the stream, with a message
	done    bool      // its last message is ready
	dropped bool      // the client has ended or cancelled it
}

// step is what is next for an output: a message, or why it is over.
type step struct {
	message *dragomanv1.OutputRequest
	err     error
}

// size is about how many bytes a step keeps while it waits. One without any text keeps something, too.
func (s step) size() int {
	const empty = 128
	m := s.message.GetMessage()
	return empty + len(m.GetText()) + len(m.GetData()) + len(m.GetStart().GetRequest().GetText())
}

// read hands messages to their outputs until there are no more; nil says that the client has closed its side.
func (m *sharedStream) read(receive func() (*dragomanv1.ParseStreamsRequest, error)) error {
	for {
		in, err := receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		if err := m.takeAll(in.Outputs); err != nil {
			return err
		}
	}
}

// takeAll takes what came together, so that what becomes of it goes together. What others work on is first: it is on its way, and
// together as well, while the rest is parsed.
func (m *sharedStream) takeAll(outputs []*dragomanv1.OutputRequest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taking = true
	defer func() {
		m.taking = false
		m.changed.Broadcast()
	}()
	now, err := m.handOut(outputs)
	for _, r := range now {
		if err == nil {
			err = m.take(r)
		}
	}
	clear(now)
	return err
}

// handOut takes what others work on, and returns the rest.
func (m *sharedStream) handOut(outputs []*dragomanv1.OutputRequest) (now []*dragomanv1.OutputRequest, err error) {
	m.handing = true
	defer func() { // after a panic, too: what ends the outputs then needs goroutines that work
		m.handing = false
		m.begin()
	}()
	now = m.now[:0]
	for _, r := range outputs {
		if o := m.outputs[r.Output]; o != nil && (o.waits || o.parses(r)) {
			o.waits = true // so that its messages stay in order
			now = append(now, r)
		} else if err = m.take(r); err != nil {
			break
		}
	}
	for _, r := range now {
		if o := m.outputs[r.Output]; o != nil {
			o.waits = false
		}
	}
	m.now = now
	return now, err
}

// begin lets goroutines work on what was handed out.
func (m *sharedStream) begin() {
	handed := m.handed
	if len(handed) == 0 {
		return
	}
	m.handed = nil
	m.mu.Unlock()
	defer m.mu.Lock()
	for _, o := range handed {
		m.service.workers.do(o.work)
	}
}

// take parses a message, or puts it into the queue of its output.
func (m *sharedStream) take(r *dragomanv1.OutputRequest) error {
	for m.queued > maxShared && !m.failed {
		if len(m.handed) > 0 {
			m.begin()
		} else {
			m.changed.Wait()
		}
	}
	o := m.outputs[r.Output]
	if over := r.End || r.Cancel; o != nil && o.done && r.GetMessage().GetStart() == nil {
		if over {
			delete(m.outputs, r.Output)
		}
		return nil // it ended with an error, which the client could not know of when it sent this
	}
	if o == nil || o.done {
		o = m.open(r.Output)
	}
	if forgotten := len(m.outputs) - m.running; forgotten > m.service.limits().Sessions {
		return &host.Error{Code: host.LimitExceeded, Message: fmt.Sprintf("%d outputs of the stream have failed and were never ended", forgotten),
			Remedy: "send end or cancel for each output"}
	}
	o.heard = time.Now()
	o.dropped = o.dropped || r.End || r.Cancel
	switch {
	case o.parses(r):
		o.busy = true
		m.mu.Unlock()
		o.follow(step{message: r}) // as soon as another goroutine would have begun
		m.mu.Lock()
		if o.busy = len(o.queue) > 0; o.busy {
			m.service.workers.do(o.work)
		}
	case r.Cancel:
		o.cancel()
		m.push(o, step{err: &host.Error{Code: canceled, Message: "the client wants no more of this output"}})
	default:
		m.push(o, step{message: r})
	}
	return nil
}

// parses says whether the goroutine that reads the stream may parse a message itself.
func (o *sharedOutput) parses(r *dragomanv1.OutputRequest) bool {
	return !o.busy && !o.done && !r.Cancel && o.direct
}

// open makes an output that is new to the stream.
func (m *sharedStream) open(number uint64) *sharedOutput {
	limits := m.service.limits()
	o := &sharedOutput{stream: m, number: number, limits: &deadlines{idle: limits.SessionIdle, end: time.Now().Add(limits.SessionTime)}}
	o.ctx, o.cancel = context.WithCancel(m.ctx)
	o.ctx, o.rec, o.told = recordOf(m.ctx).part(o.ctx, outputMethod, strconv.FormatUint(number, 10))
	o.timer = time.AfterFunc(time.Until(o.limits.read()), o.silent)
	m.outputs[number] = o
	m.running++
	return o
}

// silent ends the output when its client was silent for too long. The timer is not set anew for each message, but here for the rest.
func (o *sharedOutput) silent() {
	m := o.stream
	m.mu.Lock()
	defer m.mu.Unlock()
	if o.done {
		return
	}
	if left := time.Until(o.limits.readSince(o.heard)); left > 0 {
		o.timer.Reset(left)
		return
	}
	m.push(o, step{err: o.limits.fault()})
}

// push adds a step for an output, and sees to it that somebody works on it.
func (m *sharedStream) push(o *sharedOutput, s step) {
	o.queue = append(o.queue, s)
	m.queued += s.size()
	if o.busy {
		return
	}
	o.busy = true
	if m.handing {
		m.handed = append(m.handed, o)
	} else {
		m.service.workers.do(o.work)
	}
}

// work goes through the queue of an output until nothing is left in it.
func (o *sharedOutput) work() {
	m := o.stream
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(o.queue) > 0 {
		steps := o.queue
		o.queue = nil
		m.mu.Unlock()
		size := 0
		for _, s := range steps {
			size += s.size()
			o.follow(s)
		}
		m.mu.Lock()
		if m.queued > maxShared {
			m.changed.Broadcast()
		}
		m.queued -= size
	}
	o.busy = false
}

// follow does one step. After the last one the others are passed over.
func (o *sharedOutput) follow(s step) {
	if o.closed {
		return
	}
	err := s.err
	if err == nil {
		err = o.stream.service.faults.kept(parseStreamsPath, func() error { return unlessOver(o.ctx, o.parse(s.message)) })
	}
	if err == nil && !s.message.End {
		return
	}
	if err != nil {
		o.rec.err = err
		what, _ := describe(err)
		_ = o.send(&dragomanv1.ParseStreamResponse{Error: what})
	}
	o.close()
}

// parse parses the next piece.
func (o *sharedOutput) parse(m *dragomanv1.OutputRequest) (err error) {
	in := m.GetMessage()
	switch {
	case o.output == nil:
		err = o.begin(in.GetStart())
	case in.GetStart() != nil:
		err = startedTwice()
	}
	if err == nil && in != nil {
		err = o.output.take(in)
	}
	if err == nil && m.End {
		err = o.output.finish(o.rec)
	}
	return err
}

// begin admits the output and makes its session.
func (o *sharedOutput) begin(start *dragomanv1.ParseStart) (err error) {
	s := o.stream.service
	if s.ending.Err() != nil {
		return shuttingDown()
	}
	limits := s.limits()
	if err = o.rec.key.ask(time.Now(), limits.KeyRate); err != nil {
		return err
	}
	if o.release, err = s.admit(o.ctx, limits); err != nil {
		return err
	}
	if start == nil {
		return notStarted()
	}
	o.output, err = s.begin(o.ctx, start, limits.RequestTime, o.send)
	o.direct = err == nil && !o.output.session.Waits()
	return err
}

// close gives back what the output held.
func (o *sharedOutput) close() {
	o.closed = true
	o.timer.Stop()
	if o.output != nil {
		o.output.session.Close()
		o.output = nil
	}
	if o.release != nil {
		o.release()
	}
	o.cancel()
	o.told()
	m := o.stream
	m.mu.Lock()
	defer m.mu.Unlock()
	o.done = true
	if o.dropped && m.outputs[o.number] == o {
		delete(m.outputs, o.number)
	}
	m.running--
	m.changed.Broadcast()
	if m.running == 0 && m.service.ending.Err() != nil {
		interrupt(m.ctx)
	}
}

// send makes a message of the output ready. It waits while the client does not take what is ready.
func (o *sharedOutput) send(r *dragomanv1.ParseStreamResponse) error {
	m := o.stream
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.waiting > maxShared && !m.failed {
		m.changed.Wait()
	}
	if m.failed {
		return context.Canceled
	}
	m.waiting += len(r.GetChunk().GetText()) + len(r.GetResult().GetMessage().GetText())
	if m.ready = append(m.ready, &dragomanv1.OutputResponse{Output: o.number, Message: r}); m.due() {
		m.changed.Broadcast()
	}
	return nil
}

// due says that what is ready goes out: at the end of what came together, unless that is a lot.
func (m *sharedStream) due() bool {
	const many = 100
	return len(m.ready) > 0 && !m.taking || len(m.ready) >= many || m.waiting > maxShared
}

// write sends what is ready until there will be no more.
func (m *sharedStream) write(send func(*dragomanv1.ParseStreamsResponse) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out dragomanv1.ParseStreamsResponse
	idle := m.service.limits().SessionIdle
	stalled := time.AfterFunc(idle, func() { m.stalled(idle) })
	defer stalled.Stop()
	var sent time.Time
	for {
		for !m.due() && !m.over {
			m.changed.Wait()
		}
		if len(m.ready) == 0 {
			return nil
		}
		m.mu.Unlock()
		time.Sleep(time.Until(sent.Add(pace))) // what is ready by then comes with this message
		sent = time.Now()
		m.mu.Lock()
		out.Outputs, m.ready = m.ready, out.Outputs[:0]
		m.waiting = 0
		m.changed.Broadcast()
		m.writing = time.Now()
		m.mu.Unlock()
		stalled.Reset(idle)
		err := send(&out)
		clear(out.Outputs)
		m.mu.Lock()
		m.writing = time.Time{}
		if err != nil {
			m.failed = true
			m.changed.Broadcast()
			interrupt(m.ctx)
			if m.late {
				err = &host.Error{Code: timedOut, Message: fmt.Sprintf("nothing was read for %v", idle), Remedy: "read what the stream brings while sending", Err: err}
			}
			return err
		}
	}
}

// stalled gives up on a client that has taken nothing for so long. It may come late, from a time before the last message was sent.
func (m *sharedStream) stalled(idle time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.writing.IsZero() && time.Since(m.writing) >= idle { // the stream is there as long as that
		m.late = true
		interruptWriting(m.ctx)
	}
}

// end ends the outputs that are still open, and waits for what they still have to say. Where reading has failed, they are cancelled.
func (m *sharedStream) end(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for number, o := range m.outputs {
		switch {
		case o.done:
		case err != nil:
			o.cancel()
			m.push(o, step{err: err})
		case !o.dropped:
			m.push(o, step{message: &dragomanv1.OutputRequest{Output: number, End: true}})
		}
	}
	for m.running > 0 {
		m.changed.Wait()
	}
	m.over = true
	m.changed.Broadcast()
}

// quit ends the stream as soon as nothing runs on it.
func (m *sharedStream) quit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running == 0 && !m.over { // the stream is there as long as that
		interrupt(m.ctx)
	}
}
