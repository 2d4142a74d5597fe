// Command soak puts a daemon under the load of many outputs at once while everything that can change changes, and tells how
// long chunks took, what memory was held, and whether a single byte was wrong.
//
//	scripts: template × output × cuts ──library, under each rule set──→ the deltas that each piece must bring
//	daemon:  a process of its own, with rules, templates and plugins in a folder that is rewritten meanwhile
//	load:    engines, each with its part of the outputs: at every step a piece of each ──gRPC over loopback──→ deltas,
//	         compared one by one
//	churn:   other rules every second, written in every style; the process of the plugin killed at random
//
// What a stream must bring is known before the load begins: this process parses every script with the library, at once and
// in pieces, under both rule sets. A stream is right when all its deltas and its message are those of one of the two: what a
// reload changes, it changes for streams that begin after it.
//
// Words that must not be confused: the *delay* of a piece is from when it was sent to when the last of its deltas came; its
// *lateness* is from when it was due to when it was sent, which is this process's own fault; *due to delta* is both, and so
// what a client sees whose tokens come at a steady pace. A stream is *refused* when no plugin could answer at that moment; it
// is *broken* when a plugin's stream could not be resumed in time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	daemon, plugins string
	streams, idle   int
	rate            float64
	conns           int
	each, spread    bool
	time            time.Duration
	reload, kill    time.Duration
	maxP99          time.Duration
	log             string
}

func parseFlags() (o options) {
	flag.StringVar(&o.daemon, "daemon", "bin/dragoman", "the daemon's binary")
	flag.StringVar(&o.plugins, "plugins", "bin/soak", "folder with the plugin of this test, soakplugin")
	flag.IntVar(&o.streams, "streams", 1000, "outputs that are parsed at the same time")
	flag.IntVar(&o.idle, "idle", 0, "only open so many streams, and tell what an idle one costs")
	flag.Float64Var(&o.rate, "rate", 30, "pieces a second of each output")
	flag.IntVar(&o.conns, "conns", 16, "engines: connections, each with a stream to the daemon that its outputs share")
	flag.BoolVar(&o.spread, "spread", false, "pieces come at times of their own, not those of an output's engine all at each step")
	flag.BoolVar(&o.each, "each", false, "a stream of its own for each output, over the same connections")
	flag.DurationVar(&o.time, "time", 10*time.Minute, "how long")
	flag.DurationVar(&o.reload, "reload", time.Second, "how often other rules are written; 0: never")
	flag.DurationVar(&o.kill, "kill", 15*time.Second, "how often, on average, the plugin's process is killed; 0: never")
	flag.DurationVar(&o.maxP99, "p99", 0, "fail when the 99th percentile of the delay is above this; 0: only tell")
	flag.StringVar(&o.log, "log", "", "file for the daemon's log (default: thrown away)")
	flag.Parse()
	return o
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	debug.SetGCPercent(400) // it shares the processors with the daemon
	o := parseFlags()
	err := soak(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak runs the test from its start to its report. The error says what must not be.
func soak(ctx context.Context, o options) error {
	dir, err := newFolder(o.plugins)
	if err != nil {
		return err
	}
	defer os.RemoveAll(string(dir))
	scripts, err := prepare(ctx, dir)
	if err != nil {
		return err
	}
	d, err := startDaemon(ctx, o, dir)
	if err != nil {
		return err
	}
	if o.idle > 0 {
		return errors.Join(idle(ctx, o, d), d.stop())
	}
	fmt.Printf("%d streams at %g pieces a second for %v, over %d connections, on %d processors; the daemon is process %d\n",
		o.streams, o.rate, o.time, o.conns, runtime.NumCPU(), d.cmd.Process.Pid)
	var t tally
	watchEnd := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		d.watch(&t, watchEnd)
	}()
	work, cancel := context.WithTimeout(ctx, o.time)
	defer cancel()
	churn, calm := context.WithCancel(ctx)
	changes := startChurn(churn, o, d, dir, &t)
	loadErr := load(work, o, d, scripts, &t)
	calm()
	churnErr := changes.Wait()
	close(watchEnd)
	<-watched
	return errors.Join(loadErr, churnErr, d.stop(), t.report(os.Stdout, o, d))
}
