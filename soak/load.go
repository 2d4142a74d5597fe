package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	dragomanv1 "github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1"
)

// load keeps the streams going until ctx ends, and lets those that run finish.
func load(ctx context.Context, o options, d *daemon, scripts map[string][]*script, t *tally) error {
	var g errgroup.Group
	period := time.Duration(float64(time.Second) / o.rate)
	for i := range o.streams {
		c := &client{conn: d.conns[i%len(d.conns)], period: period, tally: t}
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

// client sends outputs, one after the other.
type client struct {
	conn   *grpc.ClientConn
	period time.Duration
	tally  *tally
}

var parseStream = &grpc.StreamDesc{StreamName: "ParseStream", ClientStreams: true, ServerStreams: true}

// run is one output on its way. due and sent are per piece, got per delta.
type run struct {
	*script
	due, sent, got []time.Time
	may            [ruleSets]bool // the rule sets that agree with all that came
	message        string
}

// stream sends one output and looks at what comes of it. The error is one that ends the test. ctx only keeps it from
// beginning.
func (c *client) stream(ctx context.Context, s *script, begin time.Time) error {
	if !sleep(ctx, begin) {
		return nil
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Duration(len(s.pieces))*c.period+time.Minute)
	defer cancel()
	stream, err := c.conn.NewStream(own, parseStream, "/dragoman.v1.ChatService/ParseStream")
	if err != nil {
		return err
	}
	r := &run{script: s, may: [ruleSets]bool{true, true}}
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

// send sends each piece when it is due, however long the one before took.
func (r *run) send(ctx context.Context, stream grpc.ClientStream, begin time.Time, period time.Duration) error {
	for i, p := range r.pieces {
		due := begin.Add(time.Duration(i) * period)
		if !sleep(ctx, due) {
			return ctx.Err()
		}
		m := &dragomanv1.ParseStreamRequest{Chunk: &dragomanv1.ParseStreamRequest_Data{Data: []byte(p)}}
		if i == 0 {
			m = &dragomanv1.ParseStreamRequest{Start: &dragomanv1.ParseStart{Template: r.template, Request: &dragomanv1.Json{Text: r.request},
				Options: &dragomanv1.ParseOptions{NoIds: true}}}
		}
		r.due, r.sent = append(r.due, due), append(r.sent, time.Now())
		if err := stream.SendMsg(m); err != nil {
			return err
		}
	}
	return stream.CloseSend()
}

// receive takes what comes and notes when. What cannot have come is an error.
func (r *run) receive(stream grpc.ClientStream) error {
	m := new(dragomanv1.ParseStreamResponse)
	for {
		err := stream.RecvMsg(m)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case m.Result != nil:
			r.message = m.Result.Message.Text
		default:
			r.take(m.Chunk.Text)
		}
	}
}

// take compares a delta with those that may come now.
func (r *run) take(chunk string) {
	i := len(r.got)
	r.got = append(r.got, time.Now())
	_, delta, _ := strings.Cut(chunk, `"delta":`)
	for set, w := range r.wants {
		r.may[set] = r.may[set] && i < len(w.deltas) && strings.HasPrefix(delta, w.deltas[i])
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
func unavailable(err error) bool { return status.Code(err) == codes.Unavailable }

func (r *run) String() string {
	return fmt.Sprintf("%s, cut after %d pieces: %d deltas, message %.300q", r.template, len(r.pieces), len(r.got), r.message)
}
