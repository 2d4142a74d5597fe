package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/client"
	"github.com/dragoman-project/dragoman/sdk/fault"
	"github.com/dragoman-project/dragoman/sdk/session"
)

// load keeps the streams going until ctx ends, and then lets the running ones finish.
func load(ctx context.Context, o options, d *daemon, scripts map[string][]*script, t *tally) error {
	engines := make([]*engine, len(d.via))
	if o.spread {
		engines = make([]*engine, o.streams)
	}
	period := time.Duration(float64(time.Second) / o.rate)
	for i := range engines {
		engines[i] = &engine{via: d.via[i%len(d.via)], period: period, phase: period * time.Duration(i) / time.Duration(len(engines)), tally: t}
	}
	now := time.Now()
	for i := range o.streams {
		e := engines[i%len(engines)]
		// Outputs begin at different times, or all would end at once.
		e.places = append(e.places, &place{scripts: scripts[share(i)], wait: now.Add(rand.N(min(10*time.Second, o.time/3)))})
	}
	var g errgroup.Group
	for _, e := range engines {
		g.Go(func() error { return e.run(ctx) })
	}
	return g.Wait()
}

// nextStep returns the time of an engine's next step after a time; phase offsets its steps from multiples of period.
func nextStep(after time.Time, period, phase time.Duration) time.Time {
	return after.Add(-phase).Truncate(period).Add(period + phase)
}

// share returns the template of stream i.
func share(i int) string {
	i = i * 37 % 100 // all templates in every hundred streams, mixed
	for _, template := range []string{"chatml-json", "chatml-reasoning", "chatml-tagged", "soak-brackets", "soak-tildes"} {
		if i < shares[template] {
			return template
		}
		i -= shares[template]
	}
	return "chatml-json"
}

// opener is a connection to the daemon: a stream that many outputs share, or a client that opens one for each.
type opener interface {
	ParseInto(ctx context.Context, template string, request any, to client.Receiver, options ...client.Option) (*client.Sender, error)
}

// each opens a stream for each output.
type each struct{ *client.Client }

// ParseInto starts a goroutine for each output, which receives its chunks.
func (e each) ParseInto(ctx context.Context, template string, request any, to client.Receiver, options ...client.Option) (*client.Sender, error) {
	stream, err := e.ParseStream(ctx, template, request, options...)
	if stream == nil {
		return nil, err
	}
	go func() {
		for chunk, fault := range stream.Chunks() {
			if fault != nil {
				to.End(nil, fault)
				return
			}
			to.Chunk(chunk)
		}
		to.End(stream.Result(), nil)
	}()
	return &stream.Sender, err
}

// engine has a number of running outputs, and sends a piece of each at every step.
type engine struct {
	via           opener
	period, phase time.Duration
	places        []*place
	tally         *tally
}

// place holds one output of an engine after the other.
type place struct {
	scripts []*script
	wait    time.Time // when the first output begins
	run     *run      // nil: empty
}

// run takes steps until ctx has ended and all places are empty. An error ends the test.
func (e *engine) run(ctx context.Context) error {
	for due := nextStep(time.Now(), e.period, e.phase); ; due = due.Add(e.period) {
		time.Sleep(time.Until(due))
		var taken int
		var err error
		together(e.via, func() { taken, err = e.stepAll(ctx, due) })
		if err != nil || taken == 0 && ctx.Err() != nil {
			return err
		}
	}
}

// together sends what send sends in one message, where outputs share a stream.
func together(via opener, send func()) {
	if streams, ok := via.(*client.Streams); ok {
		streams.Together(send)
	} else {
		send()
	}
}

// stepAll takes a step, and returns the number of places in use.
func (e *engine) stepAll(ctx context.Context, due time.Time) (taken int, err error) {
	for _, p := range e.places {
		if err := e.step(ctx, p, due); err != nil {
			return taken, err
		}
		if p.run != nil {
			taken++
		}
	}
	return taken, nil
}

