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
	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// ParseStreams parses many outputs that share one stream.
//
//	read:  this goroutine ──messages──→ the outputs: it parses what never waits
//	parse: a goroutine for each output that plans, or waits for a plugin, and has something in its queue
//	write: one goroutine ──all that is ready, in one message──→ the client
//
// The stream is in this file, what becomes of a message that came in streams_handout.go, and the life of one output in
// streams_output.go.
//
// So an output that waits for a plugin keeps no other one waiting, one that waits for its model holds no goroutine, and what
// comes together is answered together.
func (s *chatService) ParseStreams(ctx context.Context, stream *connect.BidiStream[dragomanv1.ParseStreamsRequest, dragomanv1.ParseStreamsResponse]) error {
	rec := recordOf(ctx)
	rec.reached = true
	err := s.share(ctx, stream.Receive, stream.Send)
	rec.err = err
	if err != nil {
		return failure(err)
	}
	return nil
}

// share parses the outputs that receive brings, until it ends.
func (s *chatService) share(ctx context.Context, receive func() (*dragomanv1.ParseStreamsRequest, error), send func(*dragomanv1.ParseStreamsResponse) error) error {
	m := s.newSharedStream(ctx)
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
	return &fault.Error{Code: fault.Unavailable, Message: "the daemon is shutting down", Remedy: "go on with another one, or try again when it is back"}
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
	ready   *batch.Queue[*dragomanv1.OutputResponse] // for the client; held while what came together is being parsed

	mu      sync.Mutex
	changed sync.Cond // something below
	outputs map[uint64]*sharedOutput
	running int                         // outputs that have not ended
	queued  int                         // bytes in the queues of the outputs
	handing bool                        // it is being handed out
	handed  []*sharedOutput             // and these will be worked on
	now     []*dragomanv1.OutputRequest // kept for the next
	writing time.Time                   // since when the client is being sent something; zero: it is not
	late    bool                        // and took too long to take it
	over    bool                        // nothing more will be ready
	failed  bool                        // nothing more can be written
}

func (s *chatService) newSharedStream(ctx context.Context) *sharedStream {
	m := &sharedStream{service: s, ctx: ctx, outputs: map[uint64]*sharedOutput{}}
	m.ready = batch.New[*dragomanv1.OutputResponse](batch.Options{Pace: pace, MaxBytes: maxShared, MaxItems: 100})
	m.changed.L = &m.mu
	return m
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

// write sends what is ready until there will be no more.
func (m *sharedStream) write(send func(*dragomanv1.ParseStreamsResponse) error) error {
	idle := m.service.limits().SessionIdle
	stalled := time.AfterFunc(idle, func() { m.stalled(idle) })
	defer stalled.Stop()
	var out dragomanv1.ParseStreamsResponse
	for {
		var more bool
		if out.Outputs, more = m.ready.Next(); !more {
			return nil
		}
		m.setWriting(time.Now())
		stalled.Reset(idle)
		err := send(&out)
		m.setWriting(time.Time{})
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

// fail gives up a stream that the client cannot be sent anything on, and returns why.
func (m *sharedStream) fail(err error, idle time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = true
	m.ready.Abort()
	m.changed.Broadcast()
	interrupt(m.ctx)
	if m.late {
		return &fault.Error{Code: fault.TimedOut, Message: fmt.Sprintf("nothing was read for %v", idle), Remedy: "read what the stream brings while sending", Err: err}
	}
	return err
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
	if m.running == 0 && !m.over { // the stream is there as long as that
		interrupt(m.ctx)
	}
}
