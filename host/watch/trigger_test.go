package watch

import (
	"context"
	"testing"
)

// endsWhenDone is a context that ends at the very moment at which everything has settled.
type endsWhenDone struct {
	context.Context
	w *Watcher
}

func (c endsWhenDone) Done() <-chan struct{} {
	for _, waiter := range c.w.waiting {
		close(waiter.done)
	}
	c.w.waiting = nil
	return c.Context.Done()
}

func TestTriggerPrefersSettledFilesToAnEndedContext(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for range 100 {
		w := &Watcher{wake: make(chan struct{}, 1), closed: make(chan struct{})}
		close(w.closed)
		if err := w.Trigger(endsWhenDone{ended, w}); err != nil {
			t.Fatal(err)
		}
	}
}
