package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// startChurn changes rules and kills plugins until ctx ends.
func startChurn(ctx context.Context, o options, d *daemon, dir folder, t *tally) *errgroup.Group {
	var g errgroup.Group
	if o.reload > 0 {
		g.Go(func() error { return rewrite(ctx, o.reload, dir, t) })
	}
	if o.kill > 0 {
		g.Go(func() error { return kill(ctx, o.kill, d, t) })
	}
	return &g
}

// rewrite writes the rule sets in turn, in each style in turn.
func rewrite(ctx context.Context, every time.Duration, dir folder, t *tally) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := 1; ; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := styles[i%len(styles)].write(dir.rules(), rules(i%ruleSets)); err != nil {
			return err
		}
		t.written.Add(1)
	}
}

// kill kills the processes of plugins at random times.
func kill(ctx context.Context, mean time.Duration, d *daemon, t *tally) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(2 * rand.Float64() * float64(mean))):
		}
		status, err := d.status(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		for _, p := range status.Plugins {
			if p.Pid == 0 {
				continue
			}
			if err := syscall.Kill(int(p.Pid), syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
			t.killed.Add(1)
		}
	}
}
