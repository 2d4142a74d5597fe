package main

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// tally collects the results of the test.
type tally struct {
	written, killed  atomic.Int64
	mu               sync.Mutex
	ended            [wrong + 1]int // by outcome
	under            [ruleSets]int  // the right ones, by rule set
	refused, broken  int
	examples         []string // of wrong streams
	delay, fromDue   histogram
	remote, lateness histogram // remote is the delay where a plugin's process parses; the others exclude those
	memory           []int     // resident bytes, sampled every second
}

// finished judges a finished stream. An error that a plugin's death does not explain ends the test.
func (t *tally) finished(r *run, e end) error {
	err := e.err
	if err == nil {
		r.ending, err = ending(e.result)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil && !unavailable(err):
		return fmt.Errorf("%v: %w", r, err)
	case err != nil && len(r.got) == 0:
		t.refused++
		return nil
	case err != nil:
		t.broken++
		return nil
	}
	set, what := r.judge()
	t.ended[what]++
	switch what {
	case right:
		t.under[set]++
		t.measure(r, &r.wants[set])
	case wrong:
		t.examples = append(t.examples, r.String())
	case resumed:
	}
	return nil
}

// measure adds the delay of each piece that decided something, up to the last of its deltas.
func (t *tally) measure(r *run, w *want) {
	before := 0
	for i, after := range w.after {
		sent, due := r.sent[i], r.due+time.Duration(i)*r.period
		t.lateness.add(micros(sent) - due)
		if after > before && i > 0 {
			got := r.got[after-1]
			if r.remote {
				t.remote.add(micros(got - sent))
			} else {
				t.delay.add(micros(got - sent))
				t.fromDue.add(micros(got) - due)
			}
		}
		before = after
	}
}

func micros(n int32) time.Duration { return time.Duration(n) * time.Microsecond }

func (t *tally) sample(bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.memory = append(t.memory, bytes)
}

// report prints the results. The error is a failure of the test.
func (t *tally) report(to io.Writer, o options, d *daemon) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(to, "streams    %d right (%d and %d under the two rule sets), %d resumed, %d wrong; %d refused and %d broken by a plugin's death\n",
		t.ended[right], t.under[0], t.under[1], t.ended[resumed], t.ended[wrong], t.refused, t.broken)
	fmt.Fprintf(to, "changes    rules written %d times, plugins killed %d times\n", t.written.Load(), t.killed.Load())
	fmt.Fprintf(to, "delay      %v   from sending a piece to its last delta\n", &t.delay)
	fmt.Fprintf(to, "due→delta  %v   from when the piece was due to its last delta\n", &t.fromDue)
	fmt.Fprintf(to, "lateness   %v   from when a piece was due to sending it: this process's own\n", &t.lateness)
	fmt.Fprintf(to, "remote     %v   the delay where a plugin's process parses\n", &t.remote)
	begin, end := t.memoryEnds()
	fmt.Fprintf(to, "memory     %s at the start, %s at the end, %s at most: the daemon's resident memory, without plugins\n", mb(begin), mb(end), mb(slices.Max(append(t.memory, 0))))
	fmt.Fprintf(to, "processor  daemon %.2f cores, load %.2f cores\n", cores(d.cmd.ProcessState.UserTime()+d.cmd.ProcessState.SystemTime(), o), cores(own(), o))
	return t.verdict(o)
}

// verdict returns the failures of the test.
func (t *tally) verdict(o options) (err error) {
	begin, end := t.memoryEnds()
	if n := t.ended[wrong]; n > 0 {
		err = fmt.Errorf("%d streams are wrong; the first: %s", n, t.examples[0])
	}
	if t.ended[right] == 0 {
		err = errors.Join(err, errors.New("no stream was right"))
	}
	if killed := int(t.killed.Load()); t.refused+t.broken > killed*mostPerKill {
		err = errors.Join(err, fmt.Errorf("%d streams were refused and %d broken after %d kills, expected at most %d for each", t.refused, t.broken, killed, mostPerKill))
	}
	if p99 := t.delay.quantile(0.99); o.maxP99 > 0 && p99 > o.maxP99 {
		err = errors.Join(err, fmt.Errorf("the 99th percentile of the delay is %v, expected at most %v", p99, o.maxP99))
	}
	if end > begin+begin/4+8<<20 {
		err = errors.Join(err, fmt.Errorf("the daemon's memory grew from %s to %s", mb(begin), mb(end)))
	}
	return err
}

// mostPerKill is how many streams the death of a plugin's process may cost: the host starts another, and resumes streams there.
const mostPerKill = 1

// memoryEnds returns the medians of the second and the last fifth of the samples; during the first the daemon warms up.
func (t *tally) memoryEnds() (begin, end int) {
	n := len(t.memory)
	return median(t.memory[n/5 : 2*n/5]), median(t.memory[n-n/5:])
}

func median(all []int) int {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

func mb(bytes int) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func cores(busy time.Duration, o options) float64 { return busy.Seconds() / o.time.Seconds() }

// own returns the processor time of this process.
func own() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// histogram counts durations in microseconds, in sixteen buckets per power of two: within seven per cent.
type histogram struct {
	counts [64 << 4]int
	n      int
	most   time.Duration
}

func (h *histogram) add(d time.Duration) {
	h.counts[bucket(d)]++
	h.n++
	h.most = max(h.most, d)
}

func bucket(d time.Duration) int {
	us := uint64(max(0, d.Microseconds()))
	if us < 16 {
		return int(us)
	}
	power := bits.Len64(us) - 5
	return (power+1)<<4 | int(us>>power&15)
}

// quantile returns the lower bound of the bucket with the q-quantile.
func (h *histogram) quantile(q float64) time.Duration {
	left := int(q * float64(h.n))
	for i, n := range h.counts {
		if left -= n; left < 0 {
			return lower(i)
		}
	}
	return h.most
}

func lower(i int) time.Duration {
	if i < 16 {
		return time.Duration(i) * time.Microsecond
	}
	return time.Duration(uint64(16|i&15)<<(i>>4-1)) * time.Microsecond
}

func (h *histogram) String() string {
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	return fmt.Sprintf("p50 %6.2f  p99 %6.2f  p99.9 %6.2f  max %7.2f ms (%d)", ms(h.quantile(0.5)), ms(h.quantile(0.99)), ms(h.quantile(0.999)), ms(h.most), h.n)
}
