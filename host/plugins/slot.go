package plugins

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/dragoman-project/dragoman/host/plugins/manifest"
	"github.com/dragoman-project/dragoman/host/plugins/process"
	"github.com/dragoman-project/dragoman/host/plugins/rundir"
	"github.com/dragoman-project/dragoman/sdk/conformance"
)

const (
	// maxFailures is after how many starts in a row without an answer the plugin stays down.
	maxFailures = 5
	// maxSuspects is how many different requests it must take to explain why processes died before it counts as the fault of
	// the plugin rather than of the requests.
	maxSuspects = 3
	// firstDelay is the delay before the second start after a failure; it doubles from then on. The first start is immediate.
	firstDelay = 50 * time.Millisecond
	// stopGrace is how long a process has to end by itself before it is killed.
	stopGrace = time.Second
)

// slot is one version of a plugin: its manifest, its executable, and its process, if there is one. When a newer version takes
// its place it accepts no new calls; those under way finish on it, on a new process if theirs dies.
type slot struct {
	*shared
	manifest *manifest.Manifest
	log      *slog.Logger
	life     context.Context // of starts and examinations; done when the slot has ended
	abort    context.CancelFunc
	turn     chan struct{} // a semaphore: one stream that has failed often resumes at a time

	mu       sync.Mutex
	text     string // of the manifest
	binary   rundir.Binary
	inside   int             // calls and streams under way
	closed   bool            // no calls are accepted
	empty    chan struct{}   // closed when the slot is closed and has no calls under way
	ended    bool            // no process is started any more
	current  *generation     // published: it accepts callers
	starting *start          // under way; nil: none is
	verified bool            // its golden cases passed; only the start under way touches it
	streams  map[string]bool // handlers that can parse outputs themselves; nil before the first start
	starts   int
	broke    bool // the last process failed
	restarts int  // starts after a process that failed
	failures int  // starts in a row without an answer
	suspects suspects
	retryAt  time.Time
	lastErr  error
	reported string         // why it does not start, as it was logged last
	running  sync.WaitGroup // of everything that must end before the manager does
}

// newSlot returns the slot of a version that was not started yet.
func newSlot(sh *shared, m *manifest.Manifest, text string, b rundir.Binary) *slot {
	s := &slot{shared: sh, manifest: m, text: text, binary: b, log: sh.opts.Logger.With("plugin", m.Name), turn: make(chan struct{}, 1), empty: make(chan struct{})}
	s.life, s.abort = context.WithCancel(context.Background())
	return s
}

// enter registers a call or a stream, until it leaves; false: a newer version takes it, or none.
func (s *slot) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.inside++
	return true
}

func (s *slot) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inside--; s.closed && s.inside == 0 {
		close(s.empty)
	}
}

// start is an attempt to start a generation. Any number of callers may wait for it.
type start struct {
	done chan struct{} // closed when it has ended
	err  error         // valid then; nil: the generation was published
}

