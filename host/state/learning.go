package state

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/dragoman-project/dragoman/autoparser"
)

// places are what only so many can hold at once. Waiting for one ends with the context.
type places chan struct{}

// enter takes a place.
func (p places) enter(ctx context.Context) error {
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Lock takes a place, and Unlock gives it back.
func (p places) Lock() { p <- struct{}{} }

// Unlock gives a place back.
func (p places) Unlock() { <-p }

// learners bounds how many templates are learned at once, so that templates leave a processor to requests.
var learners = make(places, max(1, runtime.GOMAXPROCS(0)-1))

// learning is something that is learned once, by the first caller that stays until the end.
type learning struct {
	turn  places // of the caller that learns
	learn func(context.Context) (*autoparser.Learned, error)
	done  atomic.Pointer[outcome]
}

// outcome is the result of learning.
type outcome struct {
	learned *autoparser.Learned
	err     error
}

func newLearning(learn func(context.Context) (*autoparser.Learned, error)) *learning {
	return &learning{turn: make(places, 1), learn: learn}
}

// get returns what was learned. An error of a caller's own context is not kept: the next caller learns again.
func (l *learning) get(ctx context.Context) (*autoparser.Learned, error) {
	if known := l.done.Load(); known != nil {
		return known.learned, known.err
	}
	if err := l.turn.enter(ctx); err != nil {
		return nil, err
	}
	defer l.turn.Unlock()
	if known := l.done.Load(); known != nil {
		return known.learned, known.err
	}
	learned, err := l.learn(ctx)
	if err == nil || ctx.Err() == nil {
		l.done.Store(&outcome{learned, err})
	}
	return learned, err
}
