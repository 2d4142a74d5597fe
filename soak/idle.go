package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dragoman-project/dragoman/sdk/session"
)

// calm is the time that the daemon gets to release memory.
const calm = 3 * time.Second

// idle opens streams that get the beginning of an output and then nothing. It reports how long that took, and the daemon's
// resident memory per stream, for connection, goroutine and session together.
func idle(ctx context.Context, o options, d *daemon) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := openIdle(ctx, d.via[0]); err != nil { // the first one creates what all share
		return err
	}
	time.Sleep(calm)
	before, began := resident(d.cmd.Process.Pid), time.Now()
	var g errgroup.Group
	g.SetLimit(32)
	for i := range o.idle {
		g.Go(func() error { return openIdle(ctx, d.via[i%len(d.via)]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	took := time.Since(began)
	time.Sleep(calm)
	after := resident(d.cmd.Process.Pid)
	fmt.Printf("idle       %d streams opened in %v: %s before, %s after, %.1f KB per stream\n",
		o.idle, took.Round(time.Millisecond), mb(before), mb(after), float64(after-before)/1e3/float64(o.idle))
	return nil
}

// openIdle opens a stream and waits for its first chunk.
func openIdle(ctx context.Context, via opener) error {
	begun := make(first, 1)
	output, err := via.ParseInto(ctx, "chatml-reasoning", request, begun)
	if err != nil {
		return err
	}
	if err := output.Send("Let me think about"); err != nil {
		return err
	}
	return <-begun
}

// first receives nil for the first chunk, or the error in its place.
type first chan error

func (f first) Chunk(json.RawMessage)            { f.send(nil) }
func (f first) End(_ *session.Result, err error) { f.send(err) }

func (f first) send(err error) {
	select {
	case f <- err:
	default:
	}
}
