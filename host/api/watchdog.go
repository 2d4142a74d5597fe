package api

import (
	"fmt"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/sdk/fault"
)

// deadlines bound how long one read or write may take, and all reads together. The zero value sets no bounds.
type deadlines struct {
	idle time.Duration
	end  time.Time
}

// readSince returns when the client must be heard of again, if it was last heard of at heard.
func (d deadlines) readSince(heard time.Time) time.Time {
	if d.idle == 0 {
		return time.Time{}
	}
	if t := heard.Add(d.idle); t.Before(d.end) {
		return t
	}
	return d.end
}

// fault returns the error for a client whose deadline has passed.
func (d deadlines) fault() error {
	if !time.Now().Before(d.end) {
		return &fault.Error{Code: fault.TimedOut, Message: "the request took too long as a whole",
			Remedy: "raise limits.request_time, for streams limits.session_time"}
	}
	return &fault.Error{Code: fault.TimedOut, Message: fmt.Sprintf("nothing was sent for %v", d.idle),
		Remedy: "close the stream when the output ends, or raise limits.session_idle"}
}

// watchdog interrupts a read or a write that takes too long. Only the time within one counts: a client is not to blame while the
// daemon plans or parses. The deadlines of net/http cannot express that, because on HTTP/2 they end a stream even if nothing is
// being read or written when they pass, and each change of one costs a turn of the connection's goroutine.
type watchdog struct {
	interrupt func()

	mu        sync.Mutex
	deadlines deadlines
	since     time.Time   // when the operation in progress began; zero: there is none
	timer     *time.Timer // nil before the first operation
	stopped   bool
}

func newWatchdog(d *deadlines, interrupt func()) *watchdog {
	return &watchdog{deadlines: *d, interrupt: interrupt}
}

// begin starts the time of an operation.
func (p *watchdog) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deadlines.idle == 0 || p.stopped {
		return
	}
	p.since = time.Now()
	if p.timer == nil {
		p.timer = time.AfterFunc(time.Until(p.deadlines.readSince(p.since)), p.check)
	}
}

// end stops the time of an operation.
func (p *watchdog) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since = time.Time{}
}

// check interrupts the operation in progress if its time is over, and otherwise looks again later.
func (p *watchdog) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	left := p.deadlines.idle // for an operation that begins from now on
	if !p.since.IsZero() {
		left = time.Until(p.deadlines.readSince(p.since))
	}
	if left <= 0 {
		p.interrupt()
		return
	}
	p.timer.Reset(left)
}

// limit sets the end of all operations anew.
func (p *watchdog) limit(end time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deadlines.end = end
	if p.timer != nil {
		p.timer.Reset(min(time.Until(end), p.deadlines.idle))
	}
}

// fault returns the error of an interrupted read.
func (p *watchdog) fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deadlines.fault()
}

// stop ends the supervision, with the request.
func (p *watchdog) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
}
