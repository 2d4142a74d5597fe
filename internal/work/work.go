// Package work bounds what a request may cost: a Meter counts steps before they are taken, and ends with a context.
package work

import (
	"context"
	"errors"
)

// Meter counts the steps of one request. It is for one goroutine at a time; a nil Meter bounds nothing.
type Meter struct {
	ctx      context.Context
	all      int // steps
	left     int
	unseen   int // steps until the context is looked at again
	exceeded error
}

// checkEvery is the number of steps between two looks at the context: a few milliseconds at most.
const checkEvery = 1 << 12

// New returns a meter of so many steps. The error is that of taking more.
func New(ctx context.Context, steps int, exceeded error) *Meter {
	return &Meter{ctx: ctx, all: steps, left: steps, exceeded: exceeded}
}

// Context returns the context that the work ends with.
func (m *Meter) Context() context.Context {
	if m == nil {
		return context.Background()
	}
	return m.ctx
}

// Exceeded reports whether an error is one that Spend has stopped the work with.
func (m *Meter) Exceeded(err error) bool {
	return m != nil && err != nil && (errors.Is(err, m.exceeded) || m.ctx.Err() != nil && errors.Is(err, context.Cause(m.ctx)))
}

// Spent returns the steps that were taken.
func (m *Meter) Spent() int { return m.all - m.left }

// stopped is the value of a panic that Stopped recovers.
type stopped struct{ error }

// Spend counts n steps. It panics if that is too many, or the context has ended; the function that began the work must have
// deferred Stopped.
func (m *Meter) Spend(n int) {
	if m == nil {
		return
	}
	if m.left -= n; m.left < 0 {
		panic(stopped{m.exceeded})
	}
	if m.unseen -= n; m.unseen < 0 {
		m.Check()
	}
}

// Check panics as Spend does if the context has ended. It is for work that counted steps bound already, and that may take
// longer than the context.
func (m *Meter) Check() {
	if m == nil {
		return
	}
	m.unseen = checkEvery
	if m.ctx.Err() != nil {
		panic(stopped{context.Cause(m.ctx)})
	}
}

// Stopped sets an error if Spend has panicked. It must be deferred.
func Stopped(err *error) {
	switch p := recover().(type) {
	case nil:
	case stopped:
		*err = p.error
	default:
		panic(p)
	}
}
