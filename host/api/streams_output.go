package api

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// sharedOutput is one output of a shared stream. Fields that are not guarded belong to the goroutine that works on it.
type sharedOutput struct {
	stream  *sharedStream
	number  uint64
	ctx     context.Context
	cancel  context.CancelCauseFunc
	rec     *record
	told    func()
	limits  *deadlines
	timer   *time.Timer // for silent
	release func()      // undoes admit; nil before
	output  *output     // nil before its start
	direct  bool        // parsing never blocks
	closed  bool

	queue   []step        // guarded by stream.mu, as all below
	heard   time.Time     // when the client last sent a message
	busy    bool          // a goroutine works on the queue, or will
	waits   bool          // the reading goroutine has a message for it
	done    bool          // its last message is queued
	dropped bool          // the client has ended or cancelled it
	next    *sharedOutput // of the same number, which begins when this one is done
}

// step is a message for an output, or the error that ends it. While it waits, the memory of the message is its own.
type step struct {
	message *dragomanv1.OutputRequest
	err     error
}

// size returns about how many bytes of memory a waiting step takes.
func (s step) size() int {
	const aRange = 64 // in memory; a few bytes in the message
	const anID = 4    // likewise; a byte and more in the message
	m := s.message.GetMessage()
	return keptBytes + proto.Size(s.message) + aRange*len(m.GetSpecial()) + anID*len(m.GetIds())
}

// keptBytes is about what a message takes besides its text. It limits the number of messages without any.
const keptBytes = 256

// open adds the output of a first message.
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

// openBehind adds an output with the number of one that the client has ended but that is not done. It waits for that one, so that
// the client can tell their messages apart by their order.
func (m *sharedStream) openBehind(before *sharedOutput, r *dragomanv1.OutputRequest) *sharedOutput {
	o := m.open(r)
	o.busy = true
	before.next = o
	return o
}

// parses reports whether the goroutine that reads the stream may parse a message itself.
func (o *sharedOutput) parses(r *dragomanv1.OutputRequest) bool {
	return !o.busy && !o.done && !r.Cancel && o.direct
}

// silent ends the output after its client has been silent for too long. Its timer is not reset for each message, but here.
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

// work processes the queue of an output until it is empty.
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

// follow processes one step. Steps after the last are ignored.
func (o *sharedOutput) follow(s step) {
	if o.closed {
		return
	}
	err := s.err
	if err == nil {
		err = o.stream.service.faults.run(parseStreamsPath, func() error { return unlessOver(o.ctx, o.parse(s.message)) })
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

// begin admits the output and starts its session.
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
	o.output, err = s.begin(o.ctx, start, limits.RequestTime, o)
	o.direct = err == nil && !o.output.session.Waits()
	return err
}

// send queues a message for the client. It blocks while the queue is full.
func (o *sharedOutput) send(r *dragomanv1.ParseStreamResponse) error {
	return o.put(&chatapi.Answer{Output: o.number, Response: r}, keptBytes+proto.Size(r))
}

// chunk queues a chunk for the client.
func (o *sharedOutput) chunk(text []byte, ids chatapi.IDs) error {
	return o.put(chatapi.ChunkAnswer(o.number, text, ids), keptBytes+len(text))
}

func (o *sharedOutput) put(a *chatapi.Answer, size int) error {
	if !o.stream.ready.Put(a, size) {
		return context.Canceled
	}
	return nil
}

// close ends the output. The stream waits for it, so it must not fail.
func (o *sharedOutput) close() {
	o.closed = true
	o.timer.Stop()
	_ = o.stream.service.faults.run(parseStreamsPath, o.giveBack) // logged; the client has its last message
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

// giveBack releases what the output holds, even if something panics.
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