// acquire returns a generation for a call, and starts one if there is none. The caller must have entered, and must release it.
func (s *slot) acquire(ctx context.Context) (*generation, error) {
	for {
		g, wait, err := s.offer()
		if g != nil || err != nil {
			return g, err
		}
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
}

// offer returns a generation held for the caller, or what to wait for before calling it again, or why there is none.
func (s *slot) offer() (*generation, func(context.Context) error, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.current.hold() {
		return s.current, nil, nil
	}
	delay := time.Until(s.retryAt)
	switch {
	case s.ended:
		return nil, nil, s.unavailable(removed)
	case s.starting != nil:
		return nil, s.starting.wait, nil
	case s.failures >= maxFailures:
		return nil, nil, s.unavailable("failed %d times in a row and stays down until its file changes; last: %v", s.failures, s.lastErr)
	case delay > 0:
		return nil, func(ctx context.Context) error { return sleep(ctx, delay) }, nil
	}
	attempt := &start{done: make(chan struct{})}
	s.starting = attempt
	s.running.Go(func() { s.start(attempt) })
	return nil, attempt.wait, nil
}

// removed is why a plugin that was removed does not answer.
const removed = "it was removed"

// wait waits for the end of the attempt and returns why it failed.
func (a *start) wait(ctx context.Context) error {
	if err := waitFor(ctx, a.done); err != nil {
		return err
	}
	return a.err
}

func (s *slot) unavailable(format string, args ...any) *Unavailable {
	return &Unavailable{Plugin: s.manifest.Name, Reason: process.ValidText(fmt.Sprintf(format, args...)), Fallback: s.manifest.Fallback}
}

// warm starts a generation, unless there is one.
func (s *slot) warm(ctx context.Context) error {
	g, err := s.acquire(ctx)
	if err == nil {
		g.release()
	}
	return err
}

// start starts a generation and publishes it. It serves all waiting callers, so no caller's context limits it.
func (s *slot) start(attempt *start) {
	defer close(attempt.done)
	g, err := s.launch()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = nil
	s.starts++
	if s.broke {
		s.broke = false
		s.restarts++
	}
	if err != nil {
		s.failed(err)
		attempt.err = s.unavailable("%v", err)
		s.logStart(err)
		return
	}
	s.reported = ""
	s.publish(g)
}

// logStart logs why the plugin does not start: loudly once for each reason, and when it is given up.
func (s *slot) logStart(err error) {
	level, message := slog.LevelError, "plugin does not start"
	switch {
	case s.failures >= maxFailures:
		message = "plugin does not start, and stays down until its file changes"
	case err.Error() == s.reported:
		level = slog.LevelDebug
	}
	s.reported = err.Error()
	s.log.Log(context.Background(), level, message, "error", err, "failures", s.failures)
}

// launch starts a process and verifies it.
func (s *slot) launch() (*generation, error) {
	b, err := s.staged()
	if err != nil {
		return nil, err
	}
	number := int(s.counter.Add(1))
	dir, err := s.dir.Sub(fmt.Sprintf("g%d", number))
	if err != nil {
		return nil, err
	}
	g, err := launch(s.life, s.shared, b, s.manifest, dir, number)
	if err == nil {
		if err = s.verify(g); err != nil {
			g.kill(stopGrace)
		}
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return g, nil
}

func (s *slot) executable() rundir.Binary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.binary
}

// staged returns the private copy of the executable, and makes it if there is none.
func (s *slot) staged() (rundir.Binary, error) {
	b := s.executable()
	if b.Path != "" {
		return b, nil
	}
	b, err := s.dir.Stage(s.manifest.ExecutablePath(), s.manifest.SHA256)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.binary = b
	}
	return b, err
}

// verify checks a new process against its manifest, and the first process of a version against its own golden cases.
func (s *slot) verify(g *generation) error {
	if err := g.check(s.manifest); err != nil {
		return err
	}
	if s.verified {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.life, s.opts.VerifyTimeout)
	defer cancel()
	for _, h := range s.manifest.Handlers {
		golden, err := g.handlers[h.Name].Cases(ctx)
		if err == nil {
			err = conformance.Replay(ctx, g.handlers[h.Name], golden)
		}
		if err != nil {
			return fmt.Errorf("handler %s fails its own golden cases: %w", h.Name, err)
		}
	}
	s.verified = true
	return nil
}

// publish makes a generation available to callers. The slot must be locked.
func (s *slot) publish(g *generation) {
	s.log.Info("plugin started", "generation", g.number, "pid", g.process.ID(), "duration", time.Since(g.started).Seconds())
	if s.ended {
		s.end(g, stopGrace)
		return
	}
	s.current = g
	s.streams = map[string]bool{}
	for name, h := range g.handlers {
		s.streams[name] = h.Streams()
	}
	s.running.Go(func() { s.supervise(g) })
}

// failed records a start without an answer. The slot must be locked.
func (s *slot) failed(err error) {
	s.lastErr, s.broke = err, true
	s.failures++
	s.retryAt = time.Time{}
	if s.failures > 1 {
		s.retryAt = time.Now().Add(firstDelay << (s.failures - 2))
	}
}

// answered records that a call was answered: the plugin works.
func (s *slot) answered(g *generation) {
	g.answers()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.retryAt, s.suspects = 0, time.Time{}, suspects{}
}

// suspect records a request that was under way when a generation died. It must be called before the request is repeated.
func (s *slot) suspect(g *generation, request uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspects.of(g.number).requests[request] = true
}

// waitFor waits for done or the end of ctx.
func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	select { // if both have happened, done counts
	case <-done:
		return nil
	default:
		return ctx.Err()
	}
}

// over returns why a caller no longer waits; nil: it does. The deadline of a context can pass a moment before the context is
// done: calls are refused then, and not by the plugin.
func over(ctx context.Context) error {
	if at, limited := ctx.Deadline(); limited && !time.Now().Before(at) {
		<-ctx.Done() // so that ctx.Err agrees
	}
	return ctx.Err()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
