package api

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/dragoman-project/dragoman/sdk/fault"
	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// This file distributes the messages of a shared stream to goroutines. An output that plans, or waits for a plugin, has a queue
// and a goroutine of its own; every other one is parsed at once, by the goroutine that reads the stream.

// takeAll handles a message, so that the answers go together, too. Pieces for other goroutines come first, so that these work
// while the rest is parsed here.
func (m *sharedStream) takeAll(outputs []*dragomanv1.OutputRequest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready.Hold()
	defer m.ready.Release()
	now, err := m.handOut(outputs)
	for _, r := range now {
		if err == nil {
			err = m.take(r)
		}
	}
	clear(now)
	return err
}

// handOut distributes the pieces for other goroutines, and returns the rest.
func (m *sharedStream) handOut(outputs []*dragomanv1.OutputRequest) (now []*dragomanv1.OutputRequest, err error) {
	m.handing = true
	defer func() { // after a panic, too: the outputs need their goroutines to end
		m.handing = false
		m.begin()
	}()
	now = m.now[:0]
	for _, r := range outputs {
		if o := m.outputs[r.Output]; o != nil && (o.waits || o.parses(r)) {
			o.waits = true // keeps its messages in order
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

// begin starts goroutines for what was distributed.
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

// take parses a piece, or adds it to the queue of its output.
func (m *sharedStream) take(r *dragomanv1.OutputRequest) error {
	for m.queued > maxShared && !m.failed {
		if len(m.handed) > 0 {
			m.begin()
		} else {
			m.changed.Wait()
		}
	}
	o := m.outputs[r.Output]
	starts := r.GetMessage().GetStart() != nil
	switch {
	case o == nil, o.done && starts:
		o = m.open(r)
	case o.done: // with an error that the client did not know of when it sent this
		if r.End || r.Cancel {
			delete(m.outputs, r.Output)
		}
		return nil
	case o.dropped && starts:
		o = m.openBehind(o, r)
	}
	if forgotten := len(m.outputs) - m.running; forgotten > m.service.limits().Sessions {
		return &fault.Error{Code: fault.LimitExceeded, Message: fmt.Sprintf("%d outputs of the stream have failed and were not ended", forgotten),
			Remedy: "send end or cancel for each output"}
	}
	o.heard = time.Now()
	o.dropped = o.dropped || r.End || r.Cancel
	switch {
	case o.parses(r):
		o.busy = true
		m.mu.Unlock()
		o.follow(step{message: r}) // faster than starting a goroutine
		m.mu.Lock()
		if o.busy = len(o.queue) > 0; o.busy {
			m.service.workers.do(o.work)
		}
	case r.Cancel:
		m.giveUp(o, &fault.Error{Code: fault.Canceled, Message: "the client wants no more of this output"})
	default:
		m.push(o, step{message: proto.CloneOf(r)}) // what was received is valid only now
	}
	return nil
}

// giveUp ends an output, and cancels what it is doing.
func (m *sharedStream) giveUp(o *sharedOutput, why error) {
	o.cancel(why)
	m.push(o, step{err: why})
}

// push adds a step to the queue of an output, and makes sure that a goroutine works on it.
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
