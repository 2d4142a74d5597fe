package jinja

import (
	"context"

	"github.com/dragoman-project/dragoman/autoparser/jinja/failure"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
)

// Error is the failure of a compilation or of a rendering.
type Error = failure.Error

// Kind is the kind of an Error. It is an error itself, so that errors.Is(err, jinja.Raised) works.
type Kind = failure.Kind

// The kinds of failures.
const (
	Syntax   = failure.Syntax
	Runtime  = failure.Runtime
	Raised   = failure.Raised
	Limit    = failure.Limit
	Deadline = failure.Deadline
)

// Limits bounds what compiling and rendering one template may cost.
type Limits = meter.Limits

// WithBudget returns a context whose renderings may together take so many steps and write so many bytes, in addition to the
// limits of each. The purpose names them in errors.
func WithBudget(ctx context.Context, purpose string, steps int64, output int) context.Context {
	return meter.WithBudget(ctx, purpose, steps, output)
}
