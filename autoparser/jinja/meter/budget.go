package meter

import (
	"context"
	"sync/atomic"
)

// Budget bounds what several renderings may cost together. It is safe for concurrent use.
type Budget struct {
	purpose       string
	all           int64        // steps
	steps, output atomic.Int64 // what is left
}

type budgetKey struct{}

// WithBudget returns a context whose renderings may together take so many steps and write so many
// bytes, in addition to the limits of each. The purpose names them in errors, as in "all
// renderings of a request". A budget replaces that of the parent context.
func WithBudget(ctx context.Context, purpose string, steps int64, output int) context.Context {
	b := &Budget{purpose: purpose, all: steps}
	b.steps.Store(steps)
	b.output.Store(int64(output))
	return context.WithValue(ctx, budgetKey{}, b)
}
