package plugins

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins/replay"
	"github.com/dragoman-project/dragoman/sdk/chat"
	"github.com/dragoman-project/dragoman/sdk/handler"
)

// Limits on resuming a stream for the sake of one chunk. The death of a process hits all of its streams, although only one may
// have caused it. So a stream whose processes die again and again resumes only in its turn: the others like it wait meanwhile,
// and the innocent ones continue. A stream waits for its turn no longer than a call may take.
const (
	maxResumptions = 9 // how often an output is sent again
	hangCosts      = 3 // as how many resumptions one counts that timed out
	freely         = 2 // how many resumptions need no turn
)

// OpenStream begins to parse an output in a process. If that dies or hangs, the output so far is sent to another one, and what
// was delivered is not delivered again; so a stream needs as much memory as its output. It ends with Finish, or with ctx.
func (p *proxy) OpenStream(ctx context.Context, in handler.StreamInput, sink chat.Sink) (handler.Stream, error) {
	slot, err := p.enter()
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	context.AfterFunc(ctx, slot.leave)
	s := &stream{slot: slot, handler: p.Name, ctx: ctx, end: end, in: in, events: replay.Filter{Sink: sink}}
	if err := s.insist(func(bool) error { return nil }); err != nil {
		end()
		return nil, err
	}
	return s, nil
}

var _ handler.StreamHandler = (*proxy)(nil)

// stream is one output being parsed in a process, or in several, one after the other.
type stream struct {
	slot      *slot // entered until the stream ends
	handler   string
	ctx       context.Context
	end       context.CancelFunc
	in        handler.StreamInput
	output    []byte // everything fed
	truncated bool
	events    replay.Filter
	run       *run // nil: the next step begins one
}

// run is the part of a stream that one process parses.
type run struct {
	generation *generation
	remote     handler.Stream // nil: not opened
	ctx        context.Context
	leave      func() // ends what is under way, and releases the process
}

// Feed sends the next bytes of the output.
func (s *stream) Feed(chunk []byte) error {
	s.output = append(s.output, chunk...)
	return s.insist(func(fresh bool) error {
		if fresh {
			chunk = s.output
		}
		return s.run.remote.Feed(chunk)
	})
}

// Truncated has Finish report that the engine stopped for length.
func (s *stream) Truncated() { s.truncated = true }

// Finish ends the output.
func (s *stream) Finish() (result handler.StreamResult, err error) {
	err = s.insist(func(fresh bool) (err error) {
		if fresh {
			if err := s.run.remote.Feed(s.output); err != nil {
				return err
			}
		}
		result, err = handler.Finish(s.run.remote, s.truncated)
		return err
	})
	if err == nil && s.events.Behind() {
		err = &Fault{Plugin: s.slot.manifest.Name, Err: replay.ErrDifferent}
	}
	s.end()
	return result, err
}

// insist does a step. If the process is gone, it does the step in another one, which is fresh: it has received nothing yet.
func (s *stream) insist(step func(fresh bool) error) error {
	for resumptions := 0; ; {
		gone, late, err := s.inTurn(resumptions, step)
		if resumptions++; late {
			resumptions += hangCosts - 1
		}
		if !gone || resumptions > maxResumptions {
			return err
		}
		s.drop()
	}
}

// inTurn is try, in the stream's turn if it was resumed often.
func (s *stream) inTurn(resumptions int, step func(fresh bool) error) (gone, late bool, _ error) {
	if resumptions <= freely {
		return s.try(step)
	}
	patience := time.NewTimer(s.slot.opts.CallTimeout)
	defer patience.Stop()
	select {
	case s.slot.turn <- struct{}{}:
		defer func() { <-s.slot.turn }()
	case <-patience.C:
	case <-s.ctx.Done():
		return false, false, s.ctx.Err()
	}
	return s.try(step)
}

// try does a step within the time limit of a call. It reports whether the process is gone, so that another try makes sense, and
// whether because it was late.
func (s *stream) try(step func(fresh bool) error) (gone, late bool, _ error) {
	if s.run == nil {
		if err := s.begin(); err != nil {
			return false, false, err
		}
	}
	timer := time.AfterFunc(s.slot.opts.CallTimeout, s.run.leave)
	err := s.do(step)
	late = !timer.Stop()
	end := over(s.ctx)
	switch {
	case end != nil:
		return false, false, end
	case s.events.Fault != nil:
		return false, false, &Fault{Plugin: s.slot.manifest.Name, Err: s.events.Fault}
	case late && err == nil: // the answer came at the last moment, but the run is over: the next step begins another
		s.drop()
		return false, false, nil
	case late:
		err = fmt.Errorf("no answer within %v", s.slot.opts.CallTimeout)
		s.slot.suspect(s.run.generation, s.fingerprint())
		s.slot.condemn(s.run.generation, err)
		return true, true, s.slot.unavailable("%v", err)
	}
	if why := s.slot.judge(s.run.generation, err, s.fingerprint); why != nil {
		return true, false, s.slot.unavailable("%v", why)
	}
	return false, false, s.slot.asFault(err)
}

// fingerprint identifies the output.
func (s *stream) fingerprint() uint64 {
	h := fnv.New64a()
	_, _ = h.Write(s.in.Token)
	_, _ = h.Write(s.output)
	return h.Sum64()
}

// do opens the run, if it is new, and does a step.
func (s *stream) do(step func(fresh bool) error) (err error) {
	fresh := s.run.remote == nil
	if fresh {
		s.events.Again()
		if s.run.remote, err = s.run.generation.handlers[s.handler].OpenStream(s.run.ctx, s.in, s.events.Take); err != nil {
			return err
		}
	}
	return step(fresh && len(s.output) > 0)
}

// begin acquires a process.
func (s *stream) begin() error {
	g, err := s.slot.acquire(s.ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.run = &run{generation: g, ctx: ctx, leave: cancel}
	context.AfterFunc(ctx, g.release)
	return nil
}

func (s *stream) drop() {
	if s.run != nil {
		s.run.leave()
		s.run = nil
	}
}
