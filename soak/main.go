// Command soak loads a daemon with many concurrent outputs while everything that can change changes. It reports the latency
// of chunks and the daemon's memory, and fails if a single byte is wrong.
//
//	scripts: template × output × splits ──library, under each rule set──→ the deltas expected after each piece
//	daemon:  a process of its own, with rules, templates and plugins in a folder that is rewritten meanwhile
//	load:    engines, each with a share of the outputs: at every step a piece of each ──gRPC over loopback──→ deltas,
//	         compared one by one
//	churn:   other rules every second, written in every style; the plugin's process killed at random
//
// The expected deltas are known before the load begins: this process parses every script with the library, at once and in
// pieces, under both rule sets. A stream is right if all its deltas, its message, finish reason and report are those of one of the
// two, because a reload affects only streams that begin after it. A stream that another process of the plugin resumed may have
// other deltas, which must give the same when they are put together.
//
// Words that must not be confused: the *delay* of a piece is from sending it to receiving the last of its deltas; its
// *lateness* is from when it was due to when it was sent, which is this process's own fault; *due to delta* is their sum,
// which a client sees whose tokens arrive at a steady rate. A stream is *refused* if no plugin could answer at that moment; it
// is *broken* if a plugin's stream could not be resumed in time.
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
	cost            int
	way             string
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
	flag.IntVar(&o.streams, "streams", 1000, "concurrent outputs")
	flag.IntVar(&o.idle, "idle", 0, "only open this many streams, and report what an idle one costs")
	flag.IntVar(&o.cost, "cost", 0, "only send this many pieces in each way, and report what one costs the daemon, or each of several: -daemon a,b")
	flag.StringVar(&o.way, "way", "", "only measure ways of sending whose names contain this")
	flag.Float64Var(&o.rate, "rate", 30, "pieces per second of each output")
	flag.IntVar(&o.conns, "conns", 16, "engines: connections, each with one stream to the daemon that its outputs share")
	flag.BoolVar(&o.spread, "spread", false, "send each output's pieces at times of their own, not all of an engine's at each step")
	flag.BoolVar(&o.each, "each", false, "open a stream for each output, over the same connections")
	flag.DurationVar(&o.time, "time", 10*time.Minute, "duration of the test")
	flag.DurationVar(&o.reload, "reload", time.Second, "interval between changes of the rules; 0: never")
	flag.DurationVar(&o.kill, "kill", 15*time.Second, "average interval between kills of the plugin's process; 0: never")
	flag.DurationVar(&o.maxP99, "p99", 0, "fail if the 99th percentile of the delay exceeds this; 0: never")
	flag.StringVar(&o.log, "log", "", "file for the daemon's log (default: discarded)")
	flag.Parse()
	return o
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	debug.SetGCPercent(400) // this process shares the processors with the daemon
	o := parseFlags()
	err := soak(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak runs the test and prints its report. The error is a failure of the test.
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
	if o.cost > 0 {
		return costs(ctx, o, dir)
	}
	d, err := startDaemon(ctx, o, dir)
	if err != nil {
		return err
	}
	if o.idle > 0 {
		return errors.Join(idle(ctx, o, d), d.stop())
	}
	fmt.Printf("%d streams at %g pieces per second for %v, over %d connections, on %d processors; the daemon is process %d\n",
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
