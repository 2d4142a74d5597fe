package jinja

import (
	"github.com/dragoman-project/dragoman/autoparser/jinja/fault"
	"github.com/dragoman-project/dragoman/autoparser/jinja/meter"
)

// Error is the failure of a compilation or of a rendering.
type Error = fault.Error

// Kind is the kind of an Error. It is an error itself, so that errors.Is(err, jinja.Raised) works.
type Kind = fault.Kind

// The kinds of failures.
const (
	Syntax   = fault.Syntax
	Runtime  = fault.Runtime
	Raised   = fault.Raised
	Limit    = fault.Limit
	Deadline = fault.Deadline
)

// Limits bounds what compiling and rendering one template may cost.
type Limits = meter.Limits
