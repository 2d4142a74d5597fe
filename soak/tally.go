package main

import (
	"encoding/json"
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

// tally is what the test finds.
type tally struct {
	written, killed  atomic.Int64
	mu               sync.Mutex
	ended            [wrong + 1]int // by outcome
	under            [ruleSets]int  // right ones, by rule set
	refused, broken  int
	examples         []string // of wrong streams
	delay, fromDue   histogram
	remote, lateness histogram // remote: the delay where a plugin's process parses; the others leave those out
	memory           []int     // resident bytes, every second
}

// finished judges a stream. The error is one that ends the test: anything but a plugin's death.
func (t *tally) finished(r *run, e end) error {
	if e.err == nil {
		message, err := json.Marshal(e.result.Message)
		if err != nil {
			return err
		}
		r.message = string(message)
	}
	err := e.err
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

// measure notes how long each piece took that decided something: to the last of its deltas.
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

// report tells what was found. The error says what must not be.
func (t *tally) report(to io.Writer, o options, d *daemon) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(to, "streams    %d right (%d and %d under the two rule sets), %d resumed, %d wrong; %d refused and %d broken as a plugin died\n",
		t.ended[right], t.under[0], t.under[1], t.ended[resumed], t.ended[wrong], t.refused, t.broken)
	fmt.Fprintf(to, "changes    rules written %d times, plugins killed %d times\n", t.written.Load(), t.killed.Load())
	fmt.Fprintf(to, "delay      %v   from sending a piece to the last of its deltas\n", &t.delay)
	fmt.Fprintf(to, "due→delta  %v   the same, from when the piece was due\n", &t.fromDue)
	fmt.Fprintf(to, "lateness   %v   from when a piece was due to when it was sent: this process's own\n", &t.lateness)
	fmt.Fprintf(to, "remote     %v   the delay where a plugin's process parses\n", &t.remote)
	begin, end := t.memoryEnds()
	fmt.Fprintf(to, "memory     %s at first, %s at the end, %s at most: the daemon's, resident, without plugins\n", mb(begin), mb(end), mb(slices.Max(append(t.memory, 0))))
	fmt.Fprintf(to, "processor  daemon %.2f cores, load %.2f cores\n", cores(d.cmd.ProcessState.UserTime()+d.cmd.ProcessState.SystemTime(), o), cores(own(), o))
	var err error
	if n := t.ended[wrong]; n > 0 {
		err = fmt.Errorf("%d streams are wrong; the first: %s", n, t.examples[0])
	}
	if t.ended[right] == 0 {
		err = errors.New("no stream was right")
	}
	if p99 := t.delay.quantile(0.99); o.maxP99 > 0 && p99 > o.maxP99 {
		err = errors.Join(err, fmt.Errorf("99 of 100 pieces took up to %v, more than %v", p99, o.maxP99))
	}
	if end > begin+begin/4+8<<20 {
		err = errors.Join(err, fmt.Errorf("the daemon's memory grew from %s to %s", mb(begin), mb(end)))
	}
	return err
}

// memoryEnds are the medians of the second and of the last fifth of the samples: the first is warming up.
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

// own is the processor time of this process.
func own() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// histogram counts durations in buckets of a sixteenth of a power of two microseconds: within seven per cent.
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

// quantile is the lower end of the bucket in which the part q of all durations ends.
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
