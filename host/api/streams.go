package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"connectrpc.com/connect"

	"github.com/dragoman-project/dragoman/internal/batch"
	"github.com/dragoman-project/dragoman/internal/wire/chatapi"
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// ParseStreams parses many outputs that share one stream.
//
//	read:  this goroutine ──messages──→ the outputs: it parses what never waits
//	parse: a goroutine for each output that plans, or waits for a plugin, and has something in its queue
//	write: one goroutine ──all that is ready, in one message──→ the client
//
// So an output that waits for a plugin does not delay others, one that waits for its model holds no goroutine, and pieces that
// arrive together are answered together.
//
// This file has the stream, streams_handout.go the distribution of messages, and streams_output.go a single output.
func (s *chatService) ParseStreams(ctx context.Context, stream *connect.BidiStream[dragomanv1.ParseStreamsRequest, dragomanv1.ParseStreamsResponse]) error {
	rec := recordOf(ctx)
	rec.reached = true
	in, conn := new(chatapi.Requests), stream.Conn()
	receive := func() (*dragomanv1.ParseStreamsRequest, error) {
		in.Clear() // an empty message is not decoded
		err := conn.Receive(in)
		return &in.ParseStreamsRequest, err
	}
	err := s.share(ctx, receive, func(all chatapi.Answers) error { return conn.Send(all) })
	rec.err = err
	if err != nil {
		return failure(err)
	}
	return nil
}

// share parses the outputs of a stream until it ends. What receive returns is valid until its next call.
func (s *chatService) share(ctx context.Context, receive func() (*dragomanv1.ParseStreamsRequest, error), send func(chatapi.Answers) error) error {
	m := s.newSharedStream(ctx)
	defer context.AfterFunc(s.ending, m.quit)()
	written := make(chan error, 1)
	go func() { written <- s.faults.run(parseStreamsPath, func() error { return m.write(send) }) }()
	err := s.faults.run(parseStreamsPath, func() error { return m.read(receive) })
	m.end(err)
	if fault := <-written; fault != nil {
		err = fault // the reason why reading was interrupted
	}
	if err != nil && s.ending.Err() != nil {
		return shuttingDown()
	}
	return unlessOver(ctx, err)
}

func shuttingDown() error {
	return &fault.Error{Code: fault.Unavailable, Message: "the daemon is shutting down", Remedy: "use another one, or try again when it is back"}
}

// maxShared limits the bytes of a stream that wait for parsing, and those that wait for writing, before the producer blocks.
const maxShared = 1 << 20

// pace is the shortest time between two messages to the client.
const pace = 250 * time.Microsecond

// sharedStream is a call of ParseStreams.
type sharedStream struct {
	service *chatService
	ctx     context.Context
	ready   *batch.Queue[*chatapi.Answer] // for the client; held while a message is being parsed

	mu      sync.Mutex
	changed sync.Cond // any field below
	outputs map[uint64]*sharedOutput
	running int                         // outputs that have not ended
	queued  int                         // bytes in the queues of the outputs
	handing bool                        // a message is being distributed
	handed  []*sharedOutput             // outputs that need a goroutine afterwards
	now     []*dragomanv1.OutputRequest // what the reading goroutine parses itself; reused
	writing time.Time                   // when the write in progress began; zero: there is none
	late    bool                        // the client did not read in time
	over    bool                        // all outputs have ended
	failed  bool                        // nothing more can be written
}

func (s *chatService) newSharedStream(ctx context.Context) *sharedStream {
	m := &sharedStream{service: s, ctx: ctx, outputs: map[uint64]*sharedOutput{}}
	m.ready = batch.New[*chatapi.Answer](batch.Options{Pace: pace, MaxBytes: maxShared, MaxItems: 100})
	m.changed.L = &m.mu
	return m
}

// read distributes messages to their outputs. It returns nil when the client has closed its side.
func (m *sharedStream) read(receive func() (*dragomanv1.ParseStreamsRequest, error)) error {
	on := connectionOf(m.ctx)
	for {
		in, err := receive()
		on.receivedWhole()
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

// write sends batches until the stream ends.
func (m *sharedStream) write(send func(chatapi.Answers) error) error {
	idle := m.service.limits().SessionIdle
	stalled := time.AfterFunc(idle, func() { m.stalled(idle) })
	defer stalled.Stop()
	for {
		answers, more := m.ready.Next()
		if !more {
			return nil
		}
		m.setWriting(time.Now())
		stalled.Reset(idle)
		err := send(answers)
		m.setWriting(time.Time{})
		for _, a := range answers {
			a.Free()
		}
		if err != nil {
			return m.fail(err, idle)
		}
	}
}

func (m *sharedStream) setWriting(since time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writing = since
}

// fail gives up a stream that cannot be written to, and returns the reason.
func (m *sharedStream) fail(err error, idle time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = true
	m.ready.Abort()
	m.changed.Broadcast()
	interrupt(m.ctx)
	if m.late {
		return &fault.Error{Code: fault.TimedOut, Message: fmt.Sprintf("nothing was read for %v", idle), Remedy: "read from the stream while sending", Err: err}
	}
	return err
}

// stalled gives up on a client that has not read for that long. Its timer may fire late, after another write has begun.
func (m *sharedStream) stalled(idle time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.writing.IsZero() && time.Since(m.writing) >= idle { // while writing, the stream exists
		m.late = true
		interruptWriting(m.ctx)
	}
}

// end ends the open outputs and waits for their last messages. If reading has failed, it cancels them.
func (m *sharedStream) end(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for number, o := range m.outputs {
		switch {
		case o.done:
		case err != nil:
			m.giveUp(o, err)
		case !o.dropped:
			m.push(o, step{message: &dragomanv1.OutputRequest{Output: number, End: true}})
		}
	}
	for m.running > 0 {
		m.changed.Wait()
	}
	m.over = true
	m.ready.Close()
}

// quit ends the stream as soon as nothing runs on it.
func (m *sharedStream) quit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running == 0 && !m.over { // before it is over, the stream exists
		interrupt(m.ctx)
	}
}
