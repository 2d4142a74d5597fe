package plugins

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// supervise watches a generation until it is gone.
func (s *slot) supervise(g *generation) {
	defer func() { <-g.dead }()
	tick := time.NewTicker(s.opts.HealthInterval)
	defer tick.Stop()
	for {
		select {
		case <-g.process.Exited:
			s.condemn(g, errors.New(g.process.End()))
			return
		case <-tick.C:
			if s.opts.IdleTimeout > 0 && g.idle() > s.opts.IdleTimeout && g.lives() {
				s.stop(g)
				return
			}
			if err := s.examine(g); err != nil {
				s.condemn(g, err)
				return
			}
		}
	}
}

// examine checks the health of a process, and returns what is wrong. If the connection is broken, that is how the process
// ended.
func (s *slot) examine(g *generation) error {
	err := g.responds(context.Background(), s.opts.HealthTimeout)
	switch status.Code(err) {
	case codes.OK:
		return nil
	case codes.Unavailable:
		return g.passing(s.opts.HealthTimeout, fmt.Errorf("health check failed: %w", err))
	}
	return fmt.Errorf("health check failed: %w", err)
}

// condemn unpublishes a generation that is dead or must die, and then kills it. A generation that is draining ends anyway.
func (s *slot) condemn(g *generation, why error) {
	if !s.unpublish(g) {
		return
	}
	s.mu.Lock()
	s.lastErr, s.broke = why, true
	if !g.hasAnswered() {
		s.failed(why)
	}
	if g.sessions() > 0 && s.suspects.few(g.number) { // maybe the fault of one request, which must not take the plugin down for others
		s.failures = min(s.failures, maxFailures-1)
	}
	s.mu.Unlock()
	s.log.Error("plugin ended", "generation", g.number, "error", why)
	s.end(g, 0)
}

// unpublish hides a generation from callers. It reports whether it was not retired before.
func (s *slot) unpublish(g *generation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == g {
		s.current = nil
	}
	return g.retire()
}

// stop ends an unused generation; the next call starts another.
func (s *slot) stop(g *generation) {
	if s.unpublish(g) {
		s.log.Info("plugin stopped: not used", "generation", g.number)
		s.drain(g)
	}
}

// end kills a generation in the background and removes its directory.
func (s *slot) end(g *generation, grace time.Duration) {
	s.running.Go(func() {
		g.kill(grace)
		_ = os.RemoveAll(g.process.Dir())
	})
}

// drain ends a retired generation when its calls have finished.
func (s *slot) drain(g *generation) {
	s.running.Go(func() {
		select {
		case <-g.drained:
		case <-g.process.Exited:
		case <-time.After(s.opts.DrainTimeout):
		case <-s.hurry:
		}
		s.end(g, stopGrace)
	})
}

// close stops accepting calls, and ends the process when those under way have left. Wait for running to know that it is gone.
func (s *slot) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.inside == 0 {
		close(s.empty)
	}
	s.running.Go(func() {
		select {
		case <-s.empty:
		case <-time.After(s.opts.DrainTimeout):
		case <-s.hurry:
		}
		s.finish()
	})
}

// finish ends the process, even with calls under way.
func (s *slot) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.abort()
	if g := s.current; g != nil && g.retire() {
		s.current = nil
		s.end(g, stopGrace)
	}
}
