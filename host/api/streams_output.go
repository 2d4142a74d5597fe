package api

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// sharedOutput is one output of many. What is not said to be guarded belongs to the goroutine that works on it.
type sharedOutput struct {
	stream  *sharedStream
	number  uint64
	ctx     context.Context
	cancel  context.CancelCauseFunc
	rec     *record
	told    func()
	limits  *deadlines
	timer   *time.Timer // until the client has been silent for too long
	release func()      // gives back the room that it takes; nil before it was admitted
	output  *output     // nil before its start
	direct  bool        // parsing it never waits for anything
	closed  bool

	queue   []step        // guarded by stream.mu, as all below
	heard   time.Time     // when the client sent something of it
	busy    bool          // a goroutine works on the queue, or will
	waits   bool          // for the goroutine that reads the stream, with a message
	done    bool          // its last message is ready
	dropped bool          // the client has ended or cancelled it
	next    *sharedOutput // has its number, and waits until it is done
}

// step is what is next for an output: a message, or why it is over.
type step struct {
	message *dragomanv1.OutputRequest
	err     error
}

// size is about how many bytes a step keeps while it waits.
func (s step) size() int {
	const aRange = 64 // in memory; on the wire it is a few bytes
	return keptBytes + proto.Size(s.message) + aRange*len(s.message.GetMessage().GetSpecial())
}

// keptBytes is about what a message keeps besides its text. It bounds how many wait that have none.
const keptBytes = 256

// responseSize is about how many bytes a message for the client keeps while it waits. Pieces are many, so of them no more is looked
// at than is needed.
func responseSize(r *dragomanv1.ParseStreamResponse) int {
	if r.Chunk != nil {
		return keptBytes + len(r.Chunk.Text)
	}
	return keptBytes + proto.Size(r)
}

// open makes an output that is new to the stream, of its first message.
func (m *sharedStream) open(r *dragomanv1.OutputRequest) *sharedOutput {
	limits := m.service.limits()
	o := &sharedOutput{stream: m, number: r.Output, limits: &deadlines{idle: limits.SessionIdle, end: time.Now().Add(limits.SessionTime)}}
	o.ctx, o.cancel = context.WithCancelCause(m.ctx)
	o.ctx, o.rec, o.told = recordOf(m.ctx).part(traced(o.ctx, r.Traceparent), outputMethod, strconv.FormatUint(r.Output, 10))
	o.timer = time.AfterFunc(time.Until(o.limits.readSince(time.Now())), o.silent)
	m.outputs[r.Output] = o
	m.running++
	return o
}

// openBehind makes an output that has the number of another one, which the client has ended but which is not done. It waits for
// that, so that the client can tell from their order what belongs to which.
func (m *sharedStream) openBehind(before *sharedOutput, r *dragomanv1.OutputRequest) *sharedOutput {
	o := m.open(r)
	o.busy = true
	before.next = o
	return o
}

// parses says whether the goroutine that reads the stream may parse a message itself.
func (o *sharedOutput) parses(r *dragomanv1.OutputRequest) bool {
	return !o.busy && !o.done && !r.Cancel && o.direct
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

// send makes a message of the output ready. It waits while the client does not take what is ready.
func (o *sharedOutput) send(r *dragomanv1.ParseStreamResponse) error {
	if !o.stream.ready.Put(&dragomanv1.OutputResponse{Output: o.number, Message: r}, responseSize(r)) {
		return context.Canceled
	}
	return nil
}

// close ends the output. The stream waits for that, so it must not fail.
func (o *sharedOutput) close() {
	o.closed = true
	o.timer.Stop()
	_ = o.stream.service.faults.kept(parseStreamsPath, o.giveBack) // it is logged, and the client has its last message
	m := o.stream
	m.mu.Lock()
	defer m.mu.Unlock()
	o.done = true
	if o.dropped && m.outputs[o.number] == o {
		delete(m.outputs, o.number)
	}
	if o.next != nil {
		m.service.workers.do(o.next.work)
	}
	m.running--
	m.changed.Broadcast()
	if m.running == 0 && m.service.ending.Err() != nil {
		interrupt(m.ctx)
	}
}

// giveBack gives back what the output held, all of it even if something panics.
func (o *sharedOutput) giveBack() error {
	defer o.told()
	defer o.cancel(nil)
	if o.release != nil {
		defer o.release()
	}
	if o.output != nil {
		o.output.session.Close()
		o.output = nil
	}
	return nil
}
