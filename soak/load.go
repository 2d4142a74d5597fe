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
	"github.com/dragoman-project/dragoman/host"
)

// load keeps the streams going until ctx ends, and lets those that run finish.
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
		// Outputs do not begin all at once, or they would all end at once.
		e.places = append(e.places, &place{scripts: scripts[share(i)], wait: now.Add(rand.N(min(10*time.Second, o.time/3)))})
	}
	var g errgroup.Group
	for _, e := range engines {
		g.Go(func() error { return e.run(ctx) })
	}
	return g.Wait()
}

// nextStep is when an engine takes its next step, whose steps lie phase behind those of the clock.
func nextStep(after time.Time, period, phase time.Duration) time.Time {
	return after.Add(-phase).Truncate(period).Add(period + phase)
}

// share is the template of the stream with number i.
func share(i int) string {
	i = i * 37 % 100 // all templates in every hundred, mixed
	for _, template := range []string{"chatml-json", "chatml-reasoning", "chatml-tagged", "soak-brackets", "soak-tildes"} {
		if i < shares[template] {
			return template
		}
		i -= shares[template]
	}
	return "chatml-json"
}

// opener is a connection to the daemon: a client, or a stream of it that many outputs share.
type opener interface {
	ParseStream(ctx context.Context, template string, request any, options ...client.Option) (*client.Stream, error)
}

// engine has some outputs under way and says something of each at every step.
type engine struct {
	via           opener
	period, phase time.Duration
	places        []*place
	tally         *tally
}

// place is where an engine has one output after the other.
type place struct {
	scripts []*script
	wait    time.Time // before that it stays empty
	run     *run      // nil: empty
}

// run takes steps until ctx has ended and all places are empty. The error is one that ends the test.
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

// together lets what say sends go in one message, where outputs share a stream.
func together(via opener, say func()) {
	if streams, ok := via.(*client.Streams); ok {
		streams.Together(say)
	} else {
		say()
	}
}

// stepAll takes a step and tells how many places are taken.
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

// step says what is next of an output.
func (e *engine) step(ctx context.Context, p *place, due time.Time) (err error) {
	switch r := p.run; {
	case r == nil:
		if ctx.Err() == nil && due.After(p.wait) {
			p.run, err = e.begin(ctx, p.scripts[rand.IntN(len(p.scripts))], due)
		}
	case len(r.sent) < len(r.pieces):
		err = r.send(r.pieces[len(r.sent)], due)
	case !r.closed:
		r.closed = true
		err = r.stream.CloseSend()
	default:
		select {
		case fault := <-r.received:
			p.run = nil
			r.cancel()
			return e.tally.finished(r, fault)
		default:
		}
	}
	if errors.Is(err, io.EOF) {
		return nil // it has ended already, and receiving tells why
	}
	return err
}

// begin opens a stream. ctx does not end it.
func (e *engine) begin(ctx context.Context, s *script, due time.Time) (*run, error) {
	r := &run{script: s, may: [ruleSets]bool{true, true}, received: make(chan error, 1)}
	ctx, r.cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Duration(len(s.pieces))*e.period+time.Minute)
	r.due, r.sent = append(r.due, due), append(r.sent, time.Now())
	stream, err := e.via.ParseStream(ctx, s.template, s.request, client.NoIDs(), client.Deltas())
	if stream == nil {
		r.cancel()
		return nil, err
	}
	r.stream = stream
	go func() { r.received <- r.receive(stream) }()
	return r, err
}

// run is one output on its way. due and sent are per piece, got per delta.
type run struct {
	*script
	stream         *client.Stream
	cancel         context.CancelFunc
	received       chan error // why nothing more comes
	closed         bool
	due, sent, got []time.Time
	may            [ruleSets]bool // the rule sets that agree with all that came
	message        string
}

// send sends a piece, however long the one before took.
func (r *run) send(piece string, due time.Time) error {
	r.due, r.sent = append(r.due, due), append(r.sent, time.Now())
	return r.stream.Send(piece)
}

// receive takes what comes and notes when.
func (r *run) receive(stream *client.Stream) error {
	for chunk, err := range stream.Chunks() {
		if err != nil {
			return err
		}
		r.take(chunk)
	}
	message, err := json.Marshal(stream.Result().Message)
	r.message = string(message)
	return err
}

// take compares a delta with those that may come now.
func (r *run) take(delta []byte) {
	i := len(r.got)
	r.got = append(r.got, time.Now())
	for set, w := range r.wants {
		r.may[set] = r.may[set] && i < len(w.deltas) && bytes.Equal(delta, w.deltas[i])
	}
}

// outcome is what became of a stream.
type outcome int

const (
	right   outcome = iota
	resumed         // right as a whole, in other pieces: a plugin's process took over from a dead one
	wrong
)

// judge says whether a whole stream is right, and under which rule set.
func (r *run) judge() (set int, o outcome) {
	for set, w := range r.wants {
		if r.may[set] && len(r.got) == len(w.deltas) && r.message == w.message {
			return set, right
		}
	}
	for set, w := range r.wants {
		if r.remote && r.message == w.message {
			return set, resumed
		}
	}
	return 0, wrong
}

// unavailable says whether an error is one that a plugin's death explains.
func unavailable(err error) bool {
	var told *client.Error
	return errors.As(err, &told) && told.Code == string(host.Unavailable)
}

func (r *run) String() string {
	return fmt.Sprintf("%s, cut after %d pieces: %d deltas, message %.300q", r.template, len(r.pieces), len(r.got), r.message)
}
