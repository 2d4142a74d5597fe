package state

import (
	"context"
	"runtime"
	"sync/atomic"
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
type learning[T any] struct {
	turn  places // of the caller that learns
	learn func(context.Context) (T, error)
	done  atomic.Pointer[outcome[T]]
}

// outcome is the result of learning.
type outcome[T any] struct {
	learned T
	err     error
}

func newLearning[T any](learn func(context.Context) (T, error)) *learning[T] {
	return &learning[T]{turn: make(places, 1), learn: learn}
}

// get returns what was learned. An error of a caller's own context is not kept: the next caller learns again.
func (l *learning[T]) get(ctx context.Context) (learned T, err error) {
	if known := l.done.Load(); known != nil {
		return known.learned, known.err
	}
	if err := l.turn.enter(ctx); err != nil {
		return learned, err
	}
	defer l.turn.Unlock()
	if known := l.done.Load(); known != nil {
		return known.learned, known.err
	}
	learned, err = l.learn(ctx)
	if err == nil || ctx.Err() == nil {
		l.done.Store(&outcome[T]{learned, err})
	}
	return learned, err
}