// step begins, continues or ends the output of a place.
func (e *engine) step(ctx context.Context, p *place, due time.Time) (err error) {
	switch r := p.run; {
	case r == nil:
		if ctx.Err() == nil && due.After(p.wait) {
			p.run, err = e.begin(ctx, p.scripts[rand.IntN(len(p.scripts))], due)
		}
	case len(r.sent) < len(r.pieces):
		err = r.send(r.pieces[len(r.sent)])
	case !r.closed:
		r.closed = true
		err = r.output.CloseSend()
	default:
		select {
		case end := <-r.ended:
			p.run = nil
			r.cancel()
			return e.tally.finished(r, end)
		default:
		}
	}
	if errors.Is(err, io.EOF) {
		return nil // the stream has ended; its receiver gets the reason
	}
	return err
}

// begin opens a stream, which outlives ctx.
func (e *engine) begin(ctx context.Context, s *script, due time.Time) (*run, error) {
	r := &run{script: s, began: time.Now(), due: time.Until(due), period: e.period, may: [ruleSets]bool{true, true}, ended: make(chan end, 1)}
	ctx, r.cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Duration(len(s.pieces))*e.period+time.Minute)
	r.note(&r.sent)
	var err error
	if r.output, err = e.via.ParseInto(ctx, s.template, s.request, r, client.NoIDs(), client.Deltas()); r.output == nil {
		r.cancel()
		return nil, err
	}
	return r, err
}

// run is a running output. Its times are microseconds since it began, in 32 bits: there are many, and they compete with the
// daemon for the processors' caches.
type run struct {
	*script
	output      *client.Sender
	cancel      context.CancelFunc
	ended       chan end
	closed      bool
	began       time.Time
	due, period time.Duration  // when the first piece was due, since began, and the time between pieces
	sent, got   []int32        // times of pieces and of deltas
	may         [ruleSets]bool // the rule sets under which all deltas so far are right
	deltas      [][]byte       // of remote outputs, which may be resumed in other pieces
	ending      string
}

// end is the end of an output: its result, or an error.
type end struct {
	result *session.Result
	err    error
}

// send sends a piece without waiting for the deltas of earlier ones.
func (r *run) send(piece string) error {
	r.note(&r.sent)
	return r.output.Send(piece)
}

// note appends the current time to times.
func (r *run) note(times *[]int32) {
	*times = append(*times, int32(time.Since(r.began).Microseconds()))
}

// Chunk compares a delta with the expected ones, and notes when it arrived.
func (r *run) Chunk(delta json.RawMessage) {
	i := len(r.got)
	r.note(&r.got)
	for set, w := range r.wants {
		r.may[set] = r.may[set] && i < len(w.deltas) && bytes.Equal(delta, w.deltas[i])
	}
	if r.remote {
		r.deltas = append(r.deltas, bytes.Clone(delta))
	}
}

// End passes the end of the output to the engine.
func (r *run) End(result *session.Result, err error) { r.ended <- end{result, err} }

// outcome is the verdict on a stream.
type outcome int

const (
	right   outcome = iota
	resumed         // the right deltas, but cut otherwise: another plugin process took over from a dead one
	wrong
)

// judge returns whether a finished stream is right, and under which rule set.
func (r *run) judge() (set int, o outcome) {
	for set, w := range r.wants {
		if r.may[set] && len(r.got) == len(w.deltas) && r.ending == w.end {
			return set, right
		}
	}
	for set, w := range r.wants {
		if r.remote && r.ending == w.end && merge(r.deltas) == w.merged {
			return set, resumed
		}
	}
	return 0, wrong
}

// unavailable reports whether a plugin's death explains an error.
func unavailable(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code == fault.Unavailable
}

func (r *run) String() string {
	return fmt.Sprintf("%s, in %d pieces: %d deltas, %.300q", r.template, len(r.pieces), len(r.got), r.ending)
}
