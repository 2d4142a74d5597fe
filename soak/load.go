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
	var g errgroup.Group
	period := time.Duration(float64(time.Second) / o.rate)
	for i := range o.streams {
		c := &sender{via: d.via[i%len(d.via)], period: period, tally: t}
		own := scripts[share(i)]
		g.Go(func() error {
			// Outputs do not begin all at once, or they would all end at once.
			wait := rand.N(min(10*time.Second, o.time/3))
			for begin := time.Now().Add(wait); ctx.Err() == nil; begin = time.Now() {
				if err := c.stream(ctx, own[rand.IntN(len(own))], begin); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
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

// sender sends outputs, one after the other.
type sender struct {
	via    opener
	period time.Duration
	tally  *tally
}

// run is one output on its way. due and sent are per piece, got per delta.
type run struct {
	*script
	due, sent, got []time.Time
	may            [ruleSets]bool // the rule sets that agree with all that came
	message        string
}

// stream sends one output and looks at what comes of it. The error is one that ends the test. ctx only keeps it from
// beginning.
func (c *sender) stream(ctx context.Context, s *script, begin time.Time) error {
	if !sleep(ctx, begin) {
		return nil
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Duration(len(s.pieces))*c.period+time.Minute)
	defer cancel()
	r := &run{script: s, may: [ruleSets]bool{true, true}, due: []time.Time{begin}, sent: []time.Time{time.Now()}}
	stream, err := c.via.ParseStream(own, s.template, s.request, client.NoIDs())
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	received := make(chan error, 1)
	go func() { received <- r.receive(stream) }()
	if err := r.send(own, stream, begin, c.period); err != nil && !errors.Is(err, io.EOF) {
		return err // EOF: it has ended already, and receiving tells why
	}
	return c.tally.finished(r, <-received)
}

// sleep waits for a time, or the end of ctx.
func sleep(ctx context.Context, until time.Time) bool {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends each piece when it is due, however long the one before took. The first opened the stream.
func (r *run) send(ctx context.Context, stream *client.Stream, begin time.Time, period time.Duration) error {
	for i, p := range r.pieces[1:] {
		due := begin.Add(time.Duration(i+1) * period)
		if !sleep(ctx, due) {
			return ctx.Err()
		}
		r.due, r.sent = append(r.due, due), append(r.sent, time.Now())
		if err := stream.Send(p); err != nil {
			return err
		}
	}
	return stream.CloseSend()
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

var deltaMember = []byte(`"delta":`)

// take compares a delta with those that may come now.
func (r *run) take(chunk []byte) {
	i := len(r.got)
	r.got = append(r.got, time.Now())
	_, delta, _ := bytes.Cut(chunk, deltaMember)
	for set, w := range r.wants {
		r.may[set] = r.may[set] && i < len(w.deltas) && bytes.HasPrefix(delta, w.deltas[i])
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
